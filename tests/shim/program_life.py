#!/usr/bin/env python3
"""Programs tell the same of themselves bare and under yoke in every stage between source and kernel.

    program_life.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

# (pattern of a line's beginning, why yoke's answer is another)
STATED = [
    (r"bad built: ", "a build with a function to call may go on after the call: yoke's does, and its status tells; PoCL's does not"),
]
compare.compare(sys.argv[1:], STATED, settings={**compare.SETTINGS, **compare.FORCED3})
