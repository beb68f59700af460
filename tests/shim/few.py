#!/usr/bin/env python3
"""Few work-items that take long are divided between CPU devices, once yoke knows the program; and yoke-warm, which runs its kernel on zeros to have
it compiled, comes to an end of that: the kernel goes on by the size of the whole range.

    few.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
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


def main():
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        bare = subprocess.run([sys.argv[1]], env=env, capture_output=True, text=True, timeout=100, check=True).stdout
        yoke = dict(env, LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_JSON=f"{home}/json")
        divided = []
        for _ in range(PROCESSES):
            done = subprocess.run([sys.argv[1]], env=yoke, capture_output=True, text=True, timeout=100, check=True).stdout
            if done != bare:
                sys.exit(f"another answer: {done} instead of {bare}")
            with open(f"{home}/json", encoding="utf-8") as summary:
                divided.append(json.load(summary)["launches"]["split"])
            if not warming.settle(home):
                sys.exit("yoke-warm does not end")
            if divided[-1]:
                break
        tried = [name for _, _, names in os.walk(f"{home}/cache") for name in names if name.endswith(".attempts")]
        print("divided launches of the processes:", divided)
        if not divided[-1]:
            sys.exit("six work-groups that take milliseconds each are divided in no process")
        if tried:
            sys.exit(f"yoke-warm did not come to an end of {len(tried)} kernels")


main()
