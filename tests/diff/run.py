#!/usr/bin/env python3
"""Programs of diffgen bare and under libyoke.so: the same bytes? Prints the seeds, what differs, and how many kernels
really ran on several devices (seen below yoke by tests/count). See README.md.

    run.py split SEEDS       PoCL devices of one class, byte for byte; number of devices and strategy drawn from the seed
    run.py ahead SEEDS       the same where the primary begins each launch alone (YOKE_AHEAD=force)
    run.py vendors SEEDS     PoCL beside Oclgrind or Intel: byte for byte with strict numerics; nothing for Oclgrind to report
    run.py memory SEEDS      on devices with 1/2 to 1/16 of the memory that the program's data take, byte for byte
    run.py any SEEDS         the same with `any`: each number is one that one of the two devices computes
    run.py oclgrind SEEDS    no yoke: Oclgrind reports nothing, and integer kernels are the same on both drivers

SEEDS: N or N..M. Options: --kernels N (per seed), --light P (per cent of them that are built quickly), --optimised P (per cent of
programs that go through the driver's optimiser; in the nightly tier always 25), --least P (per cent that must
run on several devices),
--devices "basic basic" --strategy S (instead of drawn), --second oclgrind|intel, --driver LIBRARY (split: all devices of this
OpenCL driver, of one class, instead of PoCL's: libnvidia-opencl.so.1, with --optimised 100, as NVIDIA's own programs fault in one
kernel of 12 without its optimiser). Environment: YOKE_TEST_BUILD, the build folder.
A process that PoCL itself has ended is run again (tests/crash); bytes that differ never are.
Status 0: as it should be. 1: not; what shows it lies in tests/diff/failed of the build folder. 77: skipped."""
import argparse
import collections
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../crash"))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
DIFFGEN = os.path.join(BUILD, "tests/diff/diffgen")
COUNT = os.path.join(BUILD, "tests/count/libyokecount.so")
CHECK = os.path.join(BUILD, "tests/count/countcheck")
YOKE = os.path.join(BUILD, "libyoke.so")
INTEL = os.path.join(HERE, "../../build/intel/lib")
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
SECONDS = 400  # of one process; one seed takes some 10


class Wrong(Exception):
    pass


class DriverFails(Exception):
    """PoCL 3.1 leaves a symbol undefined in some kernels with a barrier (one in 700), and ends the process."""


