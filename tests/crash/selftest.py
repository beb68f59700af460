#!/usr/bin/env python3
"""That crash.py runs again what PoCL has ended, and nothing else. Environment: YOKE_TEST_BUILD."""
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.environ["YOKE_TEST_BUILD"], "tests/crash")
RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crash.py")


def runs(culprit, how):
    """How often the victim ran, and the status of it all."""
    with tempfile.TemporaryDirectory() as folder:
        count = os.path.join(folder, "count")
        command = [sys.executable, RUNNER, os.path.join(FOLDER, "crash_victim"), os.path.join(FOLDER, culprit), how, count]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return os.path.getsize(count), done.returncode


def main():
    for culprit, how, expected in (("libpocl-of-the-test.so", "abort", (3, 134)), ("libpocl-of-the-test.so", "touch", (3, 139)),
                                   ("libyoke-of-the-test.so", "abort", (1, 134)), ("libyoke-of-the-test.so", "touch", (1, 139)),
                                   ("libpocl-of-the-test.so", "status", (1, 3))):
        found = runs(culprit, how)
        if found != expected:
            print(f"{culprit}, {how}: {found[0]} runs, status {found[1]}; {expected} was expected")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
