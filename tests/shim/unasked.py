#!/usr/bin/env python3
"""Beside a GPU the first process leaves a CPU's driver alone, and yoke-warm asks it behind that process: the next one has both devices. Who
insists on several devices has them at once.

    unasked.py STUB        the stub's library. Environment: YOKE_TEST_BUILD the build folder."""
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
PROGRAM = """
import ctypes
cl, platform, device = ctypes.CDLL(None), ctypes.c_void_p(), ctypes.c_void_p()
cl.clCreateContext.restype = ctypes.c_void_p
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None) == 0
context = cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None)
assert context and cl.clReleaseContext(ctypes.c_void_p(context)) == 0
"""


def run(stub, home, **more):
    """How many devices it has had."""
    summary = f"{home}/summary.json"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env.update(XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data", LD_PRELOAD=os.path.join(BUILD, "libyoke.so"),
               YOKE_REAL_LIBOPENCL=stub, YOKE_STUB_DEVICES="gpu|cpu:host:pocl", YOKE_JSON=summary, **more)
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=200, check=False)
    if done.returncode:
        sys.exit(f"{more}: {done}")
    with open(summary, encoding="utf-8") as f:
        return len(json.load(f)["devices"])


def kept(home):
    folder = f"{home}/cache/yoke/asleep"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def main():
    stub = os.path.abspath(sys.argv[1])
    for more in {}, {"YOKE_NUMERICS": "any"}, {"YOKE_STRATEGY": "even"}, {"YOKE_FORCE_SPLIT": "1"}:
        with tempfile.TemporaryDirectory() as home:
            first = run(stub, home, **more)
            if first != (2 if more else 1):
                sys.exit(f"{more}: the first process had {first} devices")
            for _ in range(600):  # what the first one has left to yoke-warm
                if kept(home) == (1 if more else 2):
                    break
                time.sleep(0.1)
            else:
                sys.exit(f"{more}: {kept(home)} files are kept")
            second = run(stub, home, **more)
            if second != 2:
                sys.exit(f"{more}: the second process had {second} devices")


if __name__ == "__main__":
    main()
