"""What a reader would trip over: paths of somebody's machine, notes to self, shell scripts with known mistakes."""
import re
import shutil
import subprocess

import repo

# Written in pieces so that this file does not find itself.
MACHINE = re.compile("(?<![A-Za-z0-9_.}])/(?:" + "|".join(["wo" + "rk", "fa" + "rm", "ro" + "ot", "ho" + "me"]) + ")/[A-Za-z0-9._]")
NOTES = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
TEXT = (".c", ".h", ".def", ".cl", ".cu", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".in", ".1", ".bash", ".yml")


def is_script(root, name):
    if name.endswith((".sh", ".bash")):
        return True
    if "." in name.rsplit("/", 1)[-1].lstrip("."):
        return False
    return re.match(r"#!\s*/(usr/)?bin/(env )?(ba)?sh\b", repo.read(root, name)[:40]) is not None


def check(root):
    names = repo.files(root)
    problems, scripts = [], []
    for name in names:
        script = is_script(root, name)
        if script:
            scripts.append(name)
        if not script and not name.endswith(TEXT):
            continue
        for number, line in enumerate(repo.read(root, name).splitlines(), 1):
            if MACHINE.search(line):
                problems.append(f"{name}:{number}: path of a machine: {line.strip()[:100]}")
            if NOTES.search(line) and not name.endswith(".md"):
                problems.append(f"{name}:{number}: left for later: {line.strip()[:100]}")
    if scripts and not shutil.which("shellcheck"):
        return problems + ["shellcheck is not installed"]
    if scripts:
        done = subprocess.run(["shellcheck", "-S", "warning", "-f", "gcc"] + scripts, cwd=root, capture_output=True,
                              text=True)
        problems += done.stdout.splitlines() + done.stderr.splitlines()
    return problems
