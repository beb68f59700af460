#!/usr/bin/env python3
"""Programs that nobody here wrote, bare and under `yoke run`: the same end, the same bytes read back; and where there are
several devices, launches that the counting layer below yoke saw on two of them.

    programs.py PROGRAM DEVICES      e.g. programs.py clfft "basic basic"; DEVICES as POCL_DEVICES; "+oclgrind", "+intel" add
                                     another vendor's device

The bare run has the one PoCL device that is the primary under yoke: `pthread` where there is one, else `basic`. Status 0: as it should be; 77: the program is not installed (skipped).
Environment: YOKE_TEST_BUILD the build folder."""
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
YOKE = os.path.join(BUILD, "yoke")
READHASH = os.path.join(BUILD, "tests/programs/libreadhash.so")
LAYER, COUNTCHECK = (os.path.join(BUILD, "tests/count", name) for name in ("libyokecount.so", "countcheck"))
PYTHON = "/usr/bin/python3"  # Debian's own: pyopencl is a Debian package
INTEL = os.path.join(HERE, "../../build/intel/lib")
DRIVER = {"oclgrind": "/usr/lib/oclgrind/liboclgrind-rt-icd.so", "intel": os.path.join(os.path.abspath(INTEL), "libintelocl.so")}
MD5_OF_YOKES = "9bbcb3e1c7e5afae095e4b1d5856e02b"
WORDS = os.path.join(HERE, "wlangenpmkocl.words")


class Program:
    """COMMAND; EXPECT: a pattern that its output must match; BYTES: what it reads back is the same in every run;
    SPLITS: it has launches that yoke must split where there are two devices; NEEDS: a Python module; TOOL: a program that the command
    starts. Lines that begin with "answer: " must be the same bare and under yoke."""

    def __init__(self, command, expect, bytes_equal, splits, seconds, needs=None, tool=None):
        self.command, self.expect, self.bytes_equal, self.splits, self.seconds = command, expect, bytes_equal, splits, seconds
        self.needs, self.tool = needs, tool

    def installed(self):
        return shutil.which(self.tool or self.command[0]) and \
            (not self.needs or subprocess.run([PYTHON, "-c", f"import {self.needs}"], capture_output=True).returncode == 0)


def pmk(word):
    """The master key of the wireless network IEEE with the password WORD."""
    return hashlib.pbkdf2_hmac("sha1", word.strip(), b"IEEE", 4096, 32).hex()


def built(name):
    return os.path.join(BUILD, "tests/programs", name)


ANSWERED = r"answer: (.|\n)*result=OK"  # without one there would be nothing to compare

PROGRAMS = {
    "clinfo-l": Program(["clinfo", "-l"], r"Platform #0", False, False, 60),
    "clinfo": Program(["clinfo"], r"Number of platforms +\d+\n(.|\n)*Device Name", False, False, 60),
    "clpeak-all": Program(["clpeak"], r"Kernel launch latency *: *[\d.]+", False, False, 1500),
    "clpeak": Program(["clpeak", "--kernel-latency", "--global-bandwidth", "--transfer-bandwidth"],
                      r"Kernel launch latency *: *[\d.]+", True, True, 500),
    "hashcat-b": Program(["hashcat", "-b", "-m", "900", "--force"], r"Speed\.#1\.+: +[\d.]+ .?H/s", False, False, 300),
    # Fixed tuning (-n, -u): otherwise hashcat measures, and what it launches depends on the measurement.
    "hashcat": Program(["hashcat", "-m", "0", "-a", "3", "--force", "--potfile-disable", "--quiet", "-n", "16", "-u", "64",
                        MD5_OF_YOKES, "?l?l?l?l?l"], MD5_OF_YOKES + ":yokes", True, False, 400),
    "pyopencl": Program([PYTHON, "-B", os.path.join(HERE, "pyopencl_sample.py")], r"result=OK", True, True, 200, "pyopencl"),
    # Its reads are longer than what it has written: their tails are whatever memory held.
    "algorithms": Program([PYTHON, "-B", os.path.join(HERE, "algorithms_sample.py")], ANSWERED, False, True, 400, "pyopencl"),
    # Its launches differ from run to run, the keys do not. (With -p it uses no OpenCL.)
    "wlangenpmkocl": Program(["wlangenpmkocl", "-e", "IEEE", "-i", WORDS], "\n".join(map(pmk, open(WORDS, "rb"))), False, False, 120),
    "opencv": Program([PYTHON, "-B", os.path.join(HERE, "opencv_sample.py")], ANSWERED, False, True, 400, "cv2"),
    "ffmpeg": Program([PYTHON, "-B", os.path.join(HERE, "ffmpeg_sample.py")], ANSWERED, False, False, 400, tool="ffmpeg"),
    "openmm": Program([PYTHON, "-B", os.path.join(HERE, "openmm_sample.py")], ANSWERED, False, True, 400, "simtk.openmm"),
    "mandelbulber": Program([PYTHON, "-B", os.path.join(HERE, "pictures_sample.py"), "mandelbulber"], ANSWERED, False, True, 400,
                            tool="mandelbulber2"),
    "ufo": Program([PYTHON, "-B", os.path.join(HERE, "pictures_sample.py"), "ufo"], ANSWERED, False, True, 400, tool="ufo-launch"),
    "tinygrad": Program([PYTHON, "-B", os.path.join(HERE, "tinygrad_sample.py")], ANSWERED, False, True, 800, "tinygrad"),
    "pyfai": Program([PYTHON, "-B", os.path.join(HERE, "pyfai_sample.py")], ANSWERED, False, True, 1600, "pyFAI.opencl"),
    "clblast": Program([built("clblast_sample")], r"result=OK", True, True, 200),
    "clfft": Program([built("clfft_sample")], r"result=OK", True, True, 120),
}


