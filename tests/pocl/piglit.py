#!/usr/bin/env python3
"""Piglit's OpenCL tests (Debian's package), bare and under yoke. The rule: whatever passes on the bare primary passes under yoke,
sub-test by sub-test; what turns into a skip or a warning counts as failed.

    piglit.py [--all] [--config NAME]... [--jobs N] [--filter TEXT] [--part I/N] [--results FILE]
    piglit.py --table FILE...       what files of --results hold, a line for each test

Configurations: 1, 2, 3 devices, with and without forced splits: 1 1s 2 2s 3 3s. Without --all a selection runs: every test of the
API, and every PROGRAM_STEP-th of those that run a program and those that once failed, in a few of the configurations. Where splits are forced the counting layer below yoke
says how many launches were split, and that the boxes of each make up the launch.
A test that fails is run again, bare or under yoke: PoCL 3.1 aborts now and then by itself (races in its kernel cache); both
results are printed. Status 0: the rule holds; 1: it does not; 77: piglit is not installed (skipped).
Environment: YOKE_TEST_BUILD the build folder."""
import argparse
import ast
import collections
import concurrent.futures
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

PIGLIT = "/usr/lib/x86_64-linux-gnu/piglit"
BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev")) # tests run in folders of their own
LIBRARY = os.path.join(BUILD, "libyoke.so")
LAYER, COUNTCHECK = (os.path.join(BUILD, "tests/count", name) for name in ("libyokecount.so", "countcheck"))
CONFIGS = {f"{n}{'s' if split else ''}": (" ".join(["basic"] * n), split) for n in (1, 2, 3) for split in (False, True)}
PROGRAM_STEP, SELECTED_CONFIGS = 150, ("2s", "1", "3s")
FAILED_ONCE = ("program@execute@clz-optimizations",)  # writes 64 bytes beyond its buffers: bare nothing is seen to come of it
LIMIT_S = 120
RESULT = re.compile(r"^PIGLIT: (\{.*\})$", re.M)
# What a test prints beside its results differs by nature; only the results count.


def tests():
    """(name, command) of every OpenCL test of the package."""
    with gzip.open(os.path.join(PIGLIT, "tests/cl.xml.gz")) as f:
        for test in ElementTree.parse(f).getroot():
            options = {o.get("name"): ast.literal_eval(o.get("value")) for o in test}
            command = options.get("command") or ["cl-program-tester", options["filename"]]
            yield test.get("name"), [os.path.join(PIGLIT, "bin", command[0]), *command[1:], "-auto"]


def environment(cache, config):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("YOKE_", "XDG_", "POCL_", "OCL_", "OPENCL_")) and k != "LD_PRELOAD"}
    devices, split = CONFIGS[config] if config != "bare" else ("basic", False)
    env.update(POCL_DEVICES=devices, POCL_CACHE_DIR=os.path.join(cache, "pocl"), XDG_CACHE_HOME=os.path.join(cache, "cache"),
               XDG_DATA_HOME=os.path.join(cache, "data"), PIGLIT_SOURCE_DIR=PIGLIT)
    for name in ("pocl", "cache", "data"):
        os.makedirs(os.path.join(cache, name), mode=0o700, exist_ok=True)
    if config != "bare":
        env["LD_PRELOAD"] = LIBRARY
        if split:
            env["YOKE_FORCE_SPLIT"] = "1"
    return env


def run_once(command, env):
    """{sub-test: result}; "" is the test as a whole."""
    try:
        done = subprocess.run(command, env=env, cwd=PIGLIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S)
        status, text = done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        status, text = "time-out", (e.stdout or b"").decode(errors="replace")
    results = {}
    for line in RESULT.findall(text):
        line = json.loads(line)
        for key, value in line.items():
            if key == "subtest":
                results.update(value)
            elif key == "result":
                results[""] = value
    if status not in (0, 1) or "" not in results:
        results[""] = f"crash ({status})"
    return results, text


def worse(bare, other):
    return {k: (v, other.get(k, "missing")) for k, v in bare.items() if v == "pass" and other.get(k) != "pass"}


def split_launches(bare_log, log):
    """(split launches, what is wrong) as the counting layer saw them."""
    if not os.path.exists(bare_log) or not os.path.exists(log):
        return 0, ""
    with open(bare_log) as f:
        if " launch " not in f.read():
            return 0, ""
    done = subprocess.run([COUNTCHECK, "--extra-ok", "--json", "--bare", bare_log, log], capture_output=True, text=True)
    if done.returncode == 2:
        return 0, done.stderr
    seen = json.loads(done.stdout)
    return seen["split"], done.stderr + f"{seen['wrong']} launches are not what the program asked for" if seen["wrong"] else ""


