"""The demonstration itself; scripts/demo installs, builds and calls it. Everything it says about results is compared here:
the programs' own hashes of their results, or every byte that they read back from OpenCL."""
import json
import os
import re
import shutil
import subprocess
import sys

BUILD = os.path.abspath(sys.argv[1])
YOKE = os.path.join(BUILD, "yoke")
READHASH = os.path.join(BUILD, "tests/programs/libreadhash.so")
HOME = os.path.join(BUILD, "demo-home")
RUNS = 3  # of a program; the best one is shown, with what yoke did in it
LIMIT = 240  # seconds a program may take; a first run compiles its kernels
MD5_OF_YOKES = "9bbcb3e1c7e5afae095e4b1d5856e02b"

# Programs of bench/apps with the size that gives each about a second of work on a processor core.
APPS = [
    ("binomial_option", ["--size", "table2", "--repeat", "4"], "option prices on a binomial lattice"),
    ("matrix_multiply", ["--size", "table2", "--repeat", "16"], "matrix product with local memory"),
    ("nbody", ["--size", "table2", "--repeat", "48"], "all-pairs gravity"),
]
HASHCAT = ["hashcat", "-m", "0", "-a", "3", "--force", "--potfile-disable", "--quiet", "-n", "16", "-u", "64", MD5_OF_YOKES,
           "?l?l?l?l?l"]


class Wrong(Exception):
    pass


def base_environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("YOKE_") and k not in ("LD_PRELOAD", "OPENCL_LAYERS")}
    env.update(HOME=HOME, XDG_CACHE_HOME=HOME + "/cache", XDG_DATA_HOME=HOME + "/data")
    for folder in (HOME, HOME + "/cache", HOME + "/data"):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return env


def run(command, env):
    try:
        done = subprocess.run(command, env=env, cwd=HOME, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{command[0]}: more than {LIMIT} s") from None
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def devices_of(env):
    done = subprocess.run([YOKE, "devices", "--json"], env=env, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        raise Wrong(done.stderr)
    return [d for d in json.loads(done.stdout)["devices"] if d["usable"]]


def choose():
    """The environments for bare and yoke, and the number of the bare device among those a program sees."""
    both = base_environment()
    if len(devices_of(both)) >= 2:
        primary = next(d for d in devices_of(both) if d["primary"])
        return dict(both), both, primary["index"]
    # One device only: PoCL can present the processor as two, each driven by one thread.
    both["POCL_DEVICES"] = "basic basic"
    if len(devices_of(both)) < 2:
        raise Wrong("one OpenCL device only, and no PoCL (pocl-opencl-icd) to make two of the processor")
    print("This machine has one OpenCL device. PoCL (POCL_DEVICES=\"basic basic\") presents its processor as two,\n"
          "each driven by one thread; bare programs get one of them.\n")
    return dict(both, POCL_DEVICES="basic"), both, 0


def summary_line(path):
    """What yoke's summary says of launches and shares."""
    with open(path) as f:
        summary = json.load(f)
    launches = summary["launches"]
    text = f"{launches['split']} launches split, {launches['whole']} whole"
    if launches["split"]:
        text += "; shares " + " : ".join(f"{100 * d['share']:.0f} %" for d in summary["devices"])
    return text


def app_result(text, name):
    """{"time_ms": .., "result": .., "hash": ..} of the line a program of bench/apps ends with."""
    lines = [line for line in text.splitlines() if line.startswith(name + " ")]
    if not lines:
        raise Wrong(f"{name}: no result line in {text[-300:]!r}")
    return dict(re.findall(r"(\w+)=(\S+)", lines[-1]))


def demo_app(name, options, bare_env, yoke_env, bare_device):
    path = os.path.join(BUILD, "bench/apps", name)
    report = os.path.join(HOME, "summary.json")
    bare_command = [path, *options, "--device", str(bare_device)]
    yoke_command = [YOKE, "run", "--quiet", "--json", report, "--", path, *options]
    best = []
    for command, env in ((bare_command, bare_env), (yoke_command, yoke_env)):
        runs = []
        for _ in range(RUNS):  # the first one compiles, and measures
            result = app_result(run(command, env), name)
            runs.append(dict(result, summary=summary_line(report) if command is yoke_command else ""))
        if {r["result"] for r in runs} != {"OK"} or len({r["hash"] for r in runs}) != 1:
            raise Wrong(f"{name}: {runs}")
        best.append(min(runs, key=lambda r: float(r["time_ms"])))
    if best[0]["hash"] != best[1]["hash"]:
        raise Wrong(f"{name}: results differ: bare {best[0]['hash']}, yoke {best[1]['hash']}")
    times = [float(b["time_ms"]) for b in best]
    return times, best[1]["summary"], f"results equal ({best[0]['hash']})"


def demo_hashcat(bare_env, yoke_env):
    """A program nobody here wrote, which loads OpenCL by dlopen; each byte it reads back is hashed and compared."""
    report = os.path.join(HOME, "summary.json")
    above = ["sh", "-c", 'export LD_PRELOAD="$0${LD_PRELOAD:+:$LD_PRELOAD}"; exec "$@"', READHASH]
    times, hashes = [], []
    for prefix, env in (([], bare_env), ([YOKE, "run", "--quiet", "--json", report, "--"], yoke_env)):
        env = dict(env, READHASH=os.path.join(HOME, "readhash"))
        run(prefix + HASHCAT, env)  # compiles
        if os.path.exists(env["READHASH"]):
            os.remove(env["READHASH"])
        start = os.times().elapsed
        found = run(prefix + above + HASHCAT, env)
        times.append((os.times().elapsed - start) * 1e3)
        if MD5_OF_YOKES + ":yokes" not in found:
            raise Wrong(f"hashcat did not find the password: {found[-300:]!r}")
        with open(env["READHASH"]) as f:
            hashes.append(f.read())
    if hashes[0] != hashes[1] or not hashes[0]:
        raise Wrong("hashcat: what it read back differs")
    return times, summary_line(report), f"results equal ({hashes[0].count(chr(10))} reads)"


def show(name, what, times, shares, equal):
    print(f"{name}: {what}\n"
          f"    bare on one device {times[0]:9.1f} ms    under yoke {times[1]:9.1f} ms    speed-up {times[0] / times[1]:.2f}\n"
          f"    {shares}; {equal}\n", flush=True)


def main():
    bare_env, yoke_env, bare_device = choose()
    print("$ yoke devices")
    print(subprocess.run([YOKE, "devices"], env=yoke_env, check=True, capture_output=True, text=True).stdout)
    failed, programs = [], 0
    for name, options, what in APPS:
        programs += 1
        try:
            show(name, what, *demo_app(name, options, bare_env, yoke_env, bare_device))
        except Wrong as e:
            failed.append(name)
            print(f"{name}: FAILED: {e}\n", flush=True)
    programs += 1
    try:
        if not shutil.which("hashcat"):
            raise Wrong("not installed")
        show("hashcat (Debian)", "password search; times with start-up", *demo_hashcat(bare_env, yoke_env))
    except Wrong as e:
        failed.append("hashcat")
        print(f"hashcat: FAILED: {e}\n")
    print(f"{programs - len(failed)} of {programs} programs: results under yoke equal to those of the bare run")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except Wrong as e:
        sys.exit(f"scripts/demo: {e}")
