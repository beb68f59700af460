#!/usr/bin/env python3
"""A launch that goes whole to the primary, behind one that was divided over two devices with memory of their own: what it overwrites
is not brought, what it reads, or may leave as it is, is. The program checks its own bytes.

    overwrite.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
N, ROUNDS = 4096, 20
HALF = 2 * 4 * N // 2  # what the second device has written, to the host and from there
# The second kernel, its work-items, and the bytes that have to be brought for it.
CASES = (("put", N, 0), ("put", N // 2, HALF), ("more", N, HALF), ("some", N, HALF), ("late", N, HALF))


def run(program, arguments, home):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data",
               LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_FAULT="own@*",
               YOKE_JSON=home + "/summary.json")
    done = subprocess.run([program, *arguments], env=env, capture_output=True, text=True, timeout=100)
    with open(home + "/summary.json") as f:
        return done, json.load(f)


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        for kernel, items, each in CASES:
            done, summary = run(os.path.abspath(sys.argv[1]), (kernel, str(items)), home)
            moved, split = summary["bytes_moved"], summary["launches"]["split"]
            print(f"{kernel} {items}: {done.stdout.strip()}, {split} split, {moved} bytes moved, {ROUNDS * each} needed")
            if done.returncode or split != ROUNDS:
                wrong.append(f"{kernel} {items}: status {done.returncode}, {split} split: {done.stdout}{done.stderr}")
            if not ROUNDS * each <= moved < ROUNDS * each + HALF:
                wrong.append(f"{kernel} {items}: {moved} bytes moved, {ROUNDS * each} needed")
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
