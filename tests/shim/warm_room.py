#!/usr/bin/env python3
"""yoke-warm waits beside a program that is at work on all processors, though not for ever, and no longer than that program lives.

Environment: YOKE_TEST_BUILD the build folder."""
import os
import signal
import subprocess
import sys
import tempfile
import time

WARM = os.path.join(os.path.abspath(os.environ["YOKE_TEST_BUILD"]), "yoke-warm")
PATIENCE, ROOM = 1, 10  # seconds: that any program is left alone for, and one that leaves no processor idle besides


def busy():
    """The first of as many processes as may run at once, each with a processor to itself."""
    child = "import os\nos.setpgid(0, 0)\nfor i in range(1, len(os.sched_getaffinity(0))):\n    if not os.fork():\n        break\nwhile True:\n    pass\n"
    return subprocess.Popen([sys.executable, "-c", child])


def idle(seconds):
    """Processors, on average: what yoke-warm looks at."""
    def ticks():
        with open("/proc/stat", encoding="ascii") as f:
            return sum(map(int, f.readline().split()[4:6]))
    before = ticks()
    time.sleep(seconds)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds


def main():
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
        env.update(POCL_DEVICES="basic", POCL_CACHE_DIR=f"{home}/pocl", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_HOME=f"{home}/data")
        asker = busy()
        try:
            time.sleep(0.5)
            free = idle(1)
            if free > 0.5:  # others' processors, or a limit on ours
                print(f"skipped: {len(os.sched_getaffinity(0))} busy processes leave {free:.1f} of {os.cpu_count()} processors idle")
                sys.exit(77)
            begin = time.monotonic()
            subprocess.run([WARM, f"--devices={asker.pid}"], env=env, check=True, timeout=60)
            beside = time.monotonic() - begin
            begin = time.monotonic()
            warm = subprocess.Popen([WARM, f"--devices={asker.pid}"], env=env)
            time.sleep(PATIENCE + 1)
            waited = warm.poll() is None
        finally:
            os.killpg(asker.pid, signal.SIGKILL)
            asker.wait()
        warm.wait(timeout=60)
        behind = time.monotonic() - begin
        print(f"{beside:.1f} s beside a busy program, {behind:.1f} s where it ends after {PATIENCE + 1}")
        sys.exit(0 if beside >= PATIENCE + ROOM and waited and behind < PATIENCE + ROOM and warm.returncode == 0 else "yoke-warm did not wait so")


main()
