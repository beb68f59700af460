#!/usr/bin/env python3
"""What is wrong is told as the bare driver tells it: every entry point with arguments that it refuses, bare and under yoke.

    refusals.py PROGRAM [GROUP]        Environment: YOKE_TEST_BUILD the build folder."""
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402: beside us, not installed

# (pattern of a line's beginning, why yoke's answer is another); each of yoke's is one that the specification has for the case
STATED = [
    (r"clGetDeviceIDs\(w->platform, CL_DEVICE_TYPE_ALL, 5, NULL", "there are devices; PoCL finds none where it has nowhere to put them"),
    (r"clCreateContextFromType\(good, CL_DEVICE_TYPE_CUSTOM", "an error, and a context: PoCL gives both"),
    (r"clEnqueueWaitForEvents\(w->x.queue, (0|1, NULL|1, &none)", "the older function has codes of its own"),
    (r"clEnqueueReadBuffer\(Q, I,", "an image is no buffer; PoCL reads it"),
    (r"clEnqueueMap(Buffer|Image)\(.*1 << 20|clEnqueueMapBuffer\(.*READ \| INVALIDATE", "CL_INVALID_VALUE; PoCL takes any flags"),
    (r"clEnqueueSVMMap\(q, CL_FALSE, 1 << 20", "the same"),
    (r"clLinkProgram\(w->x.context, 1, &w->device, \"\", 1, &x, NULL, &n", "two things are wrong, and the other is named"),
    (r"clSetProgramReleaseCallback\(p, NULL", "no function; PoCL has no such callbacks and looks at nothing"),
    (r"clUnloadPlatformCompiler\(NULL", "CL_INVALID_PLATFORM; the loader takes it"),
    (r"clEnqueueNDRangeKernel\(q, k, 1, NULL, &n, &four, [01], &", "the list is wrong; PoCL does not look at it for launches"),
    (r"clEnqueueNDRangeKernel\(q, k, 1, &far", "CL_INVALID_GLOBAL_OFFSET; PoCL lets the ids wrap"),
    (r"clEnqueue(Read|Fill)Image\(Q, I, .*zero3, flat", "CL_INVALID_VALUE: a region without texels; PoCL takes it"),
    (r"sealed image [02] map 2", "CL_INVALID_OPERATION: it invalidates what the host may not write; PoCL takes it"),
    (r"clEnqueue(Read|Write)Image\(Q, I, CL_FALSE, zero3, image3, 3,", "CL_INVALID_VALUE: rows that overlap; PoCL takes them"),
]
compare.compare(sys.argv[1:], STATED, bare_devices="pthread")  # PoCL 3.1's basic device hangs on user events
