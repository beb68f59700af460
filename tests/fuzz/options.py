"""Command lines that nobody would type: each command of `yoke` with its own options, right values, wrong ones and damaged ones.
It ends by itself, with the statuses its manual page names and a line that says why; nothing is killed, nothing hangs.

    options.py YOKE STUB TRANSFORM LIBRARY NETWORK      15 s, 60 s with YOKE_NIGHTLY; YOKE_SEED: the first number
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

PROGRAMS = [["true"], ["false"], ["env"], ["./nothing"], ["."], [""], ["--", "true", "--quiet"], []]
VALUES = ["0", "1", "-1", "0,1", "cpu,gpu", "even", "70:30", "single:0", "strict", "any", "gpu", "numa", "64", "65", "1e400", "nan",
          "18446744073709551616", "info", "%s%n%s", "", " ", ",", ":", "=", "--", "-", "-h", "PR", "MAR", "double", "1k", "0.5",
          "x" * 5000, "\xff\xfe", "net.uai", "net.json", "trace.json", "machine.json", "k.cl", "a.json", "missing", "folder", "."]
STATUSES = {"run": {0, 1, 2, 125, 126, 127}, "profile": {0, 1, 2, 125, 126, 127}}  # of the program, too


def options_of(yoke, env):
    """{command: [(option, takes a value)]} as `--help` tells."""
    found = {}
    for command in re.findall(r"^  ([a-z]+) ", subprocess.run([yoke, "--help"], env=env, capture_output=True, text=True).stdout, re.M):
        text = subprocess.run([yoke, command, "--help"], env=env, capture_output=True, text=True).stdout
        found[command] = [(name, bool(value), letter) for letter, name, value in
                          re.findall(r"^  (?:-(\w), |    )--([a-z-]+)( [A-Z]+)?", text, re.M)]
    return found


def damaged(rng, word):
    at = rng.randrange(len(word) + 1)
    return rng.choice([word[:at], word + word, word[:at] + rng.choice("=,:;-%\n/0") + word[at:]]).replace("/", "_").replace("..", "_")


def command_line(rng, options):
    command = rng.choice(list(options))
    words = []
    for _ in range(rng.randrange(5)):
        if options[command] and rng.random() < 0.8:
            name, takes, letter = rng.choice(options[command])
            value = rng.choice(VALUES)
            if rng.random() < 0.2:
                value = damaged(rng, value)
            if name == "search-time": # it would be taken at its word
                value = rng.choice(["0", "0.1", "-1", "x"])
            style = rng.randrange(4)
            if style == 0 and letter:
                words.append("-" + letter + (value if takes else ""))
            elif style == 1:
                words.append(f"--{name}={value}")
            else:
                words += [f"--{name}"] + ([value] if takes or rng.random() < 0.1 else [])
        else:
            words.append(rng.choice(["--", "-" + rng.choice("hvqxZ"), "--" + damaged(rng, "devices"), rng.choice(VALUES)]))
    if command in ("run", "profile"):
        words += rng.choice(PROGRAMS)
    elif rng.random() < 0.7:
        words.append(rng.choice(["net.uai", "net.json", "trace.json", "machine.json", "k.cl", "missing", "folder"]))
    if rng.random() < 0.05:
        command = damaged(rng, command)
    return [word.replace("\0", "") for word in [command, *words]]


def prepare(folder, network):
    """Files that the command lines name, right ones and others."""
    with open(network, encoding="ascii") as f, open(f"{folder}/net.uai", "w", encoding="ascii") as g:
        g.write(f.read())
    texts = {"k.cl": "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n", "trace.json": '[{"name": 1}, ',
             "machine.json": json.dumps({"devices": [{"name": "a", "speed": 1}, {"name": "b", "speed": 2}]}), "net.json": "{"}
    for name, text in texts.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as f:
            f.write(text)
    for name in ("folder", "cache", "data", "home"):
        os.makedirs(f"{folder}/{name}", mode=0o700, exist_ok=True)


def judge(words, env, folder, yoke):
    """What is wrong with how it ended; None: nothing."""
    try:
        r = subprocess.run([yoke, *words], env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "no end in 30 s"
    if r.returncode < 0:
        return f"signal {-r.returncode}"
    if r.returncode not in STATUSES.get(words[0], {0, 1, 2}):
        return f"status {r.returncode}: {r.stderr[-300:]!r}"
    if r.returncode == 2 and not r.stderr:
        return "status 2 and not a word on standard error"
    return None


def main():
    yoke, stub, transform, library, network = sys.argv[1:]
    end = time.monotonic() + (60 if "YOKE_NIGHTLY" in os.environ else int(os.environ.get("YOKE_FUZZ_SECONDS", "15")))
    seed, first, bad = int(os.environ.get("YOKE_SEED", "1")), None, 0
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "HOME": f"{folder}/home", "XDG_CACHE_HOME": f"{folder}/cache",
               "XDG_DATA_HOME": f"{folder}/data", "YOKE_REAL_LIBOPENCL": stub, "YOKE_STUB_DEVICES": "cpu,gpu",
               "YOKE_TRANSFORM": transform, "YOKE_LIB": library}
        options = options_of(yoke, env)
        assert {"run", "devices", "explain", "solve"} <= set(options) and options["run"], options
        first = seed
        while time.monotonic() < end and bad < 10:
            prepare(folder, network)
            words = command_line(random.Random(seed), options)
            why = judge(words, env, folder, yoke)
            if why:
                bad += 1
                print(f"YOKE_SEED={seed}: yoke {' '.join(repr(w[:80]) for w in words)}\n  {why}", flush=True)
            seed += 1
    print(f"{seed - first} command lines of {len(options)} commands, {bad} bad")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
