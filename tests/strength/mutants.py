#!/usr/bin/env python3
"""Do the unit tests notice when something is wrong? Breaks one place of a source at a time, builds that file and its unit tests
anew and runs them.

    mutants.py [--seed N] [--count N] [--least N] [--file PART] [--list]

Places and breakages are drawn from the seed: bounds that are off by one, comparisons turned around, guards and statements dropped,
strides, ends and signs swapped, constants changed. A breakage that does not compile, or that an optimiser (gcc's or clang's) makes
the same machine code of, is no mutant: another is drawn. A mutant is caught by the first assertion that fails, by a signal, and
where a test takes ten times as long as it does for the source as it is. Status 1: fewer than --least were caught.
Environment: YOKE_TEST_BUILD, a build folder whose unit tests are built (build/dev). Nothing in it or in the source is changed."""
import argparse
import bisect
import concurrent.futures
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", os.path.join(ROOT, "build/dev")))
SLOWER, LEAST_SECONDS = 10, 2
OPTIMISERS = [(compiler, level) for compiler in ("gcc", "clang") if shutil.which(compiler) for level in ("-O2", "-O3")]
# The test ends with its first failure, and in the process that we wait for: nothing that hangs is left behind.
ENDS = ["-Wl,--wrap=_ck_assert_failed"]
END = """#include <unistd.h>
void __wrap__ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...);
void __wrap__ck_assert_failed(const char *file, int line, const char *expr, const char *msg, ...)
{
    (void)file, (void)line, (void)expr, (void)msg;
    _exit(1);
}
"""
FACTS = ["test_reach", "test_conditions", "test_loops", "test_arithmetic", "test_recall", "test_cut", "test_sums", "test_shape",
         "test_form", "test_operations", "test_guarded", "test_regions"]
SOURCES = {
    "shim/memory/map.c": ["test_map"], "shim/merge/diff.c": ["test_diff"], "shim/merge/reduce.c": ["test_reduce"],
    "transform/facts_condition.c": FACTS, "transform/facts_cut.c": FACTS, "transform/facts_domain.c": FACTS,
    "transform/facts_eval.c": FACTS, "transform/facts_form.c": FACTS, "transform/facts_recall.c": FACTS,
    "transform/facts_regions.c": FACTS, "transform/facts_shape.c": FACTS,
}

# One token and what it becomes.
TOKENS = [
    ("bound", r"(?<![<\-=>])<(?![<=])", ["<="]), ("bound", r"<=(?!=)", ["<"]), ("bound", r"(?<![>\-])>(?![>=])", [">="]),
    ("bound", r"(?<!>)>=", [">"]),
    ("comparison", r"(?<![<\-=>])<(?![<=])", [">="]), ("comparison", r"(?<![>\-])>(?![>=])", ["<="]),
    ("comparison", r"==", ["!="]), ("comparison", r"!=", ["=="]),
    ("guard", r"&&", ["||"]), ("guard", r"\|\|", ["&&"]), ("guard", r"!(?=[\w(])", [""]),
    ("arithmetic", r" \+ ", [" - "]), ("arithmetic", r" - ", [" + "]), ("arithmetic", r"(?<=[\w\])]) \* (?=[\w(&*])", [" + ", " / "]),
    ("arithmetic", r"(?<=[\w\])]) / ", [" * "]), ("arithmetic", r"\+=", ["-="]), ("arithmetic", r" -= ", [" += "]),
    ("arithmetic", r" & (?=[\w~(])", [" | "]), ("arithmetic", r"\|=", ["&="]), ("arithmetic", r"&=", ["|="]),
    ("constant", r"(?<![\w.])0(?![\w.])", ["1"]), ("constant", r"(?<![\w.])1(?![\w.])", ["0", "2"]),
    ("constant", r"(?<![\w.])[2-9](?![\w.])", ["1"]),
    ("constant", r"\btrue\b", ["false"]), ("constant", r"\bfalse\b", ["true"]),
    ("swap", r"(?<=[.>])lo\b", ["hi"]), ("swap", r"(?<=[.>])hi\b", ["lo"]), ("swap", r"(?<=[.>])rows\b", ["slices"]),
    ("swap", r"(?<=[.>])slices\b", ["rows"]), ("swap", r"(?<=[.>])row_pitch\b", ["slice_pitch"]),
    ("swap", r"(?<=[.>])slice_pitch\b", ["row_pitch"]), ("swap", r"(?<=[.>])count\[", ["first["]), ("swap", r"(?<=[.>])local\[", ["groups["]),
    ("swap", r"(?<=[.>])off\b", ["len"]), ("swap", r"(?<=[.>])len\b", ["off"]), ("swap", r"\bYK_EINVAL\b", ["YK_OK"]),
    ("swap", r"\bYK_ENOMEM\b", ["YK_OK"]), ("swap", r"\?(?=[^:?]*:)", ["? 0 :"]),
]
STATEMENT = re.compile(r"^ +(?:[\w>.\[\]*()\-]+ (?:[-+*/|&]|<<|>>)?= [^;{}]*|\w+\([^;{}]*\)|[\w>.\[\]\-]+(?:\+\+|--));$", re.M)


