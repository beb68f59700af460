#!/usr/bin/env python3
"""A driver that does not come to an end of a program's binary keeps no program from being divided: yoke-warm, which was ended over that once, leaves
the binary alone then, and later processes build from the source.

    unfinished.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
sys.dont_write_bytecode = True
import warming  # noqa: E402: not installed

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
PROCESSES = 8
FROM_SOURCE = b"from its source"


def run(env, home):
    done = subprocess.run([sys.argv[1]], env=env, capture_output=True, text=True, timeout=100, check=True).stdout
    if not warming.settle(home):
        sys.exit("yoke-warm does not end")
    return done


def listing(folder):
    return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


def watch(folder, notes, over):
    """Into NOTES the notes that yoke-warm leaves while it asks for a binary: that takes PoCL a tenth of a second and more."""
    while not over.wait(0.002):
        notes.update(path for path in listing(folder) if path.endswith(".unfinished"))


def first(yoke, home, folder):
    """Processes until binaries are kept: they and the notes that there were meanwhile."""
    notes, over = set(), threading.Event()
    thread = threading.Thread(target=watch, args=(folder, notes, over))
    thread.start()
    binaries = []
    try:
        for _ in range(PROCESSES):
            run(yoke, home)
            binaries = [path for path in listing(folder) if os.path.getsize(path) > 1000]
            if binaries:
                break
    finally:
        over.set()
        thread.join()
    return binaries, notes


def main():
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        bare = run(env, home)
        yoke = dict(env, LD_PRELOAD=os.path.join(BUILD, "libyoke.so"), YOKE_JSON=f"{home}/json")
        folder, divided = f"{home}/cache/yoke/binary", []
        binaries, notes = first(yoke, home, folder)
        left = [path for path in listing(folder) if path.endswith(".unfinished")]
        print("binaries:", len(binaries), "notes while they were asked for:", len(notes))
        if not binaries or not notes or left:
            sys.exit(f"no binary, no note, or {len(left)} notes left behind")
        for path in listing(folder):  # as if it had been ended meanwhile
            os.unlink(path)
        for path in notes:
            open(path, "wb").close()
        for _ in range(PROCESSES):
            if run(yoke, home) != bare:
                sys.exit("another answer")
            with open(f"{home}/json", encoding="utf-8") as summary:
                divided.append(json.load(summary)["launches"]["split"])
            if divided[-1]:
                break
        print("divided launches of the processes after:", divided)
        if not divided[-1]:
            sys.exit("no process was divided")
        for path in binaries:
            with open(path, "rb") as entry:
                if not entry.read().endswith(FROM_SOURCE):
                    sys.exit(f"{os.path.basename(path)} is a binary all the same")


main()
