#!/usr/bin/env python3
"""Launches over buffers in the program's memory are divided wherever it begins. The program checks its own numbers.

    given.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

import alone

ROUNDS, PLACES = 10, 6
CASES = ({}, {"YOKE_STRATEGY": "0:100"}, {"YOKE_FAULT": "own@*"}, {"YOKE_FAULT": "own@1"}, {"YOKE_FAULT": "own@*", "YOKE_FLIGHT": "force"})


def main():
    wrong = []
    with alone.home() as home:
        for case in CASES:
            done, summary = alone.run(home, {"YOKE_FORCE_SPLIT": "1", **case}, sys.argv[1], str(ROUNDS))
            said = f"{case}: status {done.returncode}, {summary['launches']['split']} of {ROUNDS * PLACES} divided"
            print(said)
            if done.returncode or summary["launches"]["split"] != ROUNDS * PLACES:
                wrong.append(f"{said}: {done.stderr}")
    alone.end(wrong)


main()
