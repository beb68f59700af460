#!/usr/bin/env python3
"""Behind a split launch, the first small ones of its kernel have nothing compiled for them, as on the bare driver; what is launched often
runs by the program's own kernel in the end. Both compute what bare computes.

    form.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
FEW, MANY = "9", "200"


def run(program, small, yoke):
    """What it prints, and how many kernels PoCL has compiled for it."""
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic basic" if yoke else "basic", POCL_CACHE_DIR=f"{home}/pocl",
                   XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        if yoke:
            env.update(LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even")
        done = subprocess.run([program, small], env=env, capture_output=True, text=True, timeout=100)
        if done.returncode:
            sys.exit(f"{'yoke' if yoke else 'bare'}, {small} small launches: {done}")
        compiled = sum(name.endswith(".so") for _, _, names in os.walk(f"{home}/pocl") for name in names)
        return done.stdout, compiled


def main():
    program = os.path.abspath(sys.argv[1])
    wrong, count = [], {}
    for small in ("0", FEW, MANY):
        bare, yoke = (run(program, small, how) for how in (False, True))
        count[small] = yoke[1]
        if bare[0] != yoke[0]:
            wrong.append(f"{small} small launches: {yoke[0]!r} instead of {bare[0]!r}")
    print(f"compiled: {count}")
    if not count["0"] or count[FEW] != count["0"]:
        wrong.append(f"for {FEW} small launches {count[FEW] - count['0']} kernels were compiled besides")
    if count[MANY] <= count[FEW]:
        wrong.append(f"{MANY} small launches never ran by the program's own kernel")
    print("\n".join(f"WRONG: {w}" for w in wrong) or "the same as bare, and compiled once")
    sys.exit(1 if wrong else 0)


main()
