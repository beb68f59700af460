#!/usr/bin/env python3
"""What one device sends another through mailboxes leaves it while it is at its share already: two devices that are taken for GPUs
with memory of their own, programs whose launches need what the other device has computed, copies that fail on either side. The
answer is the bare driver's each time; the trace says in which order shares and copies were begun.

Environment: YOKE_TEST_BUILD, the build folder. Status 0: all so; 1: not."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
FOLDER = os.path.join(BUILD, "tests/apps/work/posted")
# In tests a mailbox holds 4 KiB and there are four. Of twice that much the sender is given the rest meanwhile: then it waits first.
PROGRAMS = {"spmv": (["--size", "4096", "--repeat", "12"], True), "spmv (more)": (["--size", "16384", "--repeat", "12"], False),
            "stencil2d": (["--size", "small"], True)}
MOST = 12  # copies on a device until the one that fails


def run(name, bare=False, fault="", **options):
    """What it printed as its hash, and the spans of its trace."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_"))}
    for variable, folder in (("POCL_CACHE_DIR", "pocl"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
        env[variable] = os.path.join(FOLDER, folder)
        os.makedirs(env[variable], mode=0o700, exist_ok=True)
    trace = os.path.join(FOLDER, "trace.json")
    if os.path.exists(trace):
        os.remove(trace)
    env.update(POCL_DEVICES="basic" if bare else "basic basic")
    if not bare:
        env.update(YOKE_FAULT="gpu@*" + fault, YOKE_FORCE_SPLIT="1", YOKE_STRATEGY="even", YOKE_MAILBOX="force", YOKE_NUMERICS="any",
                   YOKE_TRACE=trace, **options)
    command = [os.path.join(BUILD, "bench/apps", name.split()[0]), *PROGRAMS[name][0]]
    done = crash.run(command, env, None if bare else os.path.join(BUILD, "libyoke.so"), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, f"{command} {fault}: status {done.returncode} {done.stderr}"
    assert "result=OK" in done.stdout, f"{command} {fault}: {done.stdout}"
    spans = []
    if not bare:
        with open(trace, encoding="utf-8") as file:
            spans = [e for e in json.load(file) if e.get("ph") == "X"]
    return re.search(r"hash=(\w+)", done.stdout).group(1), spans


def overlapping(spans):
    """Launches of which bytes were on their way while a share ran, and of those the ones whose share was begun first."""
    began = {}
    for e in spans:
        if "from" in e["args"]:
            launch = e["args"]["launch"]
            began[launch] = min(began.get(launch, e["ts"]), e["ts"])
    sent = {e["args"]["launch"]: e["ts"] for e in spans if e["name"] == "send"}
    return len(sent), sum(began[launch] <= ts for launch, ts in sent.items())


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER, mode=0o700)
    runs = 0
    for name, (_, beside) in PROGRAMS.items():
        want, _ = run(name, bare=True)
        got, spans = run(name)
        assert got == want, f"{name}: {got}, bare {want}"
        sent, first = overlapping(spans)
        # Where both devices wait for each other's bytes neither has begun.
        assert (sent > 0) == beside, f"{name}: of {sent} launches bytes were on their way while a share ran"
        assert name != "spmv" or first > 0, f"{name}: of {sent} launches none had a share begun first"
        for device in (0, 1):
            for n in range(1, MOST + 1):
                fault = f";clEnqueueCopyBuffer@{device}:{n}=" + ("event" if n % 2 else "error") + "(CL_OUT_OF_RESOURCES)"
                got, _ = run(name, fault=fault)
                assert got == want, f"{name}{fault}: {got}, bare {want}"
                runs += 1
    print(f"{runs} runs in which a copy failed gave the bare driver's answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
