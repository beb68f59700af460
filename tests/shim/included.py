#!/usr/bin/env python3
"""A program that includes a file computes what the primary compiled, whatever has become of that file before yoke or another device
reads it; and where nothing has become of it, it is split, from its binary too.

    included.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
LAYER, COUNTCHECK = (os.path.join(BUILD, "tests/count", name) for name in ("libyokecount.so", "countcheck"))
UNREAD = {"YOKE_TRANSFORM": "/bin/false", "YOKE_LOG": "error"}  # a process that has no transformer


def forget():
    for name in UNREAD:
        os.environ.pop(name, None)


def headers(folder, factor):
    """factor.h here and, another, elsewhere; older than a tick of the clock that files are dated by."""
    os.makedirs(f"{folder}/elsewhere", exist_ok=True)
    for path, value in (("factor.h", factor), ("elsewhere/factor.h", 9)):
        with open(os.path.join(folder, path), "w") as f:
            f.write(f"#define FACTOR {value}\n")
    time.sleep(0.05)


def run(home, yoke, how, log=None):
    name = "yoke" if yoke else "bare"
    folder = f"{home}/{name}"
    env = {k: v for k, v in os.environ.items() if k in UNREAD or not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic" if yoke else "basic", POCL_CACHE_DIR=f"{home}/pocl-{name}",
               XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
    if yoke:
        env.update(LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even")
    if log:
        env.update(OPENCL_LAYERS=LAYER, YOKE_COUNT_LOG=log)
    command = [os.path.abspath(sys.argv[1]), how] + ([f"{folder}/binary"] if how in ("save", "load") else [])
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout.strip() + done.stderr.strip()


def main():
    wrong = []
    forget()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for name in ("pocl-bare", "pocl-yoke", "cache", "data", "bare", "yoke"):
            os.makedirs(f"{home}/{name}", mode=0o700)

        def both(what, how, factor, **logs):
            results = []
            for yoke in (False, True):
                if factor:
                    headers(f"{home}/{'yoke' if yoke else 'bare'}", factor)
                results.append(run(home, yoke, how, logs.get("yoke" if yoke else "bare")))
            bare, yoke = results
            if bare[0] or not bare[1].startswith("plain "):
                sys.exit(f"bare, {what}: {bare}")
            if yoke != bare:
                wrong.append(f"{what}: {yoke} instead of {bare}")

        def split(what, how, factor):
            logs = [f"{home}/{name}-{how}.log" for name in ("bare", "yoke")]
            both(what, how, factor, bare=logs[0], yoke=logs[1])
            done = subprocess.run([COUNTCHECK, "--bare", logs[0], "--split-at-least", "16", logs[1]], capture_output=True, text=True)
            if done.returncode:
                wrong.append(f"{what}: not split: {done.stdout}{done.stderr}")

        both("rewritten after the build", "rewrite", 3)
        both("another folder after the build", "elsewhere", 4)
        split("as it is", "plain", 3)
        both("another by the next run", "plain", 6)
        both("saved", "save", 3)
        split("loaded as it was saved", "load", None)
        # Given out by a process that does not know yet what its source includes: the transformer was not to be had.
        os.environ.update(UNREAD)
        both("saved unread", "save", 5)
        forget()
        split("loaded as it was saved unread", "load", None)
        both("another by the time the binary is loaded", "plain", 7)
        both("loaded after that", "load", None)
        os.environ.update(UNREAD)
        both("saved unread again", "save", 3)
        forget()
        both("and another file by the time that it is loaded", "plain", 2)
        both("loaded", "load", None)
    print("\n".join(f"WRONG: {w}" for w in wrong) or "the same as bare, and split")
    sys.exit(1 if wrong else 0)


main()
