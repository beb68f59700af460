#!/usr/bin/env python3
"""Of many yoke-warm processes only a few wait for their turn; the others end at once.

Environment: YOKE_TEST_BUILD the build folder."""
import fcntl
import os
import subprocess
import sys
import tempfile
import time

WARM = os.path.join(os.path.abspath(os.environ["YOKE_TEST_BUILD"]), "yoke-warm")
STARTED, PLACES = 30, 12


def main():
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        folder = f"{home}/cache/yoke/warm"
        os.makedirs(folder, mode=0o700)
        with open(f"{folder}/turn", "w", encoding="utf-8") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            started = [subprocess.Popen([WARM, "--mailboxes"], env=env) for _ in range(STARTED)]
            until = time.monotonic() + 60
            while sum(p.poll() is None for p in started) > PLACES and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(0.2)
            waiting = [p for p in started if p.poll() is None]
            ended = [p.returncode for p in started if p.returncode is not None]
        for p in waiting:  # it is their turn now, one after the other
            p.wait(timeout=60)
        print(len(waiting), "waited,", len(ended), "ended")
        sys.exit(0 if len(waiting) == PLACES and set(ended) == {1} else "not so many wait as have a place, or others did not end")


main()
