#!/usr/bin/env python3
"""A program of bench/apps under libyoke.so: it passes its own verification and leaves the bytes it leaves bare, with every
number of devices and every strategy; and its launches really are split (seen below yoke, by tests/count).

    apps.py NAME [--whole-because TEXT] [--oclgrind] [options of the program...]

--whole-because TEXT: no launch need be split if yoke's summary says TEXT. --oclgrind: also with Oclgrind as second platform (slow;
for programs without inexact operations, which strict numerics may split over both).
Environment: YOKE_TEST_BUILD, the build folder. Status 0: all so; 1: not."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
COUNT = os.path.join(BUILD, "tests/count/libyokecount.so")
CHECK = os.path.join(BUILD, "tests/count/countcheck")
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
RUNS = [("basic", "even"), ("basic basic", "even"), ("basic basic", "70:30"), ("basic basic", "linear"),
        ("basic basic basic", "even"), ("basic basic basic", "50:30:20"), ("basic basic basic", "linear")]
SMALLEST_SHARE = 20  # per cent, of `even` on two devices
SECONDS = 200


class Program:
    def __init__(self, name, options):
        self.name, self.command = name, [os.path.join(BUILD, "bench/apps", name), "--size", "small", *options]
        self.folder = os.path.join(BUILD, "tests/apps/work", "-".join([name, *(o.strip("-") for o in options)]))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_")) and k != "LD_PRELOAD"}
        for variable, folder in (("POCL_CACHE_DIR", "pocl"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
            path = os.path.join(self.folder, folder)
            os.makedirs(path, mode=0o700)
            self.environment[variable] = path

    def run(self, label, environment, preload):
        """Returns the hash that the program prints, and what it and yoke wrote; raises AssertionError."""
        env = dict(self.environment, OPENCL_LAYERS=COUNT, YOKE_COUNT_LOG=self.log(label), **environment)
        yoke = os.path.join(BUILD, "libyoke.so") if preload else ""

        def again():
            if os.path.exists(self.log(label)):
                os.remove(self.log(label))

        done = crash.run(self.command, env, yoke, again, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        match = re.search(r"result=OK hash=([0-9a-f]{16})", done.stdout)
        assert done.returncode == 0 and match, f"status {done.returncode}\n{done.stdout}{done.stderr}"
        return match[1], done.stderr

    def log(self, label):
        return os.path.join(self.folder, label + ".log")

    def launches(self, label):
        done = subprocess.run([CHECK, "--json", "--bare", self.log("bare"), self.log(label)], capture_output=True, text=True,
                              check=False)
        found = json.loads(done.stdout)["launches"] if done.stdout else []
        wrong = [launch["kernel"] for launch in found if not launch["ok"]]
        assert done.returncode == 0 and found and not wrong, f"what reached the drivers is not what was launched: {wrong} {done.stderr}"
        return found

    def vendors(self):
        folder = os.path.join(self.folder, "vendors")
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir("/etc/OpenCL/vendors"):
            if "pocl" in name:
                shutil.copy(os.path.join("/etc/OpenCL/vendors", name), folder)
        with open(os.path.join(folder, "oclgrind.icd"), "w", encoding="ascii") as file:
            file.write(OCLGRIND + "\n")
        return folder


def check(program, devices, strategy, bare_hash, because):
    label = f"{devices} {strategy}".replace(" ", "_")
    environment = {"POCL_DEVICES": devices.replace(" +oclgrind", ""), "YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": strategy,
                   "YOKE_SUMMARY": "1"}
    count = len(devices.split())
    if "+oclgrind" in devices:
        environment.update(OCL_ICD_VENDORS=program.vendors(), YOKE_PRIMARY="basic")
    hashed, summary = program.run(label, environment, True)
    assert hashed == bare_hash, f"leaves other bytes than bare: {hashed}, not {bare_hash}\n{summary}"
    found = program.launches(label)
    split = [launch for launch in found if len(launch["shares"]) > 1]
    least = min((launch["smallest_share"] for launch in split), default=0)
    if count > 1 and not split:
        assert because and because in summary, f"no launch is split\n{summary}"
    if count == 2 and strategy == "even" and split:
        assert least >= SMALLEST_SHARE, f"the smallest share is {least} %\n{summary}"
    return f"{len(split)} of {len(found)} launches split" + (f", smallest share {least:.0f} %" if split else "")


def main():
    arguments, because, runs = sys.argv[1:], None, list(RUNS)
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    name = arguments.pop(0)
    if "--whole-because" in arguments:
        at = arguments.index("--whole-because")
        because = arguments[at + 1]
        del arguments[at:at + 2]
    if "--oclgrind" in arguments:
        arguments.remove("--oclgrind")
        if os.path.exists(OCLGRIND):
            runs.append(("basic +oclgrind", "even"))
    program = Program(name, arguments)
    bare_hash, _ = program.run("bare", {"POCL_DEVICES": "basic"}, False)
    failed = 0
    for devices, strategy in runs:
        began = time.monotonic()
        try:
            what = check(program, devices, strategy, bare_hash, because)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            what = f"WRONG: {error}"
            failed += 1
        print(f"{name} on {devices}, {strategy}: {what} ({time.monotonic() - began:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