class Test:
    """One test in every configuration, with caches of its worker (PoCL's must not be shared by two processes at once)."""

    def __init__(self, name, command, configs):
        self.name, self.command, self.configs = name, command, configs
        self.lines, self.wrong, self.split = [], [], collections.Counter()
        self.passed, self.bare, self.seconds = collections.Counter(), {}, 0

    def run_in(self, config, cache, folder):
        env = environment(cache, config)
        if config == "bare" or config in ("2s", "3s"):
            env.update(OPENCL_LAYERS=LAYER, YOKE_COUNT_LOG=os.path.join(folder, config))
        return run_once(self.command, env)

    def again(self, config, cache, folder, text):
        self.lines.append(f"{self.name} [{config}]: run again after\n{text[-1500:]}")
        log = os.path.join(folder, config)
        if os.path.exists(log):
            os.unlink(log)
        return self.run_in(config, cache, folder)

    def run(self, cache):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            self.bare, text = self.run_in("bare", cache, folder)
            if self.bare[""].startswith("crash") and "time-out" not in self.bare[""]:
                self.bare, text = self.again("bare", cache, folder, text)
            for config in self.configs if "pass" in self.bare.values() else []:
                results, text = self.run_in(config, cache, folder)
                if worse(self.bare, results):
                    results, text = self.again(config, cache, folder, text)
                for key, (was, now) in worse(self.bare, results).items():
                    self.wrong.append(f"{self.name} {key} [{config}]: {was} bare, {now} under yoke")
                self.passed[config] = sum(v == "pass" for k, v in results.items() if self.bare.get(k) == "pass")
                if config in ("2s", "3s"):
                    split, error = split_launches(os.path.join(folder, "bare"), os.path.join(folder, config))
                    self.split[config] += split
                    if error:
                        self.wrong.append(f"{self.name} [{config}]: {error}")
        self.seconds = time.monotonic() - began
        return self


def select(options):
    chosen = [t for t in tests() if options.filter in t[0]]
    if not options.all:
        programs = [t for t in chosen if t[0].startswith("program@")]
        chosen = [t for t in chosen if not t[0].startswith("program@")] + [
            t for i, t in enumerate(programs) if i % PROGRAM_STEP == 0 or t[0] in FAILED_ONCE]
    first, step = (int(n) for n in options.part.split("/"))
    return chosen[first::step]


def table(files):
    """Print the tests of several parts, sorted by name."""
    tests = []
    for name in files:
        with open(name) as f:
            tests += json.load(f)
    for t in sorted(tests, key=lambda t: t["test"]):
        passes, split = sum(v == "pass" for v in t["bare"].values()), [t["split"].get(c, 0) for c in ("2s", "3s")]
        same = "all under yoke" if not t["wrong"] else f"{len(t['wrong'])} differences under yoke"
        print(f"{t['test']}: {passes} of {len(t['bare'])} pass bare" + (f", {same}; split {split[0]}, {split[1]}" if passes else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", nargs="+", metavar="FILE")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--config", action="append", choices=CONFIGS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th test from the I-th")
    parser.add_argument("--results")
    options = parser.parse_args()
    if options.table:
        return table(options.table)
    if not os.path.exists(os.path.join(PIGLIT, "tests/cl.xml.gz")):
        print("skipped: piglit is not installed")
        sys.exit(77)
    configs = options.config or (list(CONFIGS) if options.all else SELECTED_CONFIGS)
    chosen = select(options)
    began, finished = time.monotonic(), []
    with tempfile.TemporaryDirectory() as home, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        caches = [os.path.join(home, str(i)) for i in range(options.jobs)]

        def one(test):
            cache = caches.pop()
            try:
                return Test(*test, configs).run(cache)
            finally:
                caches.append(cache)

        for test in pool.map(one, chosen):
            finished.append(test)
            for line in test.lines + [f"WRONG: {w}" for w in test.wrong]:
                print(line, flush=True)
    report(finished, configs, options, time.monotonic() - began)


def report(finished, configs, options, seconds):
    passes = sum(v == "pass" for t in finished for v in t.bare.values())
    print(f"{len(finished)} tests, {sum(len(t.bare) for t in finished)} results bare, {passes} of them pass; {seconds:.0f} s")
    wrong = [w for t in finished for w in t.wrong]
    for config in configs:
        split = sum(t.split[config] for t in finished)
        print(f"config {config:2}: {sum(t.passed[config] for t in finished)} of {passes} pass" +
              (f", {split} launches split" if config in ("2s", "3s") else ""))
        if config in ("2s", "3s") and not split and not options.filter:
            wrong.append(f"config {config}: no launch was split")
    if options.results:
        with open(options.results, "w") as f:
            json.dump([{"test": t.name, "bare": t.bare, "wrong": t.wrong, "split": t.split, "seconds": t.seconds} for t in finished], f, indent=1)
    print(f"{len(wrong)} differences" + "".join(f"\nWRONG: {w}" for w in wrong))
    sys.exit(1 if wrong or not passes else 0)


if __name__ == "__main__":
    main()
