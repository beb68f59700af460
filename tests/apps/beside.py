#!/usr/bin/env python3
"""Rounds of large writes, a launch and a read, on two devices that are taken for GPUs with memory of their own: launches that take
less time than their transfers run in parts beside these, on one device, though two could divide them; unless that is insisted on.
After some rounds the number of parts is the one that was best, also in later processes, which pin the memory at once. Where cores are to spare (YOKE_AHEAD=force stands for it) what that takes is learnt as soon as a program is built.

Environment: YOKE_TEST_BUILD, the build folder. Status 0: all so; 1: not."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
BASE = os.path.join(BUILD, "tests/apps/beside")
FOLDER = BASE
ROUNDS = 6


def begin_anew():
    """A folder that no program knows which may still be at work for an earlier run."""
    global FOLDER  # pylint: disable=global-statement
    FOLDER = tempfile.mkdtemp(dir=BASE)


def run(command=("vector_add", "--size", str(1 << 22), "--rounds", "--repeat", str(ROUNDS)), devices="basic basic", **options):
    """Launches in parts, and divided ones."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_"))}
    for variable, folder in (("POCL_CACHE_DIR", "pocl"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
        env[variable] = os.path.join(FOLDER, folder)
        os.makedirs(env[variable], mode=0o700, exist_ok=True)
    env.update(POCL_DEVICES=devices, YOKE_JSON=os.path.join(FOLDER, "json"), YOKE_FAULT="gpu@*", YOKE_RING="force", **options)
    command = [os.path.join(BUILD, "bench/apps", command[0]), *command[1:]]
    done = crash.run(command, env, os.path.join(BUILD, "libyoke.so"), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, f"{command}: status {done.returncode} {done.stderr}"
    assert "result=OK" in done.stdout, done.stdout
    with open(env["YOKE_JSON"], encoding="utf-8") as file:
        told = json.load(file)
    return told["in_parts"]["launches"], told["launches"]["split"]


def read_early(ahead):
    """Has a program on one device that moves nothing in rounds had its kernels read?"""
    begin_anew()
    run(("matrix_multiply", "--size", "1024", "--repeat", "8"), devices="basic", YOKE_AHEAD=ahead, YOKE_GATHER="off")
    facts = os.path.join(FOLDER, "cache/yoke/facts")
    return os.path.isdir(facts) and len(os.listdir(facts)) > 0


def tuned():
    """Into how many parts such launches are cut, as the profile has it after some rounds; and as many in a later process."""
    begin_anew()
    rounds = ("vector_add", "--size", str(1 << 23), "--rounds", "--repeat", "40")
    env = dict(os.environ, XDG_DATA_HOME=os.path.join(FOLDER, "data"))
    found, text = None, ""
    for _ in range(10):  # beside other work the kernel may have been read when the rounds are nearly over
        run(rounds, devices="basic", YOKE_AHEAD="force", YOKE_PIN="force")
        text = subprocess.run([os.path.join(BUILD, "yoke"), "profile", "show"], env=env, capture_output=True, text=True, check=True).stdout
        found = re.search(r"^ +(\d+) parts ", text, re.M)
        if found:
            break
    assert found, text
    chosen = int(found.group(1))
    for _ in range(10):  # what the database has may come late there
        run(rounds, devices="basic", YOKE_AHEAD="force", YOKE_PIN="force")
        with open(os.path.join(FOLDER, "json"), encoding="utf-8") as file:
            later = json.load(file)["in_parts"]
        if abs(later["parts"] - later["launches"] * chosen) <= 4 * 8:
            break
    else:
        raise AssertionError(f"{chosen} parts are best, and later there were {later}")
    return chosen


def pinned_at_once():
    """A later process of 40 rounds pins its memory before the first."""
    begin_anew()
    moved, rounds, size = [], 40, 1 << 23
    for _ in range(10):  # beside other work the kernel may be read late, and what the database has may come late
        run(("vector_add", "--size", str(size), "--rounds", "--repeat", str(rounds)), devices="basic", YOKE_AHEAD="force", YOKE_PIN="force")
        with open(os.path.join(FOLDER, "json"), encoding="utf-8") as file:
            moved.append(json.load(file)["pinned"]["bytes"])
        if moved[-1] == rounds * 3 * 4 * size:
            break
    else:
        raise AssertionError(f"of {rounds * 3 * 4 * size} bytes these were moved from and to pinned memory: {moved}")
    assert len(moved) > 1, "the first process has nothing to know it by"


def main():
    shutil.rmtree(BASE, ignore_errors=True)
    os.makedirs(BASE, mode=0o700, exist_ok=True)
    assert not read_early("off"), "kernels were read early though YOKE_AHEAD=off"
    assert any(read_early("force") for _ in range(5)), "no kernels were read early"
    chosen = tuned()
    pinned_at_once()
    begin_anew()
    for _ in range(2):  # with what is learnt from the source in the cache, and the kernels built
        run()
    for _ in range(10):  # what else runs on the machine may make a launch longer than its transfers, for a while
        parts, split = run()
        assert split == 0, f"of {ROUNDS} launches {split} were divided"
        if parts == ROUNDS:
            break
    else:
        raise AssertionError(f"of {ROUNDS} launches {parts} ran in parts, each time fewer than all")
    parts, split = run(YOKE_FORCE_SPLIT="1")
    assert (parts, split) == (0, ROUNDS), f"splits insisted on: of {ROUNDS} launches {parts} ran in parts, {split} were divided"
    print(f"{ROUNDS} launches ran in parts beside their transfers, and with YOKE_FORCE_SPLIT were divided; {chosen} parts were best")
    return 0


if __name__ == "__main__":
    sys.exit(main())
