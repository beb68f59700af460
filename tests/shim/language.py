#!/usr/bin/env python3
"""Kernels of a source write the same bytes bare and under yoke, split among two devices and three.

    language.py PROGRAM SOURCE [OPTION]...        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

SETTINGS = {name: compare.SETTINGS[name] for name in ("forced",)}
# A device with memory of its own lacks what the analysis does not see, and a merge kernel copies what it should not.
SETTINGS["apart"] = ("basic basic", {"YOKE_FORCE_SPLIT": "1", "YOKE_FAULT": "own@1", "YOKE_MERGE": "kernel"})
compare.compare(sys.argv[1:], settings={**SETTINGS, **compare.FORCED3})
