"""One program, bare and under yoke in several settings, line by line: what queries.py and its like share.

The programs print one line for each thing they ask or do: `WHAT: ANSWER`. What the bare runs do not agree on among themselves is not
compared, but counted. What yoke answers otherwise is stated, each with its reason; a statement that nothing needs is an error
too, so that the list stays true. Environment: YOKE_TEST_BUILD, the build folder."""
import collections
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.environ["YOKE_TEST_BUILD"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../crash"))
import crash  # noqa: E402: beside us, not installed

SETTINGS = {"one": ("basic", {}), "two": ("basic basic", {}), "forced": ("basic basic", {"YOKE_FORCE_SPLIT": "1"})}
FORCED3 = {"forced 3": ("basic basic basic", {"YOKE_FORCE_SPLIT": "1", "YOKE_STRATEGY": "50:25:25"})}


def lines(command, home, devices, more):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_")) and k != "LD_PRELOAD"}
    env.update(POCL_DEVICES=devices, POCL_CACHE_DIR=home + "/pocl", XDG_CACHE_HOME=home + "/cache", XDG_DATA_HOME=home + "/data", **more)
    done = crash.run(command, env, more.get("LD_PRELOAD", ""), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        print(text[-3000:])
        sys.exit(f"status {done.returncode} with {more} on {devices}")
    # PoCL names the files of a build after a counter and the process, and where it builds, its compiler counts what it warns of
    # (wide vectors on a processor without AVX-512).
    text = re.sub(r"^\d+ warnings? generated\.\n", "", text, flags=re.MULTILINE)
    return re.sub(r"/[\w./-]*tempfile[\w.-]*|/[\w./-]*/pocl/[\w./-]*", "FILE", text).splitlines()


def keyed(answers):
    """{what was asked, and for the how manieth time: the line}"""
    found, times = {}, collections.Counter()
    for line in answers:
        asked = re.match(r"[^:]*?0x[0-9a-f]{4} |.* made |.*:(?= )|", line)[0]
        times[asked] += 1
        found[asked, times[asked]] = line
    return found


def differences(bare, yoke):
    return [(bare.get(key, ""), yoke.get(key, "")) for key in {**bare, **yoke} if bare.get(key) != yoke.get(key)]


def compare(command, stated=(), settings=SETTINGS, bare_devices="basic"):
    """Print what is different, and end with status 1 if anything is. STATED: (pattern of a line's beginning, why it may be)."""
    wrong, used = [], set()
    with tempfile.TemporaryDirectory() as home:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{home}/{name}", mode=0o700)
        bare, again = (lines(command, home, bare_devices, {}) for _ in range(2))
        if len(bare) != len(again):
            sys.exit("two bare runs are of different length")
        vague = {a for a, b in zip(bare, again) if a != b}
        for setting, (devices, more) in settings.items():
            yoke = lines(command, home, devices, {"LD_PRELOAD": os.path.join(BUILD, "libyoke.so"), **more})
            for a, b in differences(keyed(bare), keyed(yoke)):
                allowed = [pattern for pattern, _ in stated if re.match(pattern, a or b)]
                used.update(allowed)
                if not allowed and a not in vague:
                    wrong.append(f"[{setting}]\n  bare: {a[:300]}\n  yoke: {b[:300]}")
    wrong += [f"stated, but no different: {p} ({why})" for p, why in stated if p not in used]
    print(f"{len(bare)} answers in {len(settings)} settings, {len(vague)} that bare runs do not agree on:")
    print("\n".join("  " + a[:120] for a in sorted(vague)))
    print("\n".join(f"WRONG: {w}" for w in wrong) or "the same, but for what is stated")
    sys.exit(1 if wrong else 0)
