#!/usr/bin/env python3
"""What libyoke.so costs a program that makes no OpenCL call: no file but itself, no thread, no child. The time is a
figure of bench/overhead (overhead.exec_ms).
Environment: YOKE_TEST_LIBRARY."""
import os
import re
import subprocess
import tempfile
import unittest

LIBRARY = os.environ["YOKE_TEST_LIBRARY"]
PROGRAM = ["/bin/true"]


def environment(preload):
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD" and not k.startswith("YOKE_")}
    if preload:
        env["LD_PRELOAD"] = LIBRARY
    return env


def trace(preload, calls):
    """The lines of strace for CALLS, pids removed."""
    with tempfile.NamedTemporaryFile("r") as log:
        # strace itself must not be preloaded: the variable is set for the program alone.
        command = ["strace", "-f", "-qq", "-e", "trace=" + calls, "-o", log.name]
        if preload:
            command += ["-E", "LD_PRELOAD=" + LIBRARY]
        subprocess.run(command + PROGRAM, env=environment(False), check=True, timeout=30)
        return [re.sub(r"^\d+ +", "", line) for line in log.read().splitlines()]


class Idle(unittest.TestCase):
    def test_opens_nothing_but_itself(self):
        calls = "openat,open,creat,socket,connect,mkdir,unlink,readlink"
        bare, preloaded = trace(False, calls), trace(True, calls)
        extra = list(preloaded)
        for line in bare:
            extra.remove(line)
        self.assertEqual([line for line in extra if f'"{LIBRARY}"' not in line], [])
        self.assertEqual(len(extra), 1, extra)

    def test_starts_no_thread_and_no_child(self):
        self.assertEqual(trace(True, "clone,clone3,fork,vfork,execve")[1:], [])

    def test_needs_libc_only(self):
        text = subprocess.run(["objdump", "-p", LIBRARY], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(set(re.findall(r"NEEDED +(\S+)", text)), {"libc.so.6", "ld-linux-x86-64.so.2"})
        self.assertNotRegex(text, "RPATH|RUNPATH")


if __name__ == "__main__":
    unittest.main()
