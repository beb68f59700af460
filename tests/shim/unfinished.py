#!/usr/bin/env python3
"""A driver that does not come to an end of a program's binary keeps no program from being divided: yoke-warm, which was ended over that once, leaves
the binary alone then, and later processes build from the source.

    unfinished.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
sys.dont_write_bytecode = True
import warming  # noqa: E402: not installed

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
PROCESSES = 8
FROM_SOURCE = b"from its source"


def run(env, home):
    done = subprocess.run([sys.argv[1]], env=env, capture_output=True, text=True, timeout=100, check=True).stdout
    if not warming.settle(home):
        sys.exit("yoke-warm does not end")
    return done


def main():
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        bare = run(env, home)
        yoke = dict(env, LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_JSON=f"{home}/json")
        folder, divided, binaries = f"{home}/cache/yoke/binary", [], []
        for _ in range(PROCESSES):
            if run(yoke, home) != bare:
                sys.exit("another answer")
            with open(f"{home}/json", encoding="utf-8") as summary:
                divided.append(json.load(summary)["launches"]["split"])
            kept = [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
            if not binaries:
                binaries = [path for path in kept if os.path.getsize(path) > 1000]
                if not binaries:
                    continue
                for path in kept:  # as if it had been ended while it asked for them
                    os.unlink(path)
                for path in binaries:
                    open(path + ".unfinished", "wb").close()
                divided = []
            elif divided[-1]:
                break
        print("binaries:", len(binaries), "divided launches of the processes after:", divided)
        if not binaries:
            sys.exit("yoke-warm has kept no binary")
        if not divided or not divided[-1]:
            sys.exit("no process was divided")
        for path in binaries:
            with open(path, "rb") as entry:
                if not entry.read().endswith(FROM_SOURCE):
                    sys.exit(f"{os.path.basename(path)} is a binary all the same")


main()
