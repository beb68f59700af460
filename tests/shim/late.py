#!/usr/bin/env python3
"""A launch that begins while another device is still being built for waits for that one only as long as there is something left to do: the
first device takes its share. And where that one then fails, at whichever of its pieces, the launch is right all the same: the other may have come when
all had been taken, and has no kernel to start again with.

    late.py PROGRAM [own]  one of bench/apps. own: the second device has memory of its own, and is brought what it lacks when it comes; nobody takes
                           from its share then, but all of it, where it is not there when the first is done.
Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
HANG_MS = 5000
COMES_MS = 400  # late, but while the launch is still under way
PROCESSES = 10
OWN = sys.argv[2:] == ["own"]
MODEL = "own@1" if OWN else ""
PIECES = 1 if OWN else 16  # as many and more than the first device takes of that launch


def warming():
    return subprocess.run(["pgrep", "-x", "-r", "D,R,S", "yoke-warm"], capture_output=True, check=False).returncode == 0


def run(program, home, fault="", hang_ms=HANG_MS):
    """The time of its launches, of its first one whether it was divided and with whom, and in the latter whether the second device ran something."""
    trace = f"{home}/trace.json"
    if os.path.exists(trace):
        os.unlink(trace)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data",
               LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_TRACE=trace)
    script = ";".join(item for item in (MODEL, fault) if item)
    if script:
        env.update(YOKE_FAULT=script, YOKE_FAULT_HANG_MS=str(hang_ms))
    done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=200)
    with open(trace, encoding="utf-8") as f:
        events = json.load(f)
    decision = next(e["args"] for e in events if e.get("cat") == "decision")
    tracks = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"].startswith("device 1")}
    decision["came"] = any(e.get("cat") == "run" and (e["pid"], e["tid"]) in tracks for e in events)
    if done.returncode or "result=OK" not in done.stdout:
        if "error" in fault and not decision["split"]:
            return None, decision  # on a busy machine it may go whole: then the failure is the program's to see
        sys.exit(f"{fault or 'as it is'}: {done}")
    for _ in range(100):  # what it has left to be compiled
        if not warming():
            break
        time.sleep(0.1)
    return float(re.search(r"time_ms=([0-9.]+)", done.stdout)[1]), decision


def is_late(decision):
    return any(share["late"] for share in decision["shares"])


def divided(program, home, fault="", wanted=lambda decision: True):
    """The first run of some whose launch is divided, and WANTED; None: there is none. What a busy machine has made yoke learn (that one device is faster) is
    forgotten then, and they are tried once more."""
    for again in range(3):
        if again:
            shutil.rmtree(f"{home}/data")
            os.makedirs(f"{home}/data", mode=0o700)
            divided_once(program, home)
        found = divided_once(program, home, fault, wanted)
        if found:
            return found
    return None


def divided_once(program, home, fault="", wanted=lambda decision: True):
    runs = (run(program, home, fault, COMES_MS) for _ in range(PROCESSES))
    return next((r for r in runs if r[0] is not None and r[1]["split"] and wanted(r[1])), None)


def main():
    program, late = os.path.abspath(sys.argv[1]), 0
    comes = "clBuildProgram@1=hang"
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        divided(program, home)
        for _ in range(PROCESSES):
            ms, decision = run(program, home, comes)
            late += decision["split"] and is_late(decision)
            print(f"{ms:.0f} ms, {'divided' if decision['split'] else decision['reason']}")
            if ms >= HANG_MS:
                sys.exit("WRONG: it waited for a device that was not ready")
            if late == 2:
                break
        if OWN:  # the launch lasts longer than that
            found = divided(program, home, comes, lambda decision: is_late(decision) and decision["came"])
            if not found:
                sys.exit(f"WRONG: a device that comes {COMES_MS} ms late ran nothing of any launch")
            print(f"{found[0]:.0f} ms where it comes after {COMES_MS} and runs its share")
        for n in range(1, PIECES + 1):
            fault = f"{comes};clEnqueueNDRangeKernel@0:{n}=error(-5)"
            found = divided(program, home, fault)
            if not found:
                sys.exit(f"WRONG: no launch was divided where the first device fails at its piece {n}")
            print(f"{found[0]:.0f} ms where the first device fails at its piece {n}")
    sys.exit(0 if late else "WRONG: no launch was divided with a device that was still being built for")


main()
