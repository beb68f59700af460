#!/usr/bin/env python3
"""Program binaries under yoke: what it gives out is split again by the next run; a driver's own binary runs whole; a damaged
one, or one of another primary, is CL_INVALID_BINARY. The counting layer below yoke says what was split.

    binaries.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["YOKE_TEST_BUILD"]
LAYER, COUNTCHECK = (os.path.join(BUILD, "tests/count", name) for name in ("libyokecount.so", "countcheck"))
INVALID_BINARY = 3  # the program's exit status


def run(home, how, file, log=None, yoke=True, devices="basic basic"):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES=devices if yoke else devices.split()[0], POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache",
               XDG_DATA_HOME=home + "/data")
    if yoke:
        env.update(LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1")
    if log:
        env.update(OPENCL_LAYERS=LAYER, YOKE_COUNT_LOG=log)
    done = subprocess.run([sys.argv[1], how, file], env=env, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout.strip() + done.stderr.strip()


def split(bare, log):
    done = subprocess.run([COUNTCHECK, "--bare", bare, "--split-at-least", "8", log], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        f = {name: f"{home}/{name}" for name in ("bare.bin", "yoke.bin", "bad.bin", "bare.log", "save.log", "load.log", "foreign.log")}
        alone = run(home, "save", f["bare.bin"], f["bare.log"], yoke=False)
        if alone[0] or not alone[1].startswith("sum "):
            sys.exit(f"bare: {alone}")

        def same(what, got):
            if got != alone:
                wrong.append(f"{what}: {got} instead of {alone}")

        same("saving", run(home, "save", f["yoke.bin"], f["save.log"]))
        same("loading", run(home, "load", f["yoke.bin"], f["load.log"]))
        same("loading the driver's own", run(home, "load", f["bare.bin"], f["foreign.log"]))
        for log in ("save.log", "load.log"):
            ok, text = split(f["bare.log"], f[log])
            if not ok:
                wrong.append(f"{log}: {text}")
        with open(f["foreign.log"]) as log:
            if sum(" launch " in line for line in log) != 8:
                wrong.append("the driver's own binary was not run whole")
        with open(f["yoke.bin"], "rb") as file:
            data = file.read()
        for what, bad in (("cut", data[:-1]), ("changed", data[:200] + bytes([data[200] ^ 1]) + data[201:])):
            with open(f["bad.bin"], "wb") as file:
                file.write(bad)
            if (got := run(home, "load", f["bad.bin"]))[0] != INVALID_BINARY:
                wrong.append(f"{what}: {got}")
        if (got := run(home, "load", f["yoke.bin"], devices="pthread"))[0] != INVALID_BINARY:
            wrong.append(f"another primary: {got}")
    print("\n".join(f"WRONG: {w}" for w in wrong) or f"{alone[1]}: saved, loaded, split, and what is damaged refused")
    sys.exit(1 if wrong else 0)


main()
