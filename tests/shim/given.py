#!/usr/bin/env python3
"""Launches over buffers in the program's memory are divided wherever it begins. The program checks its own numbers.

    given.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

import alone

ROUNDS, PLACES = 10, 6
CASES = ({"YOKE_FORCE_SPLIT": "1"}, {"YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "0:100"}, {"YOKE_FORCE_SPLIT": "1", "YOKE_FAULT": "own@*"},
         {"YOKE_FORCE_SPLIT": "1", "YOKE_FAULT": "own@1"}, {"YOKE_FORCE_SPLIT": "1", "YOKE_FAULT": "own@*", "YOKE_FLIGHT": "force"})


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as home:
        alone.folders(home)
        for setting in CASES:
            done = subprocess.run([os.path.abspath(sys.argv[1]), str(ROUNDS)], env=alone.environment(home, setting), capture_output=True, text=True, timeout=100)
            with open(home + "/summary.json", encoding="utf-8") as f:
                split = json.load(f)["launches"]["split"]
            print(f"{setting}: status {done.returncode}, {split} divided")
            if done.returncode or split != ROUNDS * PLACES:
                wrong.append(f"{setting}: status {done.returncode}, {split} divided, not {ROUNDS * PLACES}: {done.stderr}")
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
