#!/usr/bin/env python3
"""How many launches over images are divided, and what is moved for them. The program checks its own texels.

    images.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
IMAGE = 4 * 96 * 60  # bytes of the first kind in the program
AGAIN = 20


def run(program, arguments, home):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data",
               LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_JSON=home + "/summary.json")
    subprocess.run([program, *arguments], env=env, check=True, timeout=100)
    with open(home + "/summary.json", encoding="utf-8") as f:
        return json.load(f)


def main():
    wrong = []
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        again = run(program, ("again", str(AGAIN)), home)
        every = run(program, (), home)
    # An image that nobody has changed is there already.
    if again["launches"]["split"] != AGAIN or again["bytes_moved"] != IMAGE:
        wrong.append(f"{again['launches']['split']} of {AGAIN} launches are divided, {again['bytes_moved']} bytes moved, {IMAGE} needed")
    # All but those of one work-group.
    reasons = {r["reason"]: r["count"] for r in every["whole_reasons"]}
    if every["launches"]["split"] < 90 or list(reasons) != ["there is one work-group"]:
        wrong.append(f"{every['launches']['split']} launches are divided; whole: {reasons}")
    print(again["launches"], again["bytes_moved"], every["launches"], reasons)
    sys.exit("\n".join(wrong) if wrong else 0)


main()