def code_only(text):
    """TEXT with comments, strings and preprocessor lines blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^#(?:\\\n|[^\n])*', blank, text, flags=re.S | re.M)


def closing(text, at):
    """Behind the bracket that closes the one at AT."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def breakages(path):
    """All of a file: (path, line, kind, from, to, text of it)."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    code = code_only(text)
    lines = [0] + [m.end() for m in re.finditer("\n", text)]
    inside = [(m.start(), m.end()) for m in re.finditer(r"^\{$.*?^\}$", code, re.M | re.S)]  # function bodies

    def add(kind, start, end, new):
        if any(a <= start < b for a, b in inside):
            found.append((path, bisect.bisect_right(lines, start), kind, start, end, new))

    found = []
    for kind, pattern, news in TOKENS:
        for match in re.finditer(pattern, code):
            for new in news:
                if kind == "swap" and new == "? 0 :":
                    continue
                add(kind, match.start(), match.end(), new)
    for match in re.finditer(r"\b(?:if|while) \(", code):
        start, end = match.end() - 1, closing(code, match.end() - 1)
        add("guard", start, end, "(false)")
        if match[0].startswith("if"):
            add("guard", start, end, "(true)")
    for match in STATEMENT.finditer(code):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if not re.match(r"(return|break|continue|else)\b", match[0].lstrip()):
            add("statement", start, match.end(), ";")
    return found, text


class Builder:
    def __init__(self, folder):
        self.seconds, self.end = {}, os.path.join(folder, "end.o")
        subprocess.run(["cc", "-c", "-x", "c", "-", "-o", self.end], input=END, text=True, check=True)
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
            self.compile = {os.path.relpath(c["file"], ROOT): c for c in json.load(file)}
        self.links = {}
        for tests in SOURCES.values():
            for test in tests:
                done = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "unit_" + test], stdout=subprocess.PIPE, text=True,
                                      check=False)
                if done.returncode or not done.stdout.strip():
                    sys.exit(f"{BUILD} has no unit_{test}")
                self.links[test] = done.stdout.strip().splitlines()[-1]

    def measure(self, folder):
        """How long each test takes."""
        for test in self.links:
            program = os.path.join(folder, test)
            start = time.monotonic()
            if not self.link(test, None, program) or run_test(program, folder, 600) != 0:
                sys.exit(f"{test} fails with the source as it is")
            self.seconds[test] = SLOWER * (time.monotonic() - start) + LEAST_SECONDS

    def command(self, path, source, output, *more):
        words = shlex.split(self.compile[path]["command"])
        words = [w for w in words if w != "ccache" and not w.endswith("/ccache")]
        at = words.index("-o")
        words[at + 1] = output
        words[-1] = source
        return words[:-1] + ["-w", "-iquote", os.path.dirname(os.path.join(ROOT, path)), *more, source]

    def make(self, path, source, output, *more):
        return subprocess.run(self.command(path, source, output, *more), cwd=self.compile[path]["directory"], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def is_same(self, path, source, text, mutant):
        """Does an optimiser make one machine code of both? Then they are one program."""
        for compiler, level in OPTIMISERS:
            made = []
            for contents in text, mutant:
                with open(source, "w", encoding="utf-8") as file:
                    file.write(contents)
                words = [compiler] + self.command(path, source, "-", "-S", level, "-g0", "-DNDEBUG")[1:]
                done = subprocess.run(words, cwd=self.compile[path]["directory"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      check=False)
                made.append(done.stdout if done.returncode == 0 else None)
            if made[0] is not None and made[0] == made[1]:
                return True
        return False

    def link(self, test, thing, output):
        words = shlex.split(self.links[test])
        words = words[words.index("&&") + 1:] if words[0] in (":", "cd") else words
        words = words[:words.index("&&")] if "&&" in words else words
        words[words.index("-o") + 1] = output
        first = next(i for i, w in enumerate(words) if w.endswith(".o"))
        mine = [self.end] + ([thing] if thing else [])
        return subprocess.run(words[:first] + mine + words[first:] + ENDS, cwd=BUILD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def run_test(program, folder, seconds):
    """Its status; None: it did not end."""
    try:
        return subprocess.run([program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds,
                              env=dict(os.environ, CK_FORK="no", GCOV_PREFIX=folder), preexec_fn=limits, check=False).returncode
    except subprocess.TimeoutExpired:
        return None


def judge(builder, mutant, text, folder):
    """'caught by X', 'SURVIVED', or None: no mutant at all."""
    path, _, _, start, end, new = mutant
    source, thing, program = (os.path.join(folder, name) for name in ("mutant.c", "mutant.o", "test"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text[:start] + new + text[end:])
    if not builder.make(path, source, thing):
        return None
    for test in SOURCES[path]:
        if not builder.link(test, thing, program):
            sys.exit(f"{test} cannot be linked")
        status = run_test(program, folder, builder.seconds[test])
        if status != 0:
            return f"caught by {test}" + (" (no end)" if status is None else "")
    return None if builder.is_same(path, source, text, text[:start] + new + text[end:]) else "SURVIVED"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--least", type=int, default=93, help="per cent")
    parser.add_argument("--file", default="", help="only files whose path has this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print how many places there are")
    arguments = parser.parse_args()
    candidates, texts = [], {}
    for path in SOURCES:
        if arguments.file in path:
            found, texts[path] = breakages(path)
            candidates += found
            if arguments.list:
                print(f"{path}: {len(found)} places")
    if arguments.list:
        return 0
    random.Random(arguments.seed).shuffle(candidates)
    done = caught = 0

    def run(mutant):
        with tempfile.TemporaryDirectory() as folder:
            return mutant, judge(builder, mutant, texts[mutant[0]], folder)

    with tempfile.TemporaryDirectory() as base, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        at, builder = 0, Builder(base)
        builder.measure(base)
        while done < arguments.count and at < len(candidates):
            batch = candidates[at:at + min(arguments.jobs, arguments.count - done)]
            at += len(batch)
            for mutant, what in pool.map(run, batch):
                if not what:
                    continue
                path, line, kind, start, end, new = mutant
                done += 1
                caught += what != "SURVIVED"
                old = " ".join(texts[path][start:end].split())
                print(f"{path}:{line}: {kind}: '{old}' -> '{new.strip()}': {what}", flush=True)
    print(f"seed {arguments.seed}: {caught} of {done} mutants caught")
    return 0 if done and caught * 100 >= arguments.least * done else 1


if __name__ == "__main__":
    sys.exit(main())
