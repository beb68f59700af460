#!/usr/bin/env python3
"""How many whole launches yoke runs beside one another on other devices, in programs that say what they want of them (beside.c).

    beside.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
PATIENCE_S = 200  # each process prepares the next one, as far as this machine's other work lets it


def elsewhere(home, how, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", OCL_ICD_VENDORS="pocl.icd", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache",
               XDG_DATA_HOME=f"{home}/data", LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_JSON=f"{home}/json", **more)
    subprocess.run([os.path.abspath(sys.argv[1]), how], env=env, check=True, timeout=200)
    with open(f"{home}/json", encoding="utf-8") as f:
        return json.load(f)["elsewhere"]


def main():
    bad = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        forced = {how: elsewhere(home, how, YOKE_BESIDE="force") for how in ("each", "free", "chain", "graph")}
        # A device that fails its third launch, and for ever: the primary carries them out.
        failing = elsewhere(home, "graph", YOKE_BESIDE="force", YOKE_FAULT="clEnqueueNDRangeKernel@1:3+=error(CL_OUT_OF_RESOURCES)")
        # Memory of their own: one buffer is all one chain then.
        apart = {own: elsewhere(home, "own", YOKE_BESIDE="force", YOKE_FAULT=own) for own in ("own@0", "own@1", "own@*")}
        off = elsewhere(home, "each", YOKE_BESIDE="off")
    for how, n in forced.items():
        if n < 12 * 24 // 4:
            bad.append(f"{how}: only {n} launches ran on another device")
    for own, n in apart.items():
        if not n:
            bad.append(f"{own}: no launch ran on another device")
    if not 0 < failing <= 4:
        bad.append(f"{failing} launches ran on a device that fails the third")
    if off:
        bad.append(f"off: {off} launches ran on another device")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # of yoke's own accord
        found, processes, end = 0, 0, time.monotonic() + PATIENCE_S
        while not found and time.monotonic() < end:
            found = elsewhere(home, "rounds")
            processes += 1
            time.sleep(0.5)
        end = time.monotonic() + PATIENCE_S
        while not (found_apart := elsewhere(home, "own", YOKE_FAULT="own@1")) and time.monotonic() < end:
            time.sleep(0.5)
        links = elsewhere(home, "links")
        asked = elsewhere(home, "rounds", YOKE_STRATEGY="single:0") + elsewhere(home, "rounds", YOKE_VERIFY="1")
    if not found_apart:
        bad.append("no launch ran on another device that has memory of its own")
    if not found:
        bad.append(f"after {processes} processes no launch ran on another device")
    if asked:
        bad.append(f"{asked} launches ran on another device although a strategy or comparing was asked for")
    if links:
        bad.append(f"{links} launches of a chain ran on another device")
    print(f"forced {forced}, with a device that fails {failing}, off {off}, memory of their own {apart}, by itself {found} in "
          f"process {processes}, beside memory of its own {found_apart}, of a chain {links}")
    sys.exit("\n".join(bad) if bad else 0)


main()
