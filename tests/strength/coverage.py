#!/usr/bin/env python3
"""Which branches do the unit tests take? For the sources that mutants.py breaks: shim/memory's core, shim/merge, the evaluation of
facts. Builds and runs their unit tests with gcov's counters, prints per file how many of its branches were taken.

    coverage.py [--least PER_CENT] [--missing]     --missing: print the lines with branches that were not

Branches of assert() do not count: no test is to take them. Status 1: less than --least of all.
Environment: YOKE_TEST_BUILD, a build folder of the preset coverage (build/coverage), which is configured and built as needed."""
import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402: beside us, not installed

ROOT = mutants.ROOT
BUILD = os.path.abspath(os.environ.get("YOKE_TEST_BUILD", os.path.join(ROOT, "build/coverage")))


def run(*command, **options):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}")
    return done.stdout


def counters(path):
    """The counter files of a source's objects: one for each library that holds it."""
    name = os.path.basename(path) + ".gcda"
    return [os.path.join(folder, name) for folder, _, files in os.walk(BUILD) if name in files]


def branches(path):
    """{(line, number of branch): taken} of a source."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read().split("\n")
    taken = {}
    for counter in counters(path):
        output = run("gcov", "--json-format", "--stdout", "--branch-probabilities", counter)
        for unit in output.splitlines():
            for file in json.loads(unit)["files"] if unit.startswith("{") else []:
                if os.path.relpath(os.path.join(BUILD, file["file"]), ROOT) != path:
                    continue
                for line in file["lines"]:
                    if "assert(" in text[line["line_number"] - 1]:
                        continue
                    for number, branch in enumerate(line["branches"]):
                        key = line["line_number"], number
                        taken[key] = taken.get(key, False) or branch["count"] > 0
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("--missing", action="store_true")
    arguments = parser.parse_args()
    tests = sorted({test for names in mutants.SOURCES.values() for test in names})
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        run("cmake", "--preset", "coverage", "-B", BUILD)
    run("cmake", "--build", BUILD, "--target", *("unit_" + test for test in tests))
    for path in mutants.SOURCES:
        for counter in counters(path):
            os.remove(counter)
    for test in tests:
        run(os.path.join(BUILD, "tests/unit", "unit_" + test))
    every = count = 0
    for path in mutants.SOURCES:
        taken = branches(path)
        every += len(taken)
        count += sum(taken.values())
        print(f"{path}: {sum(taken.values())} of {len(taken)} branches, {100 * sum(taken.values()) / max(1, len(taken)):.1f} %")
        missing = sorted({line for (line, _), yes in taken.items() if not yes})
        if arguments.missing and missing:
            print("  not taken in lines", ", ".join(map(str, missing)))
    share = 100 * count / max(1, every)
    print(f"all: {count} of {every} branches, {share:.1f} %")
    return 0 if every and share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
