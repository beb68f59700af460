"""Includes point one way (CONTRIBUTING.md has the picture). A file may include what its layer lists, and nothing else of
this repository."""
import os
import re

import repo

# What several layers of the shim may all use.
PLANNING = ["partitioner", "profiler", "transform/client", "device", "base"]

# layer -> layers it may include besides itself. A layer is a folder, or a part of one; the longest match counts.
ALLOWED = {
    "base": [],
    "device": ["base"],
    "partitioner": ["base"],
    "profiler": ["device", "base"],
    "transform/client": ["partitioner", "base"],  # facts and the client: what the shim knows of the transformer
    "transform": ["transform/client", "partitioner", "base"],
    "shim/core": PLANNING,  # options, contexts, handles, counters: below everything else of the shim
    "shim/memory": ["shim/core"] + PLANNING,
    "shim/merge": ["shim/memory", "shim/core"] + PLANNING,
    "shim/queue": ["shim/merge", "shim/memory", "shim/core"] + PLANNING,
    "shim/object": ["shim/queue", "shim/merge", "shim/memory", "shim/core"] + PLANNING,
    "shim": ["shim/object", "shim/queue", "shim/merge", "shim/memory", "shim/core"] + PLANNING,
    "kernels": ["kernels/cache", "device", "base"],
    "kernels/cache": ["base"],
    "solver": ["kernels", "kernels/cache", "partitioner", "profiler", "device", "base"],
    "cli": ["solver", "kernels", "kernels/cache", "transform/client", "transform"] + PLANNING,
    "bench/apps": [],
    "bench": ["shim/merge", "shim/memory", "solver", "kernels", "kernels/cache", "transform/client", "transform"] + PLANNING,
    "tests": None,  # tests reach into everything
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def layer(name):
    """The layer that the file NAME belongs to; None outside of all."""
    if re.match(r"transform/(client|facts)", name):
        return "transform/client"
    if name.startswith("shim/api/"):
        return "shim"
    best = None
    for candidate in ALLOWED:
        if name.startswith(candidate + "/") and (best is None or len(candidate) > len(best)):
            best = candidate
    return best


def check(root):
    names = repo.files(root)
    known = set(names)
    problems = []
    for name in names:
        if not name.endswith((".c", ".h", ".def")):
            continue
        own = layer(name)
        if own is None or ALLOWED[own] is None:
            continue
        for target in INCLUDE.findall(repo.read(root, name)):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), target))
            found = target if target in known else beside if beside in known else None
            if found is None:
                continue  # generated, or of a library
            other = layer(found)
            if other != own and other not in ALLOWED[own]:
                problems.append(f"{name}: includes {found}: {own} may not use {other}")
    return problems
