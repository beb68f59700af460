#!/usr/bin/env python3
"""never_slower.py [--build DIR] [--devices LIST;...] [--bare-device N] [--states S,...] [--only APP,...] [--rounds N] [--size NAME]
                [--keep FILE]

Is any program slower under yoke than on the fastest device alone? Every program of bench/apps, bare and under yoke by turns, whole
processes from start to end with --no-verify: input, context, build, launches, exit. Bare runs have one device of PoCL (basic), runs
under yoke the devices of the list, in auto mode. The ratio is bare time over yoke's, of each pair of runs; a program's is the median.
The list `machine` is the machine's own devices, as the environment names them (POCL_DEVICES, OCL_ICD_VENDORS, ...), for both; bare
runs have the one that --bare-device names, in the loader's order: a GPU beside its machine's CPU, whose driver a program that uses
the GPU alone finds, but does not start.

States: first  all caches (PoCL's, yoke's) and yoke's measurements are empty before each run
        again  as the run before of the same kind has left them

--keep FILE: results of earlier calls with the same file count too, so that a long measurement can be made in pieces. Ends with
`figure never_slower.worst`, the least of all programs, devices and states measured, and one figure per devices and state.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import warming  # noqa: E402: beside us, not installed

APPS = ("aes_encrypt aes_decrypt binomial_option black_scholes histogram matrix_multiply matrix_transpose quasi_random "
        "reduction scan vector_add stencil2d nbody bfs spmv kmeans convolution").split()
LIMIT = 300  # seconds
MACHINE = "machine"


def environment(folder, devices):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("YOKE_") and k != "LD_PRELOAD"
           and (devices == MACHINE or not k.startswith(("POCL_", "OCL_", "OPENCL_")))}
    if devices != MACHINE:
        env["POCL_DEVICES"] = devices
    for variable, name in (("POCL_CACHE_DIR", "pocl"), ("CUDA_CACHE_PATH", "cuda"), ("XDG_CACHE_HOME", "cache"),
                           ("XDG_DATA_HOME", "data")):
        env[variable] = os.path.join(folder, name)
        os.makedirs(env[variable], mode=0o700, exist_ok=True)
    return env


def seconds(command, env):
    """Wall time and processor time (with all children) of one process; None where it failed."""
    began = time.monotonic()
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    wall = time.monotonic() - began
    if status:
        print(f"  {' '.join(command)}: status {status} {said.decode(errors='replace')[-300:]}", file=sys.stderr)
        return None
    return wall, used.ru_utime + used.ru_stime


class Runner:
    """One way (bare or under yoke) of one program, in one state of the caches."""

    def __init__(self, command, devices, library, state):
        self.command, self.devices, self.library, self.state = command, devices, library, state
        self.folder = tempfile.mkdtemp(prefix="never-slower-")
        if state == "again":
            self.run()
            self.run()

    def run(self):
        if self.state == "first":
            shutil.rmtree(self.folder)
        env = environment(self.folder, self.devices)
        if self.library:
            env["LD_PRELOAD"] = self.library
        for _ in range(3):  # PoCL 3.1 aborts by itself now and then
            result = seconds(self.command, env)
            while not warming.settle(self.folder):
                print("yoke-warm is still at work", file=sys.stderr)
            if result:
                return result
        sys.exit("never_slower: a program failed three times")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(args, app, devices, state):
    command = [os.path.join(args.build, "bench/apps", app), "--size", args.size, "--no-verify"]
    alone = (command + ["--device", args.bare_device], MACHINE) if devices == MACHINE else (command, "basic")
    ways = [Runner(*alone, None, state), Runner(command, devices, os.path.join(args.build, "libyoke.so"), state)]
    bare, yoke = [], []
    for i in range(args.rounds):
        pair = {}
        for way in ((0, 1), (1, 0))[i % 2]:  # neither is always the one that finds the machine warm
            pair[way] = ways[way].run()
        bare.append(pair[0])
        yoke.append(pair[1])
    for way in ways:
        way.close()
    ratios = [b[0] / y[0] for b, y in zip(bare, yoke)]
    return {"bare_ms": 1e3 * statistics.median(b[0] for b in bare), "yoke_ms": 1e3 * statistics.median(y[0] for y in yoke),
            "bare_cpu_ms": 1e3 * statistics.median(b[1] for b in bare),
            "yoke_cpu_ms": 1e3 * statistics.median(y[1] for y in yoke),
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios), "rounds": args.rounds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=os.path.abspath)
    parser.add_argument("--devices", default="basic;basic basic")
    parser.add_argument("--bare-device", default="0", help="of the machine's own devices, in the loader's order")
    parser.add_argument("--states", default="first,again")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", default="table2")
    parser.add_argument("--keep")
    args = parser.parse_args()
    found = {}
    if args.keep and os.path.exists(args.keep):
        with open(args.keep, encoding="utf-8") as file:
            found = json.load(file)
    print(f"{'program':18}{'devices':14}{'state':7}{'bare ms':>9}{'yoke ms':>9}{'ratio':>8}{'from':>7}{'to':>7}"
          f"{'bare cpu':>10}{'yoke cpu':>10}")
    for app in args.only.split(",") if args.only else APPS:
        for devices in args.devices.split(";"):
            for state in args.states.split(","):
                r = found[f"{app}/{devices}/{state}"] = measure(args, app, devices, state)
                print(f"{app:18}{devices:14}{state:7}{r['bare_ms']:9.1f}{r['yoke_ms']:9.1f}{r['ratio']:8.3f}{r['least']:7.2f}"
                      f"{r['most']:7.2f}{r['bare_cpu_ms']:10.1f}{r['yoke_cpu_ms']:10.1f}", flush=True)
                if args.keep:
                    with open(args.keep, "w", encoding="utf-8") as file:
                        json.dump(found, file, indent=1)
    groups = {}
    for key, r in found.items():
        _, devices, state = key.split("/")
        groups.setdefault(f"{devices if devices == MACHINE else len(devices.split())}.{state}", []).append((r["ratio"], key))
    for name, members in sorted(groups.items()):
        print(f"figure never_slower.{name} {min(members)[0]:.3f} ratio")
    least, where = min(min(members) for members in groups.values())
    print(f"{len(found)} measured; the worst is {where}")
    print(f"figure never_slower.worst {least:.3f} ratio")


if __name__ == "__main__":
    main()
