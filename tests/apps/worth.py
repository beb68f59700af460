#!/usr/bin/env python3
"""In auto mode work on splitting begins only when a program has run for as long as that is predicted to cost: a short program leaves
nothing of the transformer in yoke's cache; a long one gets most of its launches split once the caches are filled. GPUs
that were of no use to a program in several processes are left alone in the next ones, but in every so manieth.

Environment: YOKE_TEST_BUILD, the build folder. Status 0: all so; 1: not."""
import json
import os
import shutil
import subprocess
import sys

for beside in ("../crash", "../../bench"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), beside))
sys.dont_write_bytecode = True
import crash  # noqa: E402: beside us, not installed
import warming  # noqa: E402

BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", "build/dev"))
FOLDER = os.path.join(BUILD, "tests/apps/work/worth")


def summary(name, *options, **variables):
    """Run a program on two devices; what yoke says of it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_"))}
    for variable, folder in (("POCL_CACHE_DIR", "pocl"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")):
        env[variable] = os.path.join(FOLDER, name, folder)
        os.makedirs(env[variable], mode=0o700, exist_ok=True)
    env.update(POCL_DEVICES="basic basic", YOKE_JSON=os.path.join(FOLDER, "json"), **variables)
    command = [os.path.join(BUILD, "bench/apps", name), "--no-verify", *options]
    done = crash.run(command, env, os.path.join(BUILD, "libyoke.so"), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, f"{command}: status {done.returncode} {done.stderr}"
    with open(env["YOKE_JSON"], encoding="utf-8") as file:
        return json.load(file)


def run(name, *options, **variables):
    """The same; its launches as yoke counts them."""
    return summary(name, *options, **variables)["launches"]


def settle(name):
    assert warming.settle(os.path.join(FOLDER, name)), "yoke-warm does not end"


def profile(name, *command):
    env = dict(os.environ, XDG_DATA_HOME=os.path.join(FOLDER, name, "data"))
    subprocess.run([os.path.join(BUILD, "yoke"), "profile", *command], env=env, check=True, timeout=60, stdout=subprocess.DEVNULL)


def exported(name):
    file = os.path.join(FOLDER, "export.json")
    profile(name, "export", file)
    with open(file, encoding="utf-8") as samples:
        return json.load(samples)


def of_kind(samples, kind):
    """The series of the program's kernels."""
    return [s for s in samples if s["kind"] == kind and not s["name"].startswith("(")]


def replace(name, samples):
    file = os.path.join(FOLDER, "import.json")
    with open(file, "w", encoding="utf-8") as imported:
        json.dump(samples, imported)
    profile(name, "clear")
    profile(name, "import", file)


def undeclined(name):
    return [s for s in exported(name) if s["kind"] != "declined"]


def spoil(name, kind="shared", times=3):
    """Make what is remembered of a kind so many times as slow as it was, and nobody has ever declined a launch for that."""
    samples = undeclined(name)
    assert of_kind(samples, kind), f"nothing of the kind {kind} is remembered: {samples}"
    for series in of_kind(samples, kind):
        for sample in series["samples"]:
            sample[1] *= times
    replace(name, samples)


def alone(name):
    return max(sample[1] for series in of_kind(exported(name), "alone") for sample in series["samples"])


def uselessness(name):
    """In how many processes, one after the other, were other devices of no use to the program?"""
    found = [s["samples"][0][2] - 1 for s in exported(name) if s["name"] == "(program)" and s["kind"] == "declined"]
    return found[0] if found else 0


