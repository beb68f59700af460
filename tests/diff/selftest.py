#!/usr/bin/env python3
"""That tests/diff can fail: the generator gives the same program for the same seed and another for another, and the
comparison finds one changed byte, a missing record and a damaged file; and an access that Oclgrind reports is noticed, bare and
under yoke. Environment: YOKE_TEST_BUILD."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import run as runner  # noqa: E402: beside us

DIFFGEN = os.path.join(os.environ["YOKE_TEST_BUILD"], "tests/diff/diffgen")
HEADER = 4 * 4 + 3 * 8 + 48 + 16  # struct record of record.h


def run(*arguments):
    return subprocess.run([DIFFGEN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def expect(what, holds):
    if not holds:
        print(f"selftest: {what}: not so")
        sys.exit(1)


def reported(yoke):
    """Does the runner see what Oclgrind says of a program that reads behind a buffer?"""
    work = runner.Work("selftest", 0, [])
    log = work.path("oclgrind.log.txt")
    env = runner.vendor_environment(work, "oclgrind", "strict", log)
    preload = {"LD_PRELOAD": runner.YOKE} if yoke else {"OCL_ICD_VENDORS": work.vendors("oclgrind")}
    command = [os.path.join(os.environ["YOKE_TEST_BUILD"], "tests/diff/diffreport")]
    done = subprocess.run(command, env={**work.environment, **env, **preload}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    expect(f"the program ends well: {done.stdout}", done.returncode == 0 and (not yoke or " 1 split" in done.stdout))
    try:
        runner.nothing_reported(log)
    except runner.Wrong:
        return True
    finally:
        work.done()
    return False


def main():
    if os.path.exists(runner.OCLGRIND):
        expect("Oclgrind's report is noticed", reported(False))
        expect("Oclgrind's report is noticed under yoke", reported(True))
    first = run("print", "--seed", "5").stdout
    expect("one seed gives one program", first == run("print", "--seed", "5").stdout)
    expect("another seed gives another program", first != run("print", "--seed", "6").stdout)
    for wrong in (["run", "--seed", "x"], ["run", "--kernels", "0"], ["print", "--what", "1"], ["compare", "one"], ["nothing"]):
        expect(f"diffgen {wrong} is refused", run(*wrong).returncode == 2)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POCL_CACHE_DIR"] = folder
        os.environ["POCL_DEVICES"] = "basic"
        a, b = os.path.join(folder, "a"), os.path.join(folder, "b")
        expect("a program runs", run("run", "--seed", "5", "--kernels", "3", "--out", a).returncode == 0)
        with open(a, "rb") as file:
            good = file.read()

        def compared(data):
            with open(b, "wb") as file:
                file.write(data)
            return run("compare", b, a).returncode

        expect("a file equals itself", compared(good) == 0)
        for place in (HEADER, len(good) - 1):
            expect(f"a changed byte at {place} is found",
                   compared(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:]) == 1)
        expect("a changed header is found", compared(good[:4] + b"\xff" + good[5:]) == 2)
        expect("a file that ends early is found", compared(good[:-10]) == 2)
        expect("an empty file is found", compared(b"") == 2)
        expect("a missing file is found", run("compare", os.path.join(folder, "c"), a).returncode == 2)
        other = os.path.join(folder, "d")
        with open(other, "wb") as file:
            file.write(good[:HEADER] + bytes([good[HEADER] ^ 1]) + good[HEADER + 1:])
        compared(good)
        expect("a number may come from any of several references", run("compare", b, other, a).returncode == 0)


if __name__ == "__main__":
    main()
