#!/usr/bin/env python3
"""Programs that are linked from compiled parts compute what they compute bare, and are split where it is known what of: not where a part is
somebody's binary, where the link or the parts have options that differ, or where two parts mean different things by one name.

    linked.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
SPLIT = ("parts", "library", "alone", "files", "save", "load")
WHOLE = ("own", "options", "linked_so", "reloaded")


def run(home, yoke, how):
    """What the program prints, and of its launches how many were split."""
    name = "yoke" if yoke else "bare"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic" if yoke else "basic", POCL_CACHE_DIR=f"{home}/pocl-{name}", XDG_CACHE_HOME=f"{home}/cache",
               XDG_DATA_HOME=f"{home}/data")
    if yoke:
        env.update(LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_JSON=f"{home}/json")
    command = [os.path.abspath(sys.argv[1]), how] + ([f"{home}/{name}/binary"] if how in ("save", "load") else [])
    done = subprocess.run(command, env=env, cwd=f"{home}/{name}", capture_output=True, text=True, timeout=100)
    if done.returncode:
        sys.exit(f"{name}, {how}: status {done.returncode} {done.stdout}{done.stderr}")
    if not yoke:
        return done.stdout + done.stderr, 0
    with open(f"{home}/json", encoding="utf-8") as f:
        return done.stdout + done.stderr, json.load(f)["launches"]["split"]


def main():
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for name in ("pocl-bare", "pocl-yoke", "cache", "data", "bare", "yoke"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "linked.c"), encoding="utf-8") as f:
            text = f.read().split("shared[] =", 1)[1].split(";\n\n", 1)[0]
        for name in ("bare", "yoke"):
            with open(f"{home}/{name}/shared.h", "w", encoding="utf-8") as f:
                f.write("".join(line.strip()[1:-1].replace("\\n", "\n") for line in text.strip().splitlines()))
        time.sleep(0.05)  # older than a tick of the clock that files are dated by
        for how in SPLIT + WHOLE:
            bare, split = run(home, False, how)[0], 0
            yoke, split = run(home, True, how)
            if yoke != bare:
                wrong.append(f"{how}: {yoke!r} instead of {bare!r}")
            if (split > 0) != (how in SPLIT):
                wrong.append(f"{how}: {split} launches were split")
    print("\n".join(f"WRONG: {w}" for w in wrong) or "the same as bare, and split where it may be")
    sys.exit(1 if wrong else 0)


main()