# They choose their kernels by the device's type, which beside Oclgrind is CPU, GPU and accelerator at once; they check
# their values themselves.
BY_TYPE = {"clblast"}


def environment(name, home, devices, second):
    """A home of its own for the program's files and yoke's, PoCL's cache for all runs of the program NAME (compiling is most of
    their time), and the drivers asked for."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("YOKE_", "XDG_", "POCL_", "OCL_", "OPENCL_")) and k != "LD_PRELOAD"}
    env.update(HOME=home, XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data", POCL_DEVICES=devices,
               POCL_CACHE_DIR=os.path.join(BUILD, "tests/programs/pocl-cache", name), PYOPENCL_NO_CACHE="1")
    os.makedirs(env["POCL_CACHE_DIR"], exist_ok=True)
    for folder in ("cache", "data"):
        os.makedirs(os.path.join(home, folder), mode=0o700, exist_ok=True)
    if second:
        vendors = os.path.join(home, "vendors")
        os.makedirs(vendors, exist_ok=True)
        shutil.copy("/etc/OpenCL/vendors/pocl.icd", vendors)
        with open(os.path.join(vendors, f"zz-{second}.icd"), "w") as f:
            f.write(DRIVER[second] + "\n")
        env["OCL_ICD_VENDORS"] = vendors
        env["YOKE_PRIMARY"] = devices.split()[0]  # what the bare run has
    if second == "intel":
        env.update(LD_LIBRARY_PATH=os.path.dirname(DRIVER["intel"]), DPCPP_CPU_NUM_CUS="1")
    return env


def run(program, env, prefix=()):
    """A process that PoCL itself has ended is run again, with logs that are empty again."""
    start = time.monotonic()

    def again():
        for log in ("READHASH", "YOKE_COUNT_LOG"):
            if os.path.exists(env.get(log, "")):
                os.remove(env[log])

    try:
        done = crash.run([*prefix, *program.command], env, "", again, cwd=env["HOME"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=program.seconds)
        status, text = done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        status, text = "time-out", (e.stdout or b"").decode(errors="replace")
    return status, text, time.monotonic() - start


def observed(program, env, folder):
    """ENV with the layers that watch: what is read back (above), what reaches the drivers (below), files in FOLDER."""
    os.makedirs(folder)
    env = dict(env)
    if program.bytes_equal:
        env["READHASH"] = os.path.join(folder, "reads")
    if program.splits:
        env.update(OPENCL_LAYERS=LAYER, YOKE_COUNT_LOG=os.path.join(folder, "count"))
    return env


def bare(program, env, folder):
    env = observed(program, env, folder)
    if program.bytes_equal:
        env["LD_PRELOAD"] = READHASH
    return run(program, env)


def under_yoke(program, env, folder, several):
    # A benchmark's half on Oclgrind, which interprets, would take hours: where neither bytes nor boxes are looked at, yoke decides.
    force = several and (program.bytes_equal or program.splits)
    prefix = [YOKE, "run", "--json", os.path.join(folder, "summary.json")] + ["--force-split"] * force + ["--"]
    if program.bytes_equal:
        # `yoke run` puts libyoke.so first; the hash layer has to come before it.
        prefix += ["sh", "-c", 'export LD_PRELOAD="$0:$LD_PRELOAD"; exec "$@"', READHASH]
    return run(program, observed(program, env, folder), prefix)


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def compare_reads(a, b):
    print(f"{a.count(chr(10))} results read back")
    if not a:
        return ["nothing was read back: the hash layer did not see the program"]
    if a == b:
        return []
    lines = [(i, x, y) for i, (x, y) in enumerate(zip(a.splitlines(), b.splitlines())) if x != y]
    return [f"bytes differ: {a.count(chr(10))} and {b.count(chr(10))} results, {len(lines)} differ, first {lines[:1]}"]


def compare_answers(a, b):
    a, b = ([line for line in text.splitlines() if line.startswith("answer: ")] for text in (a, b))
    print(f"{len(a)} answers")
    return [f"{x} bare, {y} under yoke" for x, y in itertools.zip_longest(a, b) if x != y]


def check_split(folders):
    done = subprocess.run([COUNTCHECK, "--bare", os.path.join(folders[0], "count"), "--split-at-least", "1",
                           os.path.join(folders[1], "count")], capture_output=True, text=True, timeout=120)
    tail = "\n".join(done.stdout.splitlines()[-4:])
    print(f"below yoke:\n{tail}")
    return [] if done.returncode == 0 else [f"countcheck: status {done.returncode}: {done.stderr[-1000:]} {tail}"]


def split_devices(devices):
    """"basic +intel": ("basic", "intel")."""
    found = re.fullmatch(r"(.*?) *\+(oclgrind|intel)", devices)
    return found.groups() if found else (devices, "")


def second_there(second):
    if second == "intel":  # the script fetches it, or says why not
        return subprocess.run([os.path.join(HERE, "../../scripts/intel-opencl")], stdout=subprocess.DEVNULL, check=False).returncode == 0
    return not second or os.path.exists(DRIVER[second])


def check(name, devices):
    """Returns a list of what is wrong."""
    program = PROGRAMS[name]
    devices, second = split_devices(devices)
    several = second or len(devices.split()) > 1
    with tempfile.TemporaryDirectory() as home:
        folders = [os.path.join(home, which) for which in ("bare", "yoke")]
        alone = bare(program, environment(name, home, "pthread" if "pthread" in devices else "basic", ""), folders[0])
        if alone[0] != 0 or not re.search(program.expect, alone[1]):
            return [f"bare: status {alone[0]}: {alone[1][-2000:]}"]
        yoked = under_yoke(program, environment(name, home, devices, second), folders[1], bool(several))
        print(f"{name} on {devices}{' and ' + second if second else ''}: bare {alone[2]:.1f} s, yoke {yoked[2]:.1f} s")
        if yoked[0] != 0 or not re.search(program.expect, yoked[1]):
            return [f"under yoke: status {yoked[0]}: {yoked[1][-3000:]}"]
        print("\n".join(line for line in yoked[1].splitlines() if line.startswith("yoke:")))
        wrong = compare_answers(alone[1], yoked[1])
        if program.bytes_equal and not (second == "oclgrind" and name in BY_TYPE):
            wrong += compare_reads(*(read(os.path.join(f, "reads")) for f in folders))
        # With strict numerics nothing inexact goes to another vendor's device, and nothing of a program that its compiler
        # makes another text of (clpeak asks for cl_khr_fp16, which Oclgrind's has); any other reason is none.
        reasons = ("whole: numerics:", "whole: the other device's compiler makes another text")
        if program.splits and several and not (second and any(reason in yoked[1] for reason in reasons)):
            wrong += check_split(folders)
        if name == "clinfo-l":
            found = [len(re.findall(kind + r" #\d+", yoked[1])) for kind in ("Platform", "Device")]
            if found != [1, 1]:
                wrong.append(f"{found[0]} platforms, {found[1]} devices; one each is wanted: {yoked[1]}")
    return wrong


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in PROGRAMS:
        sys.exit(f"usage: programs.py {'|'.join(PROGRAMS)} DEVICES")
    name, devices = sys.argv[1:]
    second = split_devices(devices)[1]
    program = PROGRAMS[name]
    missing = [] if program.installed() else [f"{PYTHON}'s module {program.needs}" if program.needs else program.tool or program.command[0]]
    missing += [] if second_there(second) else [f"{second}'s driver"]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed")
        sys.exit(77)
    wrong = check(name, devices)
    for line in wrong:
        print(f"WRONG: {name}: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