def analysed(name):
    folder = os.path.join(FOLDER, name, "cache/yoke/facts")
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def foreseen():
    """What the first process of a program leaves to be done is all that the second one needs, unless the machine is busy with other things."""
    for _ in range(4):
        shutil.rmtree(os.path.join(FOLDER, "aes_encrypt"), ignore_errors=True)
        first = run("aes_encrypt", "--size", "table2")
        assert not first["split"], f"nobody can have compiled for a second device: {first}"
        settle("aes_encrypt")
        classes = os.path.join(FOLDER, "aes_encrypt", "cache/yoke/numeric")
        assert not os.path.isdir(classes) or not os.listdir(classes), "numeric classes were found out for integer kernels: seconds of compiling"
        second = run("aes_encrypt", "--size", "table2")
        settle("aes_encrypt")
        print(f"aes_encrypt, the first two processes: {first} {second}")
        if second["split"]:
            return True
    return False


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    assert foreseen(), "the second process of a program is not divided"
    short = run("nbody", "--size", "1024")
    assert short == {"split": 0, "whole": short["whole"]} and short["whole"], short
    assert analysed("nbody") == 0, "the transformer was asked about a program that was over at once"
    launches = []
    # Long beyond doubt: compiling for the second device may cost as much as eight launches, and more beside other work.
    while len(launches) < 3 and not (launches and launches[-1]["split"] >= 4):
        launches.append(run("binomial_option", "--size", "4096", "--repeat", "32"))
        settle("binomial_option")
        assert analysed("binomial_option") == 1, f"the transformer was never asked about a long program: {launches}"
    print(f"binomial_option, run after run: {launches}")
    assert launches[-1]["split"] >= 4, f"32 launches of 0.3 s are not split: {launches}"
    # What was measured of its shares may have been another program's doing: with every one of them three times as slow in the
    # database the launches stay whole, but now and then one is tried.
    spoil("binomial_option")
    again = run("binomial_option", "--size", "4096", "--repeat", "32")
    print(f"with shares remembered as slow: {again}")
    assert again["split"] >= 2, "no launch was tried again"
    # So it is for processes of few launches: the count of those that were declined goes on from one to the next.
    spoil("binomial_option")
    few = [run("binomial_option", "--size", "4096", "--repeat", "6") for _ in range(5)]
    print(f"the same, in processes of six launches: {few}")
    assert sum(launches["split"] for launches in few) >= 1, "processes of few launches never try again"
    # A launch that was believed to take very long alone would be divided for ever, and never be measured alone again.
    before = alone("binomial_option")
    spoil("binomial_option", "alone", 1000)
    run("binomial_option", "--size", "4096", "--repeat", "16", YOKE_FORCE_SPLIT="1")
    after = alone("binomial_option")
    print(f"alone: {before:.0f} ms, said to be {1000 * before:.0f}; after 16 divided launches {after:.0f}")
    assert after < 20 * before, "what devices of one kind take for their shares does not belie it"
    # Where other devices were of no use before, GPUs are not prepared at once, unless it is time to try again.
    gpus = dict(YOKE_FAULT="own@*;gpu@*")
    for _ in range(2):
        run("nbody", "--size", "8192", "--repeat", "24", **gpus)
        settle("nbody")
    samples = undeclined("nbody")
    program = [s for s in samples if s["name"] == "(program)" and s["kind"] == "alone"]
    assert program, f"the program is not remembered: {samples}"
    for before, prepared in (0, True), (5, False), (7, False), (8, True), (36, False):
        for _ in range(3):  # other work may make a run twice as long as it was, and then they are prepared
            replace("nbody", samples + [dict(s, kind="declined", samples=[[1, 1, before + 1]]) for s in program])
            said = summary("nbody", "--size", "8192", "--repeat", "24", **gpus)
            unready = sum(w["count"] for w in said["whole_reasons"] if "not ready" in w["reason"])
            told = uselessness("nbody")
            print(f"GPUs of no use in {before} processes: {said['launches']}, {unready} before they were ready; now in {told}")
            if prepared or unready == 24:
                break
        assert (unready < 24) == prepared, "they are not prepared" if prepared else "they are prepared"
        assert told == before + 1 or (prepared and not told), f"in {told} processes of no use"
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as error:
        print(f"WRONG: {error}")
        sys.exit(1)
