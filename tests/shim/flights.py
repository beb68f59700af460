#!/usr/bin/env python3
"""Divided launches that follow one another without being waited for, on devices with memory of their own: random programs compute what they
should, most of what may fly does, and where a device fails a program is told, or has the right numbers.

    flights.py PROGRAM       Environment: YOKE_TEST_BUILD the build folder."""
import sys

import alone

OWN, FORCE = "own@*", {"YOKE_FORCE_SPLIT": "1", "YOKE_FLIGHT": "force"}
# The setting, its seeds, and how many launches fly at least (of 270; 180 on a quiet machine, 96 have been seen on a busy one) and at most;
# None: a device fails.
CASES = [({**FORCE, "YOKE_FAULT": OWN}, range(1, 9), 50, 400),
         ({**FORCE, "YOKE_FAULT": OWN, "YOKE_STRATEGY": "30:70"}, range(9, 13), 50, 400),
         ({**FORCE, "YOKE_FAULT": OWN, "POCL_DEVICES": "basic basic basic", "YOKE_STRATEGY": "20:30:50"}, range(13, 17), 50, 400),
         ({**FORCE, "YOKE_FAULT": OWN, "POCL_DEVICES": "pthread basic"}, range(17, 19), 50, 400),
         ({**FORCE, "YOKE_FAULT": OWN + ";gpu@*", "YOKE_STRATEGY": "even"}, range(19, 21), 50, 400),
         ({"YOKE_FORCE_SPLIT": "1", "YOKE_FAULT": OWN}, (21,), 0, 0), ({"YOKE_FORCE_SPLIT": "1", "YOKE_FLIGHT": "force"}, (22,), 0, 0),
         ({**FORCE, "YOKE_FAULT": OWN, "YOKE_RECOVER": "1"}, (23,), 0, 0)]
for device in 0, 1:
    for count in 11, 24, 41:
        for action in "error(CL_OUT_OF_RESOURCES)", "event(CL_OUT_OF_RESOURCES)", "event(CL_OUT_OF_RESOURCES,ran)":
            CASES.append(({**FORCE, "YOKE_FAULT": f"{OWN};clEnqueueNDRangeKernel@{device}:{count}={action}"}, (30 + count, 60 + count), None, None))


def main():
    wrong = []
    with alone.home() as home:
        for setting, seed, least, most in [(setting, seed, least, most) for setting, seeds, least, most in CASES for seed in seeds]:
            done, summary = alone.run(home, setting, sys.argv[1], str(seed), "3", *(["fails"] if least is None else []))
            said = f"{setting}, {seed}: status {done.returncode}, {summary['flown']} of {summary['launches']} flew"
            print(f"{said}, {done.stdout.strip()}")
            if done.returncode or (least is not None and not least <= summary["flown"] <= most):
                wrong.append(f"{said}: {done.stderr}")
    alone.end(wrong)


main()
