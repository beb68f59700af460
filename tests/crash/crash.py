#!/usr/bin/env python3
"""Running programs that PoCL 3.1 may end by itself (races in its kernel cache, an undefined symbol now and then): such a run is
printed and made again, three times in all. Every other end, and above all wrong bytes, is final.

    crash.py COMMAND...     that, with this command's own environment; the status is the last run's

Environment: YOKE_TEST_BUILD, the build folder. As a module: run(), which tests/diff, apps and programs use."""
import os
import re
import subprocess
import sys
import tempfile

RUNS = 3
OF_POCL = re.compile(r"^(libpocl|libLLVM|libclang)")


def library():
    return os.path.join(os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev")), "tests/crash/libcrash.so")


def in_pocl(log):
    """The line about a crash that came up inside PoCL; None: there was none, or it came up elsewhere."""
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    where = [re.match(r"crash: signal \d+ in (\S+) at ", line) for line in lines]
    return lines[0] if lines and all(w and OF_POCL.match(w[1]) for w in where) else None


def run(command, env, preload="", again=None, **options):
    """subprocess.run of COMMAND with ENV; PRELOAD: libraries for LD_PRELOAD, in front of the one that watches. AGAIN(): called
    before a run is made again, to remove what the one before has left."""
    for attempt in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "crash")
            preloads = ":".join(p for p in (preload, env.get("LD_PRELOAD", ""), library()) if p)
            done = subprocess.run(command, env=dict(env, LD_PRELOAD=preloads, YOKE_TEST_CRASH_LOG=log), check=False, **options)
            why = in_pocl(log) if done.returncode else None
        if not why or attempt == RUNS - 1:
            return done
        print(f"PoCL has ended {os.path.basename(command[0])} ({why}); it is run again", flush=True)
        if again:
            again()
    return None


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    status = run(sys.argv[1:], dict(os.environ)).returncode
    sys.exit(status if status >= 0 else 128 - status)
