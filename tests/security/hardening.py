"""How the binaries are linked: hardening.py BUILD-TYPE LIBRARY PROGRAM..."""
import os
import re
import subprocess
import sys


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True).stdout


def private(folder):
    """Nobody but root can put a library there."""
    if not folder.startswith("/"):
        return False
    st = os.stat(folder) if os.path.exists(folder) else None
    return st is None or (st.st_uid == 0 and not st.st_mode & 0o022)


def faults(path, build_type, library):
    dynamic, segments, symbols = readelf(path, "-d"), readelf(path, "-l"), readelf(path, "--dyn-syms")
    if not re.search(r"GNU_RELRO", segments) or not re.search(r"\bNOW\b", dynamic):
        yield "no full RELRO"
    if re.search(r"GNU_STACK.*E", segments):
        yield "an executable stack"
    if "TEXTREL" in dynamic:
        yield "text relocations"
    if re.search(r"LOAD .* RWE ", segments):
        yield "memory that is writable and executable"
    if not re.search(r"Type:\s+DYN", readelf(path, "-h")):
        yield "no position-independent code"
    if "__stack_chk_fail" not in symbols:
        yield "no stack protector"
    if build_type in ("Release", "RelWithDebInfo") and not re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols):
        yield "no fortified call"
    paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)
    for folder in [f for p in paths for f in p.split(":")]:
        if library:
            yield "RUNPATH"
        elif not private(folder):
            yield f"RUNPATH to a folder that is not root's alone: \"{folder}\""
    if library:
        needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
        if [n for n in needed if not re.match(r"libc\.|ld-linux", n)]:
            yield f"needs {needed}"
        if "NODELETE" not in dynamic:
            yield "can be unmapped under its own threads"


def main():
    build_type, library, *programs = sys.argv[1:]
    bad = [f"{p}: {fault}" for p in [library, *programs] for fault in faults(p, build_type, p == library)]
    # The test itself: this program has none of it.
    if not list(faults("/proc/self/exe", "Release", True)):
        bad.append("the python interpreter passes as a hardened library: the checks see nothing")
    print("\n".join(bad) or f"{1 + len(programs)} binaries are hardened")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
