#!/usr/bin/env python3
"""What yoke moves for the programs of bench/apps, cut evenly over two devices with memory of their own, against the least that any
schedule with the same split must move. Prints the table of transform/README.md.

    least.py [--most RATIO] [PROGRAM...]      --most: status 1 where a program with affine accesses moves more than that

What moves is counted below yoke (layer.c). The least is computed from what every work-item touches when the program runs bare on
Oclgrind (access.c), with the split that the counting layer saw (leastbytes, ledger.c); yoke's own analysis has no part in it.
Environment: YOKE_TEST_BUILD, the build folder. Status 77: no Oclgrind 21.10 or no two PoCL devices."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
SECONDS = 300

# Whether all accesses are affine, the options that the program builds with, its own.
PROGRAMS = {
    "aes_encrypt": (True, "", []), "aes_decrypt": (True, "", []), "binomial_option": (True, "-D STEPS=254", ["--size", "16"]),
    "black_scholes": (True, "", []), "convolution": (True, "-D RADIUS=3", []), "matrix_multiply": (True, "", []),
    "matrix_transpose": (True, "", []), "quasi_random": (True, "", []), "vector_add": (True, "", []), "stencil2d": (True, "", []),
    "nbody": (True, "-cl-fast-relaxed-math", []), "histogram": (True, "", []), "histogram --atomics": (True, "", []),
    "reduction": (True, "", []), "reduction --atomics": (True, "", []), "scan": (True, "", []), "kmeans": (True, "", []),
    "spmv": (False, "", []), "bfs": (False, "", []),
}


class Program:
    def __init__(self, name):
        self.name = name
        self.affine, self.options, size = PROGRAMS[name]
        words = name.split()
        self.command = [os.path.join(BUILD, "bench/apps", words[0]), *(size or ["--size", "small"]), *words[1:]]
        self.source = os.path.join(HERE, "../../bench/apps", words[0] + ".cl")
        self.folder = os.path.join(BUILD, "tests/count/least", name.replace(" --", "-"))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "OCLGRIND_")) and k != "LD_PRELOAD"}
        for variable in ("POCL_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            self.environment[variable] = self.path(variable)
            os.makedirs(self.environment[variable], mode=0o700)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, environment, preload=""):
        def again():
            for leftover in ("count.log", "trace"):
                if os.path.exists(self.path(leftover)):
                    os.remove(self.path(leftover))

        done = crash.run(self.command, dict(self.environment, **environment), preload, again, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS)
        if done.returncode or "result=OK" not in done.stdout:
            sys.exit(f"{self.name}: status {done.returncode}\n{done.stdout[-2000:]}")

    def split(self):
        """Run it over two devices, twice: what the first process of a machine finds out is not this program's."""
        for _ in range(2):
            for log in ("count.log", "trace"):
                if os.path.exists(self.path(log)):
                    os.remove(self.path(log))
            self.run({"POCL_DEVICES": "basic basic", "YOKE_FAULT": "own@*", "YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "even",
                      "YOKE_TRACE": self.path("trace"), "OPENCL_LAYERS": os.path.join(BUILD, "tests/count/libyokecount.so"),
                      "YOKE_COUNT_LOG": self.path("count.log")}, os.path.join(BUILD, "libyoke.so"))

    def watch(self):
        """Run it bare where every access is seen."""
        vendors = self.path("vendors")
        os.makedirs(vendors, exist_ok=True)
        with open(os.path.join(vendors, "oclgrind.icd"), "w", encoding="ascii") as file:
            file.write(OCLGRIND + "\n")
        self.run({"OCL_ICD_VENDORS": vendors, "OCLGRIND_PLUGINS": os.path.join(BUILD, "tests/count/libyokeaccess.so"),
                  "YOKE_ACCESS_LOG": self.path("accesses")})

    def bytes(self):
        """The least, the least with uploads where the program makes them, and what was moved."""
        with open(self.path("count.log"), encoding="ascii") as file:
            text = file.read()
        # How a device's memory is tried out when it is opened: the same for every program.
        text = re.sub(r"(?:^\d+ (?:create-use|fill|copy|read|map|unmap) \d+ (?:8192|0)\n){12,14}", "", text, flags=re.M)
        with open(self.path("count.log"), "w", encoding="ascii") as file:
            file.write(text)
        pid = [line.split()[0] for line in text.splitlines() if " launch " in line][-1]
        seen = []
        for option in [], ["--home"]:
            done = subprocess.run([os.path.join(BUILD, "tests/count/leastbytes"), *option, self.path("accesses"), self.path("count.log"),
                                   pid], stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                sys.exit(f"{self.name}: leastbytes: status {done.returncode}")
            seen.append(json.loads(done.stdout))
        # A copy stays inside of its device.
        moved = sum(seen[0][kind] for kind in ("read", "write", "map", "map-invalidate", "migrate",
                                                     "create-copy", "create-use"))
        return moved, *(one["least_to_devices"] + one["least_to_host"] for one in seen), seen[0]

    def words(self):
        """Verdicts, axes and ways of putting together, of yoke's own words; each once, in the order of the launches."""
        explained = subprocess.run([os.path.join(BUILD, "yoke-transform"), "--explain", self.source, "--", *self.options.split()],
                                   stdout=subprocess.PIPE, text=True, check=True).stdout
        verdicts = dict(re.findall(r"^kernel (\w+): (whole|splittable[^:\n]*)", explained, re.M))
        with open(self.path("trace"), encoding="utf-8") as file:
            trace = file.read()
        kernels = re.findall(r'"kernel":"(\w+)","items".*?"axis":(\d)', trace)
        methods = re.findall(r'"cat":"merge","name":"(\w+)".*?"method":"(\w+)"', trace) if '"cat":"merge"' in trace else []
        methods = re.findall(r'"method":"(\w+)"', trace) if not methods else [m for _, m in methods]
        used = dict.fromkeys(k for k, _ in kernels)
        short = {"splittable, partial outputs are merged": "merge", "splittable, partial results of atomics are combined": "reduction"}
        verdict = ", ".join(dict.fromkeys(short.get(verdicts.get(k, "?"), verdicts.get(k, "?")) for k in used))
        axes = ", ".join(dict.fromkeys(a for _, a in kernels))
        return verdict, axes, ", ".join(dict.fromkeys(methods)) or "exact regions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    if not os.path.exists(OCLGRIND):
        print("skipped: Oclgrind is not installed")
        return 77
    too_much = []
    print("| program | verdict | cut along | put together by | launches split | bytes moved | least | ratio | least of all |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in arguments.programs or PROGRAMS:
        program = Program(name)
        program.split()
        program.watch()
        (moved, least, home, seen), (verdict, axes, methods) = program.bytes(), program.words()
        print(f"| {name} | {verdict} | {axes} | {methods} | {seen['split']} of {seen['launches']} | {moved:,} | {home:,} | {moved / home:.3f} "
              f"| {least:,} |", flush=True)
        if program.affine and arguments.most and moved > arguments.most * home:
            too_much.append(name)
        if moved < least:
            sys.exit(f"{name}: moves less than the least: one of the two counts is wrong\n{seen}")
        os.remove(program.path("accesses"))
    for name in too_much:
        print(f"{name} moves more than {arguments.most} times the least")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
