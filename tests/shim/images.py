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


def run(program, arguments, home, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data",
               LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_JSON=home + "/summary.json", **more)
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
        copied = [run(program, ("again", str(n)), home, YOKE_FAULT="own@*") for n in (AGAIN, 2 * AGAIN)]
        every = run(program, (), home)
        apart = run(program, (), home, YOKE_FAULT="own@*")
    # Devices that work in the host's memory have the texels in one place; others have copies, which are made once of an
    # image that nobody changes. What else is moved then, each launch moves.
    each = (copied[1]["bytes_moved"] - copied[0]["bytes_moved"]) / AGAIN
    for summary, moved, expected in (again, again["bytes_moved"], 0), (copied[0], copied[0]["bytes_moved"] - AGAIN * each, IMAGE):
        if summary["launches"]["split"] != AGAIN or moved != expected:
            wrong.append(f"{summary['launches']['split']} of {AGAIN} launches are divided, {moved} bytes moved, {expected} needed")
    # All but those of one work-group; of images over the program's memory there are no copies.
    one, none = "there is one work-group", "the other device cannot have an image"
    for summary, least, expected in (every, 180, {one}), (apart, 90, {one, none}):
        reasons = {r["reason"]: r["count"] for r in summary["whole_reasons"]}
        if summary["launches"]["split"] < least or set(reasons) != expected:
            wrong.append(f"{summary['launches']['split']} launches are divided; whole: {reasons}")
    if every["bytes_moved"] or not apart["bytes_moved"]:
        wrong.append(f"{every['bytes_moved']} and {apart['bytes_moved']} bytes are moved for all")
    print(again["launches"], again["bytes_moved"], every["launches"], apart["launches"])
    sys.exit("\n".join(wrong) if wrong else 0)


main()
