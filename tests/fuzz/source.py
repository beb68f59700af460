"""OpenCL C that nobody would write, through yoke-transform: pieces of the corpus deleted, doubled, moved and mixed, numbers and
types replaced. The program may refuse it; it must not crash, hang, or take more than its limits.

    source.py PROGRAM CORPUS...      15 s, an hour with YOKE_NIGHTLY
"""
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

AWKWARD = ["0", "-1", "2147483648", "4294967295", "18446744073709551615u", "1e400f", "0x7fffffff", "int", "float4", "ulong", "void",
           "global", "local", "constant", "*", "&", "[", "]", "(", ")", "{", "}", ";", "struct", "typedef", "while(1)", "return",
           "get_global_id(0)", "get_group_id(3)", "barrier(1)", "#define", "#include", "__attribute__((", "\"", "/*", "??/", "\\\n"]


def change(rng, tokens, other):
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(tokens) + 1)
        n = rng.randint(1, 8)
        what = rng.randrange(6)
        if what == 0:
            del tokens[at:at + n]
        elif what == 1:
            tokens[at:at] = tokens[at:at + n] * rng.choice((1, 1, 50))
        elif what == 2:
            piece = tokens[at:at + n]
            del tokens[at:at + n]
            to = rng.randrange(len(tokens) + 1)
            tokens[to:to] = piece
        elif what == 3:
            start = rng.randrange(len(other) + 1)
            tokens[at:at] = other[start:start + 4 * n]
        elif what == 4:
            tokens[at:at + 1] = [rng.choice(AWKWARD)]
        else:
            tokens[at:at] = [rng.choice("({[*-&!")] * rng.choice((1, 3, 400))
        if not tokens:
            tokens.append(";")
    return tokens


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def main():
    program, *corpus = sys.argv[1:]
    texts = []
    for path in corpus:
        with open(path, encoding="utf-8") as f:
            texts.append(re.findall(r"\s+|\w+|[^\w\s]", f.read()))
    end = time.monotonic() + (3600 if "YOKE_NIGHTLY" in os.environ else int(os.environ.get("YOKE_FUZZ_SECONDS", "15")))
    seed = int(os.environ.get("YOKE_SEED", "1"))
    counts, bad = {0: 0, 1: 0, 3: 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cl")
        while time.monotonic() < end and bad < 5:
            rng = random.Random(seed)
            text = "".join(change(rng, list(rng.choice(texts)), rng.choice(texts)))
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            try:
                r = subprocess.run([program, "--explain", "--json", path], capture_output=True, timeout=20, preexec_fn=limits)
                status = r.returncode
            except subprocess.TimeoutExpired:
                status = "no end in 20 s"
            if status in counts:
                counts[status] += 1
            else:
                bad += 1
                print(f"YOKE_SEED={seed}: {status}; the text:\n{text}\n---", flush=True)
            seed += 1
    print(f"{sum(counts.values())} sources: {counts[0]} understood, {counts[1]} refused, {counts[3]} given up, {bad} bad")
    return 1 if bad or not counts[0] or not counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
