#!/usr/bin/env python3
"""Every lint finds what it is there to find, and passes what is right: small trees with one mistake each."""
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import docs  # noqa: E402
import formatting  # noqa: E402
import includes  # noqa: E402
import leftovers  # noqa: E402
import purity  # noqa: E402

README = "# x\n\n| `YOKE_A` | a |\n"
READS_A = 'int f(void)\n{\n    return yk_env_bool("YOKE_A");\n}\n'
MACHINE_PATH = "/ro" + "ot/x"

# lint, what the case shows, {file: text}, text that a problem must hold (None: no problem at all)
ENTRIES = {"README.md": README, "base/e.c": READS_A, "base/README.md": "", "device/README.md": "",
           "device/opencl/api.def": "YK_CL(int, A, 10, (void), ())\nYK_CL(cl_mem, B, 10, (int x), (x))\n",
           "shim/README.md": "| clA | api/a.c | virtualised |\n| clB | api/a.c | refused: so |\n",
           "shim/api/a.c": "int yk_api_A(void)\nREFUSE(B, (int x))\n"}
CASES = [
    (includes, "downwards", {"shim/api/a.c": '#include "base/b.h"\n', "base/b.h": ""}, None),
    (includes, "upwards", {"base/b.c": '#include "device/d.h"\n', "device/d.h": ""}, "base may not use device"),
    (includes, "object to api", {"shim/object/o.c": '#include "shim/api/a.h"\n', "shim/api/a.h": ""}, "may not use"),
    (includes, "queue to object", {"shim/queue/q.c": '#include "../object/o.h"\n', "shim/object/o.h": ""}, "may not use"),
    (includes, "inside the transformer", {"shim/queue/q.c": '#include "transform/rewrite.h"\n', "transform/rewrite.h": ""},
     "may not use transform"),
    (includes, "facts are for all", {"shim/queue/q.c": '#include "transform/facts.h"\n', "transform/facts.h": ""}, None),
    (includes, "solver without shim", {"solver/s.c": '# include "shim/queue/q.h"\n', "shim/queue/q.h": ""}, "may not use"),
    (includes, "an app knows nothing of yoke", {"bench/apps/a.c": '#include "base/b.h"\n', "base/b.h": ""}, "may not use base"),
    (purity, "arithmetic", {"partitioner/a.c": "#include <math.h>\ndouble f(double x) { return floor(x); }\n"}, None),
    (purity, "a constant table", {"partitioner/a.c": 'const char *const t[] = {"a", "b"};\n'}, None),
    (purity, "a call between pure files", {"partitioner/a.c": "int g(void);\nint f(void) { return g(); }\n",
                                           "partitioner/b.c": "int g(void) { return 1; }\n"}, None),
    (purity, "OpenCL header", {"partitioner/a.h": "#include <CL/cl.h>\n"}, "includes CL/cl.h"),
    (purity, "clock", {"kernels/cache/a.c": "long time(long *); long f(void) { return time(0); }\n"}, "uses time"),
    (purity, "thread", {"shim/memory/map.c": "int pthread_yield(void); int f(void) { return pthread_yield(); }\n"},
     "uses pthread_yield"),
    (purity, "printing by itself", {"shim/merge/diff.c": '#include <stdio.h>\nvoid f(int x) { printf("%d", x); }\n'},
     "uses printf"),
    (purity, "environment", {"solver/search/a.c": '#include <stdlib.h>\nchar *f(void) { return getenv("A"); }\n'}, "uses getenv"),
    (purity, "mutable global", {"partitioner/a.c": "int n; int f(void) { return ++n; }\n"}, "n is a mutable global"),
    (purity, "hidden counter", {"partitioner/a.c": "int f(void) { static int n; return ++n; }\n"}, "is a mutable global"),
    (purity, "what is not pure may", {"shim/memory/copy.c": "int n; int f(void) { return ++n; }\n"}, None),
    (formatting, "in shape", {".clang-format": "BasedOnStyle: LLVM\n", "a.c": "int x;\n"}, None),
    (formatting, "out of shape", {".clang-format": "BasedOnStyle: LLVM\n", "a.c": "int   x ;\n"}, "a.c:1"),
    (leftovers, "clean", {"a.c": "int x;\n", "s/b.sh": "#!/bin/sh\necho a\n"}, None),
    (leftovers, "path of a machine", {"a.c": f'char *p = "{MACHINE_PATH}";\n'}, "a.c:1: path of a machine"),
    (leftovers, "note to self", {"a.c": "\n// TO" + "DO: later\n"}, "a.c:2: left for later"),
    (leftovers, "shell mistake", {"b.sh": "#!/bin/sh\nfor f in $(ls); do echo \"$f\"; done; cd x; echo `ls` $1 [ a==b ]; x=(1)\n"},
     "b.sh:2"),
    (docs, "true", {"README.md": README + "[a](a.md#two-words) `scripts/x` `yoke run`\n", "a.md": "## Two words\n",
                    "scripts/x": "", "cli/run.c": '.name = "run"\n', "cli/README.md": "", "base/e.c": READS_A,
                    "base/README.md": ""}, None),
    (docs, "dead link", {"README.md": README + "[a](b.md)\n", "base/e.c": READS_A, "base/README.md": ""}, "link to b.md"),
    (docs, "dead heading", {"README.md": README + "[a](#nowhere)\n", "base/e.c": READS_A, "base/README.md": ""}, "no such heading"),
    (docs, "file that is gone", {"README.md": README + "`scripts/y`\n", "base/e.c": READS_A, "base/README.md": ""}, "names scripts/y"),
    (docs, "no such command", {"README.md": README + "`yoke fly`\n", "base/e.c": READS_A, "base/README.md": ""}, "'yoke fly'"),
    (docs, "variable not told", {"README.md": "# x\n", "base/e.c": READS_A, "base/README.md": ""}, "reads YOKE_A"),
    (docs, "variable not read", {"README.md": README}, "nothing reads it"),
    (docs, "entry points told", {**ENTRIES, "shim/api/a.c": "int yk_api_A(void)\nREFUSE_MEM(B, (int x))\n"}, None),
    (docs, "entry point not told", {**ENTRIES, "device/opencl/api.def": "YK_CL(int, A, 10,\nYK_CL(int, C, 10,\n"}, "clC is not in the table"),
    (docs, "entry point elsewhere", {**ENTRIES, "shim/api/a.c": "int yk_api_A(void)\n"}, "clB is not in api/a.c"),
    (docs, "module without README", {"README.md": "# x\n", "base/e.c": "int x;\n"}, "base/ has no README"),
]


def main():
    wrong = 0
    for lint, title, tree, expected in CASES:
        folder = tempfile.mkdtemp()
        try:
            for name, text in tree.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            problems = lint.check(folder)
        finally:
            shutil.rmtree(folder)
        good = problems == [] if expected is None else any(expected in p for p in problems)
        wrong += not good
        print(f"{'ok' if good else 'WRONG'}: {lint.__name__}: {title}" + ("" if good else f": {problems}"))
    print(f"{len(CASES) - wrong} of {len(CASES)} cases as expected")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
