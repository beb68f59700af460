#!/usr/bin/env python3
"""Two queues in one buffer, on devices with memory of their own: right, and divided where the program waits for the one queue before it uses
the other, has the other wait for it by an event, or both only read what they share. The program checks its own numbers.

    halves.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

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
    with tempfile.TemporaryDirectory() as home:
        alone.folders(home)
        for mode, setting, least, most in CASES:
            env = alone.environment(home, setting)
            done = subprocess.run([os.path.abspath(sys.argv[1]), mode], env=env, capture_output=True, text=True, timeout=100)
            with open(home + "/summary.json", encoding="utf-8") as f:
                split = json.load(f)["launches"]["split"]
            print(f"{mode}, {setting}: status {done.returncode}, {split} divided")
            if done.returncode or not least <= split <= most:
                wrong.append(f"{mode}, {setting}: status {done.returncode}, {split} divided, not {least} to {most}: {done.stderr}")
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
