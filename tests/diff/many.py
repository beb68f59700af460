#!/usr/bin/env python3
"""many.py FIRST..LAST [--programs N] [--icd oclgrind|intel|LIBRARY]: programs of many small launches (many.c), bare and under libyoke.so with launches
merged wherever they can be, on one, two and three devices, whole ones side by side on two and three, and divided ones that follow one another
unwaited for on two: the same bytes; with --icd on Oclgrind, which must have nothing
to report, on Intel's CPU runtime, or on another driver. A seed is a set of kernels, with N programs each. Says how many launches were merged
, ran on another device or followed so; fails where fewer did than should."""
import argparse
import json
import os
import re
import signal
import subprocess
import sys

BUILD = os.environ["YOKE_TEST_BUILD"]
FOLDER = os.path.join(BUILD, "tests", "diff", "many")
HERE = os.path.dirname(os.path.abspath(__file__))
INTEL = os.path.join(HERE, "../../build/intel/lib")
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
ATTEMPTS = 4  # PoCL 3.1 aborts by itself now and then; bytes that differ are final

SETTINGS = {
    "one": {"POCL_DEVICES": "pthread", "YOKE_GATHER": "force"},
    "two": {"POCL_DEVICES": "pthread", "YOKE_CPU_PARTS": "2", "YOKE_GATHER": "force"},
    "three": {"POCL_DEVICES": "basic basic pthread", "YOKE_GATHER": "force"},
    "beside2": {"POCL_DEVICES": "basic basic", "YOKE_GATHER": "off", "YOKE_BESIDE": "force"},
    "besideown": {"POCL_DEVICES": "basic basic", "YOKE_GATHER": "off", "YOKE_BESIDE": "force", "YOKE_FAULT": "own@*"},
    "beside3": {"POCL_DEVICES": "basic basic basic", "YOKE_GATHER": "off", "YOKE_BESIDE": "force"},
    "flights": {"POCL_DEVICES": "basic basic", "YOKE_GATHER": "off", "YOKE_FORCE_SPLIT": "1", "YOKE_FLIGHT": "force", "YOKE_FAULT": "own@*"},
}


def run(seed, programs, out, settings, preload):
    env = {k: v for k, v in os.environ.items() if not k.startswith("YOKE_") or k == "YOKE_TEST_BUILD"}
    env.update({"XDG_CACHE_HOME": os.path.join(FOLDER, "cache"), "XDG_DATA_HOME": os.path.join(FOLDER, "data")})
    env.update(settings)
    if preload:
        env["LD_PRELOAD"] = os.path.join(BUILD, "libyoke.so")
        env["YOKE_JSON"] = out + ".json"
    command = [os.path.join(BUILD, "tests", "diff", "diffmany"), str(seed), "1", str(programs), out]
    if "OCLGRIND_LOG" in settings:  # Oclgrind begins nothing before a flush, which yoke need not wait for
        command.append("flush")
    for _ in range(ATTEMPTS):
        p = subprocess.run(command, env=env, timeout=600, stderr=subprocess.PIPE, text=True, errors="replace")
        if p.returncode != -signal.SIGABRT:
            break
        print(f"  seed {seed}: ended by signal {-p.returncode}, again")
    if p.returncode:
        sys.exit(f"seed {seed}: exit status {p.returncode}\n{p.stderr}")
    return p.stderr


def other(icd):
    """The environment for another vendor's driver alone; None: it is not there."""
    if icd == "oclgrind" and not os.path.exists(OCLGRIND):
        print("skipped: Oclgrind is not installed")
        return None
    if icd == "intel" and subprocess.run([os.path.join(HERE, "../../scripts/intel-opencl")], stdout=subprocess.DEVNULL,
                                         check=False).returncode:
        return None
    name = os.path.basename(icd)
    folder = os.path.join(FOLDER, "vendors-" + name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".icd"), "w", encoding="ascii") as file:
        file.write({"oclgrind": OCLGRIND, "intel": os.path.join(INTEL, "libintelocl.so")}.get(icd, icd) + "\n")
    if icd not in ("oclgrind", "intel"):
        return {"OCL_ICD_VENDORS": folder, "OCL_ICD_FILENAMES": icd}  # for ocl-icd and for Khronos' loader
    more = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": os.path.join(FOLDER, "oclgrind.log")}
    return {"OCL_ICD_VENDORS": folder, **(more if icd == "oclgrind" else {"LD_LIBRARY_PATH": INTEL})}


def read(path):
    with open(path, "rb") as f:
        return f.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds")
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--settings", default="one,two,three,beside2,beside3,besideown,flights")
    parser.add_argument("--icd", help="oclgrind, intel, or the library of a driver: all runs on it")
    a = parser.parse_args()
    os.makedirs(FOLDER, exist_ok=True)
    plain = {"POCL_DEVICES": "pthread"}
    if a.icd:
        plain = other(a.icd)
        if plain is None:
            sys.exit(77)
        a.settings = os.path.basename(a.icd)
        SETTINGS[a.settings] = {**plain, "YOKE_GATHER": "force"}
    log = plain.get("OCLGRIND_LOG")
    if log and os.path.exists(log):
        os.unlink(log)
    first, last = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", a.seeds).group(1, 2)
    programs = a.programs * (10 if os.environ.get("YOKE_NIGHTLY") == "1" else 1)
    bad = 0
    for seed in range(int(first), int(last or first) + 1):
        bare = os.path.join(FOLDER, f"{seed}.bare" + (f"-{a.settings}" if a.icd else ""))  # tests run side by side
        run(seed, programs, bare, plain, False)
        for name in a.settings.split(","):
            out = os.path.join(FOLDER, f"{seed}.{name}")
            run(seed, programs, out, SETTINGS[name], True)
            with open(out + ".json") as f:
                summary = json.load(f)
            merged, elsewhere = summary["merged"], summary["elsewhere"]
            beside = "YOKE_BESIDE" in SETTINGS[name]
            same = read(bare) == read(out)
            print(f"seed {seed}, {name}: {programs} programs, {summary['launches']}, merged {merged}, elsewhere {elsewhere}, flown {summary['flown']}, "
                  f"{'equal' if same else 'DIFFERENT'}")
            enough = (elsewhere >= 5 * programs if beside else summary["flown"] >= 5 * programs if "YOKE_FLIGHT" in SETTINGS[name]
                      else merged["launches"] and merged["launches"] >= 2 * merged["as"])
            if not same or not enough:
                bad += 1
            else:
                os.unlink(out)
    if log and os.path.exists(log) and read(log).strip():
        print("Oclgrind reports:\n" + read(log)[:2000].decode(errors="replace"))
        bad += 1
    sys.exit(1 if bad else 0)


main()
