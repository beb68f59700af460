#!/usr/bin/env python3
"""A launch that goes whole to the primary, behind one that was divided over two devices with memory of their own: what it overwrites
is not brought, what it reads, or may leave as it is, is. The program checks its own bytes.

    overwrite.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

import alone

SETTING = {"YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "even", "YOKE_FAULT": "own@*"}
N, ROUNDS = 4096, 20
HALF = 2 * 4 * N // 2  # what the second device has written, to the host and from there
# The second kernel, its work-items, and the bytes that have to be brought for it.
CASES = (("put", N, 0), ("put", N // 2, HALF), ("more", N, HALF), ("some", N, HALF), ("late", N, HALF))


def main():
    wrong = []
    with alone.home() as home:
        for kernel, items, each in CASES:
            done, summary = alone.run(home, SETTING, sys.argv[1], kernel, str(items))
            moved, split = summary["bytes_moved"], summary["launches"]["split"]
            print(f"{kernel} {items}: {done.stdout.strip()}, {split} split, {moved} bytes moved, {ROUNDS * each} needed")
            if done.returncode or split != ROUNDS:
                wrong.append(f"{kernel} {items}: status {done.returncode}, {split} split: {done.stdout}{done.stderr}")
            if not ROUNDS * each <= moved < ROUNDS * each + HALF:
                wrong.append(f"{kernel} {items}: {moved} bytes moved, {ROUNDS * each} needed")
    alone.end(wrong)


main()
