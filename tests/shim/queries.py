#!/usr/bin/env python3
"""Nothing of yoke shows: every answer of every clGet*Info function, bare and under yoke on one device and on two, line by line.

    queries.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder.

What the bare runs do not agree on among themselves is not compared, but counted. What yoke answers otherwise is in STATED, each
with its reason; an entry there that nothing needs is an error too, so that the list stays true."""
import collections
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.environ["YOKE_TEST_BUILD"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

# (pattern of a line's beginning, why yoke's answer is another, or what its answer must be for the bare one)
STATED = [
    (r"platform 0x0902 ", "CL_PLATFORM_NAME: there is one platform, and it is yoke"),
    (r"platform 0x0903 ", "CL_PLATFORM_VENDOR"),
    (r"platform 0x0920 ", "CL_PLATFORM_ICD_SUFFIX_KHR"),
    (r"device 0x102b ", "CL_DEVICE_NAME has yoke's version and the device set: programs key their own caches by it"),
    (r"device 0x102d ", "CL_DRIVER_VERSION: the same"),
    (r"devices of type 0x0:|devices of type 0x100000:", "CL_INVALID_DEVICE_TYPE, as the specification says; PoCL: not found"),
    (r"context-empty-type ", "a context by type and an empty list: there is but one platform; the loader gives up"),
    (r"\S+ 0x11d2 ", "CL_EVENT_REFERENCE_COUNT: the program's references; PoCL counts its own too"),
    (r"mapped 0x1105 ", "CL_MEM_MAP_COUNT: one map; PoCL 3.1 counts two"),
    (r"(built|options|loaded|loaded and built|linked) 0x1165 ", "CL_PROGRAM_BINARY_SIZES: yoke's container of binary and source"),
]
SETTINGS = {"one": ("basic", {}), "two": ("basic basic", {}), "forced": ("basic basic", {"YOKE_FORCE_SPLIT": "1"})}


def lines(home, devices, more):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_")) and k != "LD_PRELOAD"}
    env.update(POCL_DEVICES=devices, POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data", **more)
    done = crash.run([sys.argv[1]], env, more.get("LD_PRELOAD", ""), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        print(text[-3000:])
        sys.exit(f"status {done.returncode} with {more} on {devices}")
    # PoCL names the files of a build after a counter and the process.
    return re.sub(r"/[\w./-]*tempfile[\w.-]*|/[\w./-]*/pocl/[\w./-]*", "FILE", text).splitlines()


def keyed(answers):
    """{what was asked, and for the how manieth time: the line}"""
    found, times = {}, collections.Counter()
    for line in answers:
        asked = re.match(r"[^:]*?0x[0-9a-f]{4} |.* made |[^:]*:|", line)[0]
        times[asked] += 1
        found[asked, times[asked]] = line
    return found


def differences(bare, yoke):
    return [(bare.get(key, ""), yoke.get(key, "")) for key in {**bare, **yoke} if bare.get(key) != yoke.get(key)]


def main():
    wrong, used = [], set()
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        bare, again = (lines(home, "basic", {}) for _ in range(2))
        if len(bare) != len(again):
            sys.exit("two bare runs are of different length")
        vague = {a for a, b in zip(bare, again) if a != b}
        for setting, (devices, more) in SETTINGS.items():
            yoke = lines(home, devices, {"LD_PRELOAD": os.path.join(BUILD, "libyoke.so"), **more})
            for a, b in differences(keyed(bare), keyed(yoke)):
                stated = [pattern for pattern, _ in STATED if re.match(pattern, a or b)]
                used.update(stated)
                if not stated and a not in vague:
                    wrong.append(f"[{setting}]\n  bare: {a[:300]}\n  yoke: {b[:300]}")
    wrong += [f"stated, but no different: {p} ({why})" for p, why in STATED if p not in used]
    print(f"{len(bare)} answers in {len(SETTINGS)} settings, {len(vague)} that bare runs do not agree on:")
    print("\n".join("  " + a[:120] for a in sorted(vague)))
    print("\n".join(f"WRONG: {w}" for w in wrong) or "the same, but for what is stated")
    sys.exit(1 if wrong else 0)


main()
