#!/usr/bin/env python3
"""Run one lint over a tree: run.py NAME [ROOT]. Status 1, with one line per problem, where it finds any."""
import importlib
import os
import sys

LINTS = ["includes", "purity", "formatting", "leftovers", "docs"]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.dont_write_bytecode = True
    sys.path.insert(0, here)
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in LINTS:
        sys.exit(f"usage: run.py {'|'.join(LINTS)} [ROOT]")
    root = sys.argv[2] if len(sys.argv) == 3 else os.path.join(here, "..", "..")
    problems = importlib.import_module(sys.argv[1]).check(os.path.abspath(root))
    for problem in problems:
        print(problem)
    print(f"{sys.argv[1]}: {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
