#!/usr/bin/env python3
"""Nothing of yoke shows: every answer of every clGet*Info function, bare and under yoke on one device and on two, line by line.

    queries.py PROGRAM        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

# (pattern of a line's beginning, why yoke's answer is another, or what its answer must be for the bare one)
STATED = [
    (r"platform 0x0902 ", "CL_PLATFORM_NAME: there is one platform, and it is yoke"),
    (r"platform 0x0903 ", "CL_PLATFORM_VENDOR"),
    (r"platform 0x0920 ", "CL_PLATFORM_ICD_SUFFIX_KHR"),
    (r"device 0x102b ", "CL_DEVICE_NAME has yoke's version and the device set: programs key their own caches by it"),
    (r"device 0x102d ", "CL_DRIVER_VERSION: the same"),
    (r"devices of type 0x0:|devices of type 0x100000:", "CL_INVALID_DEVICE_TYPE, as the specification says; PoCL: not found"),
    (r"context-empty-type ", "a context by type and an empty list: there is but one platform; the loader gives up"),
    (r"\S+ 0x11d2 ", "CL_EVENT_REFERENCE_COUNT: the program's references; PoCL counts its own too"),
    (r"mapped 0x1105 ", "CL_MEM_MAP_COUNT: one map; PoCL 3.1 counts two"),
    (r"(built|options|loaded|loaded and built|linked) 0x1165 ", "CL_PROGRAM_BINARY_SIZES: yoke's container of binary and source"),
]

compare.compare(sys.argv[1:], STATED)
