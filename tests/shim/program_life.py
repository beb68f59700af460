#!/usr/bin/env python3
"""Programs tell the same of themselves bare and under yoke in every stage between source and kernel.

    program_life.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

compare.compare(sys.argv[1:], [], settings={**compare.SETTINGS, **compare.FORCED3})
