#!/usr/bin/env python3
"""Two queues in one buffer, on devices with memory of their own: right, and divided where the program waits for the one queue before it uses
the other, has the other wait for it by an event, or both only read what they share. The program checks its own numbers.

    halves.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

import alone

LAUNCHES = 120
OWN = {"YOKE_FAULT": "own@*"}
# How the queues are used, the setting, and the launches that are divided at least and at most.
CASES = (("once", {"YOKE_FORCE_SPLIT": "1", **OWN}, 0, LAUNCHES - 40), ("once", {"YOKE_FORCE_SPLIT": "1", "YOKE_MERGE": "difference", **OWN}, 0, LAUNCHES - 40),
         ("once", {"YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "30:70", "YOKE_FAULT": "own@1"}, 0, LAUNCHES - 40),
         ("once", {"YOKE_BESIDE": "force", "YOKE_GATHER": "off", **OWN}, 0, 0), ("once", {"YOKE_FORCE_SPLIT": "1"}, LAUNCHES, LAUNCHES),
         ("turns", {"YOKE_FORCE_SPLIT": "1", **OWN}, LAUNCHES, LAUNCHES), ("events", {"YOKE_FORCE_SPLIT": "1", **OWN}, LAUNCHES, LAUNCHES),
         ("apart", {"YOKE_FORCE_SPLIT": "1", **OWN}, LAUNCHES, LAUNCHES))


def main():
    wrong = []
    with alone.home() as home:
        for mode, setting, least, most in CASES:
            done, summary = alone.run(home, setting, sys.argv[1], mode)
            said = f"{mode}, {setting}: status {done.returncode}, {summary['launches']['split']} divided"
            print(said)
            if done.returncode or not least <= summary["launches"]["split"] <= most:
                wrong.append(f"{said}, not {least} to {most}: {done.stderr}")
    alone.end(wrong)


main()
