#!/usr/bin/env python3
"""Which buffers lie on a device that has room for a few of them only (bench/larger): those that are used again and again come,
others that are not used any more leave for them, and buffers that take turns do not drive each other out.

    evict.py LARGER          Environment: YOKE_TEST_BUILD the build folder."""
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])


def run(evict, how, times):
    """Launches over windows and over what came; buffers that came and that left."""
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data",
                   LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FAULT="gpu@*", YOKE_MEMORY="host", YOKE_MEMORY_LIMIT="0=16M",
                   YOKE_EVICT=evict, YOKE_SUMMARY="1", YOKE_LOG="info")
        # 2 MiB each; the first four stay on the device, of the others there is room for two.
        done = subprocess.run([os.path.abspath(sys.argv[1]), "--gib", "0.03125", "--buffers", "16", how, str(times)], env=env,
                              capture_output=True, text=True, timeout=200, check=False)
    if done.returncode or "every number is right" not in done.stdout:
        sys.exit(f"{evict} {how}: {done.returncode}\n{done.stdout}{done.stderr}")
    over = [sum(int(n) for n in re.findall(rf"^yoke: +(\d+) whole: it ran over {what}", done.stderr, re.M))
            for what in ("windows", "buffers that had come")]
    return over + [len(re.findall(rf"^yoke: a buffer of \d+ bytes {what}", done.stderr, re.M)) for what in ("comes", "leaves")]


def main():
    bad = []
    off, auto, force = (run(evict, "--shifting", 12) for evict in ("off", "auto", "force"))
    turns = run("auto", "--turns", 4)
    if off[1:] != [0, 0, 0]:
        bad.append(f"off: {off}")
    # Of the twelve that stay on the host each is made and changed in windows, and checked; then changed twelve times.
    if not 12 * 12 <= off[0] <= 12 * 15 or auto[0] > off[0] // 3 or auto[0] + auto[1] != off[0] or not 8 <= auto[2] <= 14:
        bad.append(f"those that are used go on being seen through windows: off {off}, auto {auto}")
    if force[0] or force[2] < 12:
        bad.append(f"force: {force}")
    if turns[3]:
        bad.append(f"buffers that take turns drive each other out: {turns}")
    print(off, auto, force, turns)
    sys.exit("\n".join(bad) if bad else 0)


main()
