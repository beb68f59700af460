"""C files look as clang-format 14 writes them (other versions lay out some things differently)."""
import os
import re
import shutil
import subprocess

import repo


def tool():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and re.search(r"version 14\.", subprocess.run([path, "--version"], capture_output=True, text=True).stdout):
            return path
    return None


def check(root):
    path = tool()
    if path is None:
        return ["clang-format 14 is not installed (Debian: clang-format)"]
    names = repo.c_files(repo.files(root))
    if not names:
        return []
    done = subprocess.run([path, "--dry-run", "-Werror", "--style=file", "-ferror-limit=1"] + names, cwd=root,
                          capture_output=True, text=True)
    problems = [line for line in done.stderr.splitlines() if ": error:" in line]
    if done.returncode != 0 and not problems:
        problems = [f"clang-format: status {done.returncode}: {done.stderr[:300]}"]
    return [f"{p} (run clang-format -i)" for p in problems]
