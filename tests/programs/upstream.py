#!/usr/bin/env python3
"""What others wrote to test their own OpenCL libraries, as Debian packs it: pyopencl's tests and examples, CLBlast's tests. Each
is run bare and under yoke; whatever passes bare passes under yoke, also with splits forced.

    upstream.py pyopencl|examples|clblast DEVICES [--part I/N] [--seconds S]      DEVICES as POCL_DEVICES

The packages are fetched into the build folder by apt-get and unpacked there; nothing is installed. Status 0: the rule holds; 1: it
does not; 77: what is needed cannot be had (skipped). Environment: YOKE_TEST_BUILD the build folder."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])
DEBIAN = os.path.join(BUILD, "tests/programs/debian")
PYTHON = "/usr/bin/python3"
PYTEST = ["python3-pytest", "python3-attr", "python3-more-itertools", "python3-pluggy", "python3-py", "python3-exceptiongroup",
          "python3-iniconfig", "python3-packaging", "python3-tomli"]
NEEDS = {"pyopencl": ["python-pyopencl-doc", *PYTEST], "examples": ["python-pyopencl-doc"], "clblast": ["clblast-tests"]}
# Examples that need a screen, other packages, or a person, or that print times and names alone.
NOT_RUN = {"gl_interop_demo.py", "gl_particle_animation.py", "demo_meta_codepy.py", "demo_meta_template.py", "dump-performance.py",
           "dump-properties.py", "median-filter.py", "demo_mandelbrot.py", "black-hole-accretion.py"}


def fetch(packages):
    """Unpack what is not there yet; the folder, or None with a line that says why."""
    os.makedirs(DEBIAN, exist_ok=True)
    for package in packages:
        if glob.glob(f"{DEBIAN}/{package}_*.deb"):
            continue
        done = subprocess.run(["apt-get", "download", "-qq", package], cwd=DEBIAN, capture_output=True, text=True, timeout=300)
        found = glob.glob(f"{DEBIAN}/{package}_*.deb")
        if done.returncode or not found:
            print(f"skipped: {package} cannot be had: {done.stderr.strip()[-200:]}")
            return None
        subprocess.run(["dpkg-deb", "-x", found[0], DEBIAN], check=True)
    return DEBIAN


def environment(home, devices, split):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("YOKE_", "XDG_", "POCL_", "OCL_", "OPENCL_")) and k != "LD_PRELOAD"}
    env.update(HOME=home, POCL_DEVICES=devices, POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache",
               XDG_DATA_HOME=home + "/data", PYTHONPATH=DEBIAN + "/usr/lib/python3/dist-packages", PYOPENCL_CTX="0",
               PYTHONDONTWRITEBYTECODE="1", PYOPENCL_NO_CACHE="1", CLBLAST_PLATFORM="0", CLBLAST_DEVICE="0")
    for name in ("pocl", "cache", "data"):
        os.makedirs(f"{home}/{name}", mode=0o700, exist_ok=True)
    if split is not None:
        env["LD_PRELOAD"] = os.path.join(BUILD, "libyoke.so")
        if split:
            env["YOKE_FORCE_SPLIT"] = "1"
    return env


def run(command, env, folder, seconds):
    try:
        done = crash.run(command, env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=seconds)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return "time-out", (e.stdout or b"").decode(errors="replace")


def pytest_results(env, file, folder, seconds):
    """{test: passed, failed, skipped} of one file."""
    report = os.path.join(env["HOME"], "report.xml")
    if os.path.exists(report):
        os.remove(report)
    status, text = run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", file], env, folder, seconds)
    if not os.path.exists(report):
        return {"": f"no report ({status}): {text[-400:]}"}
    results = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        # The parameter names the device.
        name = re.sub(r"<.*>|\bPyOpenCL\b.*", "", case.get("name"))
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        results[name] = kinds.pop() if kinds else "pass"
    return results


def example_results(env, file, folder, seconds):
    status, text = run([PYTHON, file], env, folder, seconds)
    return {file: "pass" if status == 0 else f"status {status}: {text[-300:]}"}


def clblast_results(env, file, folder, seconds):
    """Each routine and precision prints how many of its cases passed."""
    status, text = run([file], env, folder, seconds)
    results, routine = {"": f"status {status}"}, ""
    for line in text.splitlines():
        if m := re.search(r"Testing the .*'(.+)' routine", line):
            routine = m[1]
        elif m := re.search(r"(\d+) test\(s\) passed", line):
            results[f"{routine} passed"] = int(m[1])
    return results


def worse(bare, other):
    """Keys that pass bare (numbers: fewer) and not otherwise."""
    lost = {}
    for key, was in bare.items():
        now = other.get(key)
        if was == "pass" and now != "pass" or isinstance(was, int) and (not isinstance(now, int) or now < was) or \
                key == "" and was == "status 0" and now != was:
            lost[key] = (was, now)
    return lost


def bare_device(devices):
    """PoCL 3.1's basic device never ends what waits for a user event (test_array.py); its pthread device is as good a measure."""
    first = devices.split()[0]
    return "pthread" if first == "basic" else first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=NEEDS)
    parser.add_argument("devices")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th file from the I-th")
    parser.add_argument("--seconds", type=int, default=1500, help="for one file")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    if subprocess.run([PYTHON, "-c", "import pyopencl, numpy"], capture_output=True).returncode and options.what != "clblast":
        print("skipped: pyopencl is not installed")
        return 77
    if not fetch(NEEDS[options.what]):
        return 77
    folder = os.path.join(DEBIAN, "usr/share/doc/python-pyopencl-doc/examples")
    if options.what == "clblast":
        folder = DEBIAN
        files, results = sorted(glob.glob(f"{DEBIAN}/usr/bin/clblast_test_*")), clblast_results
    elif options.what == "pyopencl":
        files, results = sorted(os.path.basename(f) for f in glob.glob(f"{folder}/test_*.py")), pytest_results
    else:
        files = sorted({os.path.basename(f) for f in glob.glob(f"{folder}/*.py")} - NOT_RUN)
        files, results = [f for f in files if not f.startswith("test_")], example_results
    first, step = (int(n) for n in options.part.split("/"))
    wrong, passed = [], 0
    with tempfile.TemporaryDirectory() as home:
        for file in [f for f in files if options.filter in f][first::step]:
            bare = results(environment(home, bare_device(options.devices), None), file, folder, options.seconds)
            good = sum(v if isinstance(v, int) else v == "pass" for v in bare.values())
            passed += good
            print(f"{os.path.basename(file)}: {good} pass bare", flush=True)
            for split in (False, True) if good else ():
                lost = worse(bare, results(environment(home, options.devices, split), file, folder, options.seconds))
                for key, (was, now) in lost.items():
                    wrong.append(f"{os.path.basename(file)} {key}{' [splits forced]' if split else ''}: {was} bare, {now} under yoke")
                    print(f"WRONG: {wrong[-1]}", flush=True)
    print(f"{passed} pass bare, {len(wrong)} of them not under yoke on {options.devices}")
    return 1 if wrong or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
