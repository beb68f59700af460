#!/usr/bin/env python3
"""How many small launches yoke runs as one, in programs that say what they want of them (gather.c).

    gather.py PROGRAM CHAINS        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])


def merged(home, program, *arguments, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache",
               XDG_DATA_HOME=f"{home}/data", LD_PRELOAD=os.path.join(BUILD, "libyoke.so"),
               YOKE_JSON=f"{home}/json", **{"POCL_DEVICES": "basic", **settings})
    subprocess.run([os.path.abspath(program), *arguments], env=env, check=True, timeout=200)
    with open(f"{home}/json", encoding="utf-8") as f:
        return json.load(f)["merged"]


def by_worker(home, program):
    """How many launches right behind a blocking write came to the queue's worker, one by one, to be decided on."""
    trace = f"{home}/trace.json"
    merged(home, program, "behind", POCL_DEVICES="basic basic", YOKE_FAULT="own@*;gpu@*", YOKE_RING="ask", YOKE_GATHER="off", YOKE_TRACE=trace)
    with open(trace, encoding="utf-8") as f:
        return sum('"cat":"decision"' in line and '"ph":"X"' in line for line in f)


def main():
    bad = []
    with tempfile.TemporaryDirectory() as home:
        alone, mixed, many, piled, late = (merged(home, sys.argv[1], how, YOKE_GATHER="force")
                                           for how in ("alone", "mixed", "many", "piled", "late"))
        # PoCL's `basic` runs a queue when somebody waits for it, and so never two at once.
        windows = merged(home, sys.argv[1], "windows", POCL_DEVICES="pthread", YOKE_GATHER="force")
        long = merged(home, sys.argv[1], "long", POCL_DEVICES="basic basic", YOKE_GATHER="force")
        # Where the device is taken for a GPU's, by itself: queues hold nothing for a while after windows that were chains.
        chains = merged(home, sys.argv[2], "1", "9", YOKE_FAULT="own@*;gpu@*")
        merged(home, sys.argv[2], "2", "2", YOKE_GATHER="force")
        decided = by_worker(home, sys.argv[1])
    # Windows may end early where this machine is busy, so that fewer are merged, in more.
    # In one that ends right behind the launch with an event, more than a few have one.
    if not 0 < alone["launches"] <= 20 * 31 + max(alone["as"] - 20, 0):
        bad.append(f"the launch that is waited for shares another's: {alone}")
    if mixed["launches"] < 20 * 24 or mixed["as"] * 12 > mixed["launches"]:
        bad.append(f"launches of four kernels are not one: {mixed}")
    if many["launches"] < 3 * 50000:
        bad.append(f"few of many launches are merged: {many}")
    if windows["launches"] < 20 * 3000:
        bad.append(f"few of launches that hardly depend on one another are merged: {windows}")
    if piled["launches"] < 20 * 24:
        bad.append(f"launches that piled up behind another are not merged: {piled}")
    if late["launches"] < 20 * 16:
        bad.append(f"launches between others are not merged: {late}")
    if long["launches"] < 20 * 4:
        bad.append(f"launches that could be divided are not merged: {long}")
    if decided > 200 * 32 // 20:
        bad.append(f"{decided} of 6400 launches behind blocking writes went by way of the worker")
    if not 0 < chains["launches"] < 100000:
        bad.append(f"of launches that depend on one another as many are merged as if they did not, or none: {chains}")
    print(alone, mixed, many, windows, piled, late, long, chains, decided)
    sys.exit("\n".join(bad) if bad else 0)


main()