class Work:
    """A folder of its own for the runs of one seed, and the caches all seeds share."""

    def __init__(self, name, seed, options):
        self.seed, self.options = seed, options
        self.folder = os.path.join(BUILD, "tests/diff/work", f"{name}-{seed}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        home = os.path.join(BUILD, "tests/diff/home", name)
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_")) and k != "LD_PRELOAD"}
        # PoCL's cache is a seed's own: before version 6 processes that share one can find half-written kernels.
        for variable, folder in (("POCL_CACHE_DIR", f"pocl-{seed}"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
            path = os.path.join(home, folder)
            os.makedirs(path, mode=0o700, exist_ok=True)
            self.environment[variable] = path

    def path(self, name):
        return os.path.join(self.folder, name)

    def vendors(self, *icds):
        """A folder for OCL_ICD_VENDORS."""
        folder = self.path("vendors-" + "-".join(icds))
        os.makedirs(folder, exist_ok=True)
        for icd in icds:
            target = {"oclgrind": OCLGRIND, "pocl": pocl_icd(), "intel": os.path.join(INTEL, "libintelocl.so")}[icd]
            if icd == "intel":
                self.environment.update(LD_LIBRARY_PATH=INTEL, DPCPP_CPU_NUM_CUS="1")
            with open(os.path.join(folder, icd + ".icd"), "w", encoding="ascii") as file:
                file.write(target + "\n")
        return folder

    def only_driver(self, library):
        """Every run of this seed on the devices of LIBRARY."""
        folder = self.path("vendors-driver")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "driver.icd"), "w", encoding="ascii") as file:
            file.write(library + "\n")
        # The one for ocl-icd, the other for Khronos' loader.
        self.environment.update(OCL_ICD_VENDORS=folder, OCL_ICD_FILENAMES=library)

    def generate(self, label, environment, preload=False):
        """Run the seed's programs; returns the file of results."""
        out = self.path(label + ".bin")
        with open(self.path("program.cl"), "wb") as file:
            subprocess.run([DIFFGEN, "print", "--seed", str(self.seed)] + self.options, stdout=file, check=True)
        env = dict(self.environment, OPENCL_LAYERS=COUNT, YOKE_COUNT_LOG=self.path(label + ".log"), **environment)
        command = [DIFFGEN, "run", "--seed", str(self.seed), "--out", out] + self.options

        def again():
            for path in (out, self.path(label + ".log")):
                if os.path.exists(path):
                    os.remove(path)

        try:
            done = crash.run(command, env, YOKE if preload else "", again, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", timeout=SECONDS)
            output, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, status = (late.stdout or b"").decode(errors="replace"), "none: no end"
        with open(self.path(label + ".txt"), "w", encoding="utf-8") as file:
            file.write(output)
        # One of PoCL's own variables for a work-group; bare, or for an offset that only boxes have.
        if status != 0 and re.search("undefined symbol: _(group_id|num_groups|global_offset|local_size)_", output):
            raise DriverFails
        if status != 0:
            tail = "\n".join(line for line in output.splitlines() if "warnings generated" not in line)[-2000:]
            raise Wrong(f"{label} run: status {status}\n{tail}")
        return out

    def compare(self, got, *references):
        done = subprocess.run([DIFFGEN, "compare", got, *references], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0:
            raise Wrong(f"{os.path.basename(got)} against {', '.join(os.path.basename(r) for r in references)}:\n{done.stdout}")

    def split_kernels(self, bare, split):
        """Names of all kernels, and of those with a launch on several devices. The boxes must tile each launch."""
        if not os.path.exists(self.path(split + ".log")):  # an older loader, which knows no layers
            with open(self.path(split + ".txt"), encoding="utf-8") as file:
                told = re.search(r"^yoke: launches: .*$", file.read(), re.M)
            print(f"seed {self.seed}: the loader takes no layer; {told[0] if told else 'yoke saw no launch'}")
            if not told:
                raise Wrong("nothing ran under yoke")
            return set(), set()
        done = subprocess.run([CHECK, "--json", "--bare", self.path(bare + ".log"), self.path(split + ".log")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        try:
            launches = json.loads(done.stdout)["launches"]
        except (ValueError, KeyError) as error:
            raise Wrong(f"countcheck: {error}: {done.stderr}") from error
        wrong = [x["kernel"] for x in launches if not x["ok"]]
        if wrong or done.returncode != 0:
            raise Wrong(f"what reached the drivers does not make up the launches of {wrong}: {done.stderr}")
        return {x["kernel"] for x in launches}, {x["kernel"] for x in launches if len(x["shares"]) > 1}

    def merge_kernels(self, label):
        if not os.path.exists(self.path(label + ".log")):
            return 0
        with open(self.path(label + ".log"), encoding="utf-8", errors="replace") as file:
            return sum(" launch " in line and " yk_merge_" in line for line in file)

    def reasons(self):
        """Why launches ran whole, in yoke's words, with how many."""
        try:
            with open(self.path("yoke.txt"), encoding="utf-8") as file:
                return [(int(n), re.sub(r"line \d+: | \S+$" if "buffer" in why else r"line \d+: ", "", why))
                        for n, why in re.findall(r"^yoke: +(\d+) whole: (.*)$", file.read(), re.M)]
        except OSError:
            return []

    def keep(self, why):
        failed = os.path.join(BUILD, "tests/diff/failed", os.path.basename(self.folder))
        shutil.rmtree(failed, ignore_errors=True)
        shutil.copytree(self.folder, failed)
        with open(os.path.join(failed, "why.txt"), "w", encoding="utf-8") as file:
            file.write(why + "\n")
        return failed

    def done(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def pocl_icd():
    for folder in ("/etc/OpenCL/vendors",):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if "pocl" in name:
                with open(os.path.join(folder, name), encoding="ascii") as file:
                    return file.read().strip()
    return "libpocl.so.2"


def draw(seed, arguments):
    """Devices and shares of a seed: mostly two devices, now and then three."""
    rng = random.Random(seed * 7919 + 1)
    count = rng.choice([2, 2, 2, 2, 2, 3])
    shares = [rng.randint(1, 99) for _ in range(count)]
    strategy = rng.choice(["even", "linear", ":".join(map(str, shares))])
    return arguments.devices or " ".join(["basic"] * count), arguments.strategy or strategy


def split(work, arguments):
    devices, strategy = draw(work.seed, arguments)
    own = arguments.own or random.Random(work.seed * 31 + 5).choice(["", "own@1", "own@0", "own@*"])
    cut = random.Random(work.seed * 37 + 11).choice(["", "", "0", "1", "2"])
    merge = arguments.merge or random.Random(work.seed * 41 + 3).choice(["auto", "auto", "kernel", "difference"])
    mailbox = random.Random(work.seed * 43 + 7).choice(["off", "off", "off", "force"])
    tail = random.Random(work.seed * 47 + 13).choice(["off", "force"])
    flight = random.Random(work.seed * 53 + 17).choice(["off", "force"])
    if arguments.driver:
        work.only_driver(arguments.driver)
        strategy = arguments.strategy or "even"
    bare = work.generate("bare", {"POCL_DEVICES": devices.split()[0]})
    got = work.generate("yoke", {"POCL_DEVICES": devices, "YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": strategy, "YOKE_SUMMARY": "1",
                                 "YOKE_FAULT": own, "YOKE_CUT": cut, "YOKE_MERGE": merge, "YOKE_MAILBOX": mailbox, "YOKE_TAIL": tail,
                                 "YOKE_FLIGHT": flight}, True)
    work.compare(got, bare)
    every, several = work.split_kernels("bare", "yoke")
    count = len(devices.split())
    how = f"{count} devices {own}, {strategy}{', cut along ' + cut if cut else ''}, merge {merge}, mailboxes {mailbox}, ends {tail}, flights {flight}"
    return (f"{how} ({work.merge_kernels('yoke')} launches of merge kernels)", (every, several) if count > 1 else (set(), set()))


def ahead(work, arguments):
    """The primary begins every launch alone, and others take a part of the rest. No yoke-warm: what it launches would be counted."""
    devices, _ = draw(work.seed, arguments)
    own = arguments.own or random.Random(work.seed * 31 + 5).choice(["", "own@1", "own@0", "own@*"])
    bare = work.generate("bare", {"POCL_DEVICES": devices.split()[0]})
    got = work.generate("yoke", {"POCL_DEVICES": devices, "YOKE_AHEAD": "force", "YOKE_SUMMARY": "1", "YOKE_FAULT": own,
                                 "YOKE_PROFILE": "0"}, True)
    work.compare(got, bare)
    return f"{len(devices.split())} devices {own}, the primary ahead", work.split_kernels("bare", "yoke")


def memory(work, arguments):
    """A device with little memory. What a launch touches anywhere must fit in half of it, beside what stays there."""
    with open(work.path("program.cl"), "wb") as file:
        subprocess.run([DIFFGEN, "print", "--seed", str(work.seed)] + work.options, stdout=file, check=True)
    with open(work.path("program.cl"), encoding="utf-8", errors="replace") as file:
        lines = re.findall(r"^//    (.*#.*)$", file.read(), re.M)
    sizes = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8}
    launches = [{n: sizes[t] * int(count) for n, t, count in re.findall(r"#(\d+)=(\w+)\[(\d+)\]", line)} for line in lines]
    data = sum({n: size for launch in launches for n, size in launch.items()}.values())
    largest = max(sum(launch.values()) for launch in launches)
    part = random.Random(work.seed * 53 + 17).choice([2, 4, 8, 16])
    limit = max(data // part, 2 * largest + 16384)
    if arguments.driver:
        work.only_driver(arguments.driver)
    devices = arguments.devices or random.Random(work.seed * 59 + 19).choice(["basic", "pthread", "basic basic"])
    ring = random.Random(work.seed * 61 + 23).choice(["off", "force"])
    evict = random.Random(work.seed * 67 + 29).choice(["off", "auto", "force"])
    bare = work.generate("bare", {"POCL_DEVICES": devices.split()[0]})
    got = work.generate("yoke", {"POCL_DEVICES": devices, "YOKE_FORCE_SPLIT": "1", "YOKE_MEMORY": "host", "YOKE_SUMMARY": "1",
                                 "YOKE_MEMORY_LIMIT": f"0={limit}", "YOKE_RING": ring, "YOKE_EVICT": evict}, True)
    work.compare(got, bare)
    with open(work.path("yoke.txt"), encoding="utf-8") as file:
        said = file.read()
    windows, came = (sum(int(n) for n in re.findall(rf"^yoke: +(\d+) whole: it ran over {over}", said, re.M))
                     for over in ("windows", "buffers that had come"))
    if not windows + came or came and evict == "off":
        raise Wrong(f"{windows} launches saw windows, {came} buffers that came, evict {evict}: {limit} of {data} bytes")
    return (f"{limit} of {data} bytes, {devices}, ring {ring}, evict {evict}: {windows} launches over windows, {came} over what came",
            (set(), set()))


def nothing_reported(log):
    report = ""
    if os.path.exists(log):  # Oclgrind makes it when it is first used
        with open(log, encoding="utf-8", errors="replace") as file:
            report = file.read()
    if report.strip():
        raise Wrong("Oclgrind reports:\n" + report[:2000])


def vendor_environment(work, second, numerics, log):
    """PoCL's device and one of another vendor, each half of every launch; what Oclgrind reports goes to LOG."""
    return {"POCL_DEVICES": "basic", "OCL_ICD_VENDORS": work.vendors("pocl", second), "YOKE_PRIMARY": "basic",
            "YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "even", "YOKE_NUMERICS": numerics, "YOKE_SUMMARY": "1",
            "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": log}


def both_vendors(work, second, numerics):
    """The primary is PoCL's device, so that it is what the bare run has. What Oclgrind is given are yoke's variants: it must have
    nothing to report of them, as it has not of the originals (mode oclgrind)."""
    log = work.path("oclgrind.log.txt")
    got = work.generate("yoke", vendor_environment(work, second, numerics, log), True)
    nothing_reported(log)
    return got


def vendors(work, arguments):
    work.options += ["--plain"]
    bare = work.generate("bare", {"POCL_DEVICES": "basic", "OCL_ICD_VENDORS": work.vendors("pocl")})
    work.compare(both_vendors(work, arguments.second, "strict"), bare)
    return f"PoCL and {arguments.second}, strict", work.split_kernels("bare", "yoke")


def any_numerics(work, arguments):
    work.options += ["--plain", "--apart"]
    pocl = work.generate("pocl", {"POCL_DEVICES": "basic", "OCL_ICD_VENDORS": work.vendors("pocl")})
    second = work.generate("second", {"OCL_ICD_VENDORS": work.vendors(arguments.second)})
    work.compare(both_vendors(work, arguments.second, "any"), pocl, second)
    return f"PoCL and {arguments.second}, any", work.split_kernels("pocl", "yoke")


def oclgrind(work, _):
    log = work.path("oclgrind.log.txt")
    oclgrind_environment = {"OCL_ICD_VENDORS": work.vendors("oclgrind"), "OCLGRIND_DATA_RACES": "1", "OCLGRIND_LOG": log}
    work.options += ["--plain"]
    work.generate("oclgrind", oclgrind_environment)
    work.options += ["--inexact", "0"]
    got = work.generate("oclgrind-exact", oclgrind_environment)
    work.compare(got, work.generate("bare", {"POCL_DEVICES": "basic", "OCL_ICD_VENDORS": work.vendors("pocl")}))
    nothing_reported(log)
    return "no report; integer kernels as on PoCL", (set(), set())


MODES = {"split": split, "ahead": ahead, "memory": memory, "vendors": vendors, "any": any_numerics, "oclgrind": oclgrind}


def seeds_of(text):
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not match:
        raise argparse.ArgumentTypeError("N or N..M")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def second_there(second):
    if second == "oclgrind" and not os.path.exists(OCLGRIND):
        print("skipped: Oclgrind is not installed")
        return False
    # The script says by itself why it skips.
    return second == "oclgrind" or subprocess.run([os.path.join(HERE, "../../scripts/intel-opencl")], stdout=subprocess.DEVNULL,
                                                  check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("seeds", type=seeds_of)
    parser.add_argument("--kernels", type=int, default=25)
    parser.add_argument("--light", type=int, default=0, help="per cent of kernels that are built quickly")
    parser.add_argument("--optimised", type=int, default=25, help="per cent of programs that go through the driver's optimiser")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--devices")
    parser.add_argument("--strategy")
    parser.add_argument("--driver", help="split: the OpenCL driver whose devices are used")
    parser.add_argument("--own", help="own@0: device 0 is taken for one with memory of its own; own@*: all")
    parser.add_argument("--merge", choices=["auto", "kernel", "difference"], help="how outputs that are not exact are put together")
    parser.add_argument("--second", choices=["oclgrind", "intel"], default="oclgrind")
    arguments = parser.parse_args()
    if arguments.mode not in ("split", "ahead", "memory") and not second_there(arguments.second):
        return 77
    # Without its optimiser PoCL keeps the variables of all work-items of a group on the stack: one kernel in a thousand needs
    # more than 8 MiB, bare too.
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 29 if hard == resource.RLIM_INFINITY else min(1 << 29, hard), hard))
    if os.environ.get("YOKE_NIGHTLY"):
        times = 5 if arguments.mode in ("split", "ahead", "memory") else 34
        arguments.optimised = parser.get_default("optimised")
        arguments.seeds = range(arguments.seeds[0] * 1000, arguments.seeds[0] * 1000 + times * len(arguments.seeds))
    every, several, failed, reasons = set(), set(), 0, collections.Counter()
    seeds = list(arguments.seeds)
    for seed in seeds:
        began = time.monotonic()
        # Two tests may run one seed at once, beside different vendors.
        name = arguments.mode if arguments.second == "oclgrind" else f"{arguments.mode}_{arguments.second}"
        work = Work(name, seed, ["--kernels", str(arguments.kernels), "--light", str(arguments.light),
                                 "--optimised", str(arguments.optimised)])
        try:
            what, (kernels, on_several) = MODES[arguments.mode](work, arguments)
            every |= kernels
            several |= on_several
            print(f"seed {seed}: ok: {what}: {len(on_several)} of {len(kernels)} kernels on several devices, "
                  f"{time.monotonic() - began:.1f} s", flush=True)
        except DriverFails:
            print(f"seed {seed}: PoCL cannot run it (undefined symbol in a kernel's binary): another seed instead", flush=True)
            seeds.append(seed + 1000003)
        except Wrong as wrong:
            failed += 1
            print(f"seed {seed}: WRONG: {wrong}\n  kept in {work.keep(str(wrong))}; "
                  f"again: YOKE_TEST_BUILD={BUILD} {sys.argv[0]} {arguments.mode} {seed} --kernels {arguments.kernels} "
                  f"--light {arguments.light} --optimised {arguments.optimised}", flush=True)
        for n, why in work.reasons():
            reasons[why] += n
        work.done()
    share = 100 * len(several) / len(every) if every else 0
    print(f"{len(seeds)} seeds of {arguments.kernels} kernels: {failed} wrong; {len(several)} of {len(every)} kernels "
          f"({share:.1f} %) ran on several devices")
    for why, n in reasons.most_common():
        print(f"  {n} launches whole: {why}")
    if every and share < arguments.least:
        print(f"fewer than {arguments.least} %")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
