"""The pure parts decide and do nothing else: no OpenCL, clock, thread, file, environment or mutable global. Checked on the
compiled objects, so that no macro or helper hides anything: each undefined symbol must be on a list, and nothing may lie in
a writable section."""
import os
import re
import subprocess
import tempfile

import repo

PURE = [re.compile(p) for p in (r"partitioner/", r"shim/memory/map[^/]*\.", r"shim/merge/(?:diff|reduce)[^/]*\.", r"kernels/cache/",
                                r"transform/facts_(?:form|eval|condition|domain|recall|regions|shape|symbols)\.",
                                r"solver/search/(?!search\.c|search_work\.h|trial\.c|plan_file\.c|make_dissection\.c)")]

HEADERS = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]((?:CL/|cuda|pthread|threads|time\.h|sys/|unistd|fcntl|signal|dlfcn|'
                     r'device/|profiler/|base/(?:clock|lock|env|log)\.h)[^>"]*)', re.M)

# Memory, strings, arithmetic, sorting; printing to a FILE that the caller gave, and into memory.
SYMBOLS = set("""
abort __assert_fail __stack_chk_fail __cpu_model _GLOBAL_OFFSET_TABLE_
malloc calloc realloc free aligned_alloc posix_memalign reallocarray
memcpy memmove memset memcmp memchr strlen strcmp strncmp strcpy strncpy strcat strchr strrchr strstr strpbrk strspn strcspn
strnlen strdup strndup strcasecmp strncasecmp strtol strtoul strtoll strtoull strtod __isoc99_sscanf sscanf
__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isdigit isspace isalpha isalnum tolower toupper
qsort qsort_r bsearch abs labs llabs
snprintf vsnprintf fprintf vfprintf fputs fputc putc fwrite
__muloti4 __divti3 __udivti3 __umodti3 __modti3 __floattidf __floatuntidf __fixunsdfti __popcountdi2
""".split())
MATH = re.compile(r"^(ceil|floor|round|lround|llround|rint|lrint|trunc|sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|"
                  r"fmod|fabs|fmin|fmax|ldexp|frexp|hypot|isnan|isinf|nextafter|copysign|logb|ilogb|scalbn|erf|tgamma|"
                  r"lgamma_r|sin|cos|tan|tanh|__[a-z0-9]+_finite)[fl]?$")
OURS = re.compile(r"^(yk_array_|yk_arena_|yk_status_text|yk_hash_|yk_parse_bytes)")


def pure_files(names):
    return [n for n in names if n.endswith((".c", ".h")) and any(p.match(n) for p in PURE)]


def objects(root, sources, folder):
    """Compile SOURCES; returns {source: (defined, undefined, writable symbols)} and the problems met."""
    result, problems = {}, []
    for number, source in enumerate(sources):
        obj = os.path.join(folder, f"{number}.o")
        done = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-DCL_TARGET_OPENCL_VERSION=300",
                               "-O1", "-fPIC", "-w", "-I", root, "-c", os.path.join(root, source), "-o", obj],
                              capture_output=True, text=True)
        if done.returncode != 0:
            problems.append(f"{source}: does not compile by itself: {done.stderr.splitlines()[:1]}")
            continue
        defined, undefined, writable = set(), set(), set()
        table = subprocess.run(["objdump", "-t", obj], check=True, capture_output=True, text=True).stdout
        for line in table.splitlines():
            # value flags section size name; seven flag characters after the value
            match = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$", line)
            if not match:
                continue
            flags, section, symbol = match.groups()
            if section == "*UND*":
                undefined.add(symbol)
            elif re.match(r"(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)", section) and "d" not in flags:
                writable.add(symbol)
            elif flags[0] in "gu!" or flags[1] == "w":
                defined.add(symbol)
        result[source] = (defined, undefined, writable)
    return result, problems


def check(root):
    names = pure_files(repo.files(root))
    problems = []
    for name in names:
        for header in HEADERS.findall(repo.read(root, name)):
            problems.append(f"{name}: includes {header}: this part is pure")
    with tempfile.TemporaryDirectory() as folder:
        table, failed = objects(root, [n for n in names if n.endswith(".c")], folder)
    problems += failed
    pure = set().union(*(defined for defined, _, _ in table.values())) if table else set()
    for name, (_, undefined, writable) in table.items():
        for symbol in sorted(undefined - SYMBOLS - pure):
            if not MATH.match(symbol) and not OURS.match(symbol):
                problems.append(f"{name}: uses {symbol}: this part is pure")
        for symbol in sorted(writable):
            problems.append(f"{name}: {symbol} is a mutable global: this part is pure")
    return problems
