#!/usr/bin/env python3
"""How many launches over images are divided, and what is moved for them. The programs check their own texels.

    images.py IMAGES SAMPLED        Environment: YOKE_TEST_BUILD the build folder."""
import sys

import alone

IMAGE = 4 * 96 * 60  # bytes of the first kind in the program
AGAIN = 20
ONE, NONE = "there is one work-group", "the other device cannot have an image"


def main():
    wrong = []

    def run(program, *arguments, **more):
        done, summary = alone.run(home, {"YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "even", **more}, program, *arguments)
        if done.returncode:
            wrong.append(f"{program} {arguments} {more}: status {done.returncode}: {done.stderr}")
        return summary

    def again(launches, **more):
        return run(sys.argv[1], "again", str(launches), **more)

    with alone.home() as home:
        # Devices that work in the host's memory have the texels in one place; others have copies, which are made once of an
        # image that nobody changes. What else is moved then, each launch moves.
        shared, copied = again(AGAIN), again(AGAIN, YOKE_FAULT="own@*")
        each = (again(2 * AGAIN, YOKE_FAULT="own@*")["bytes_moved"] - copied["bytes_moved"]) / AGAIN
        for summary, moved, needed in (shared, shared["bytes_moved"], 0), (copied, copied["bytes_moved"] - AGAIN * each, IMAGE):
            split = summary["launches"]["split"]
            print(f"{split} of {AGAIN} divided, {moved} bytes moved")
            if split != AGAIN or moved != needed:
                wrong.append(f"{split} of {AGAIN} launches are divided, {moved} bytes moved, {needed} needed")
        # All but the second program's of one work-group; of images over the program's memory there are no copies.
        for program, apart, least, expected in ((sys.argv[1], False, 178, set()), (sys.argv[1], True, 89, {NONE}),
                                                (sys.argv[2], False, 4, {ONE}), (sys.argv[2], True, 4, {ONE})):
            summary = run(program, **({"YOKE_FAULT": "own@*"} if apart else {}))
            reasons, split = {r["reason"]: r["count"] for r in summary["whole_reasons"]}, summary["launches"]["split"]
            print(f"{split} divided, {summary['bytes_moved']} bytes moved; whole: {reasons}")
            if split < least or set(reasons) != expected or bool(summary["bytes_moved"]) != apart:
                wrong.append(f"{program}, {apart=}: {split} divided, {summary['bytes_moved']} bytes moved; whole: {reasons}")
    alone.end(wrong)


main()
