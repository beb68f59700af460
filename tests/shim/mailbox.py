#!/usr/bin/env python3
"""Copies from device to device through mailboxes, of host memory here: a program that checks its own bytes, run where they are
made at once, tried first by yoke-warm, where they cannot be had and where a copy breaks in the middle. Its bytes are right
each time, and yoke's summary and log say which way they went.

    mailbox.py PROGRAM ROWS   Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["YOKE_TEST_BUILD"]
MADE, NONE = "go through mailboxes", "no mailboxes from device 0 to device 1"


def run(home, faults="", program=1, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data",
               LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_RING="off",
               YOKE_FAULT="own@*" + faults, YOKE_LOG="info", YOKE_JSON=home + "/summary.json", CK_FORK="no", **settings)
    done = subprocess.run([sys.argv[program]], env=env, capture_output=True, text=True, timeout=100)
    with open(home + "/summary.json") as f:
        summary = json.load(f)
    return done.returncode, done.stdout + done.stderr, summary


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)

        def check(what, got, made, used, says=None):
            status, text, summary = got
            if status:
                wrong.append(f"{what}: exit status {status}: {text}")
            if made is not None and (MADE in text) != made:
                wrong.append(f"{what}: mailboxes were {'not ' if made else ''}made: {text}")
            if used is not None and (summary["mailboxes"]["bytes"] > 0) != used:
                wrong.append(f"{what}: {summary['mailboxes']}")
            if says and text.count(says) != 1:
                wrong.append(f"{what}: '{says}' {text.count(says)} times: {text}")
            if not summary["launches"]["split"]:
                wrong.append(f"{what}: nothing was split")

        check("off", run(home, YOKE_MAILBOX="off"), made=False, used=False)
        check("left to itself", run(home), made=False, used=False)
        check("at once", run(home, YOKE_MAILBOX="force"), made=True, used=True)
        rows = run(home, program=2, YOKE_MAILBOX="force")
        check("rows", rows, made=True, used=True)
        if rows[2]["mailboxes"]["bytes"] < 3 * 8 << 20:
            wrong.append(f"rows of megabytes: {rows[2]['mailboxes']}")
        rows = run(home, program=2, YOKE_MAILBOX="force", YOKE_TEST_ITEMS="1024", YOKE_TEST_RAGGED="1")
        check("short rows", rows, made=True, used=True)
        if rows[2]["mailboxes"]["bytes"] < 3 * 8 << 20:
            wrong.append(f"short rows: {rows[2]['mailboxes']}")
        rows = run(home, ";clEnqueueCopyBufferRect@1:2=error(CL_INVALID_VALUE)", program=2, YOKE_MAILBOX="force", YOKE_TEST_ITEMS="1024")
        check("rows in the middle", rows, made=True, used=True, says="rows from device 1 to device 0 through mailboxes")
        # What fails on one way says nothing of the other, which the program's last tests use too.
        check("no memory on one side", run(home, ";clCreateBuffer@1:2=error(CL_INVALID_VALUE)", YOKE_MAILBOX="force"), made=None,
              used=None, says=NONE)
        check("in the middle", run(home, ";clEnqueueCopyBuffer@1:9=error(CL_OUT_OF_RESOURCES)", YOKE_MAILBOX="force"), made=True,
              used=None, says=NONE)
        check("an end that is an error", run(home, ";clEnqueueCopyBuffer@0:50=event(CL_OUT_OF_RESOURCES)", YOKE_MAILBOX="force"),
              made=True, used=True, says=NONE)
        # On the way in and out of mailboxes; what a share has run on may turn out not to have come.
        for at in ("0:2", "0:5", "0:12", "0:26", "1:2", "1:5", "1:12", "1:26"):
            check(f"an end at {at}", run(home, f";clEnqueueCopyBuffer@{at}=event(CL_OUT_OF_RESOURCES)", YOKE_MAILBOX="force"), made=True,
                  used=None)
        first = run(home, YOKE_MAILBOX="try")
        until = time.monotonic() + 60
        while first[2]["mailboxes"]["bytes"] == 0 and time.monotonic() < until:
            time.sleep(0.2)  # yoke-warm is at it
            first = run(home, YOKE_MAILBOX="try")
        check("tried", first, made=True, used=True)
        check("tried and remembered", run(home, YOKE_MAILBOX="try"), made=True, used=True)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
