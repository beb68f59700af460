#!/usr/bin/env python3
"""Kernels of a source write the same bytes bare and under yoke, split among two devices and three.

    language.py PROGRAM SOURCE [OPTION]...        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

SETTINGS = {name: compare.SETTINGS[name] for name in ("forced",)}
compare.compare(sys.argv[1:], settings={**SETTINGS, **compare.FORCED3})
