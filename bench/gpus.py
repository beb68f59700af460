#!/usr/bin/env python3
"""gpus.py [--build DIR] [--sizes NAME | APP:SIZE[:LAUNCHES],...] [--repeat N] [--warm N] [--no-verify] [--json FILE] [--only APP,...]
        [--least MS] [--timeout S] SET...

Every program of bench/apps, bare on one device and under yoke on sets of devices, in one table: time from the first enqueue to the
last finish (ms, median of the repetitions), the speed-up over bare, that end to end (from the start of the process to its end, what
libraries do at exit included; where results are verified, which takes longer than all else, to the last finish), how many
launches were split and how many megabytes went between devices and host for them; --json FILE also has each repetition's.
--least MS: with as many launches as the bare program needs to take that long. Each run must verify its own result; a hash that differs from the bare run's is marked (other numeric classes may
round differently with `any`). With --no-verify, for sizes at which that takes minutes, the hash must be the bare run's.

APP+MODE is a program with its --MODE: vector_add+rounds. Of the programs that pass for all, those in the second line of APPS
begin and end with their data on the host in every round.

A SET is NAME=DEVICES[;OPTION=VALUE...], DEVICES as for `yoke run --devices`, e.g.
    one=0  two='0,1;strategy=even'  gpu+cpu='0,2;strategy=even;numerics=any'
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

APPS = ("aes_encrypt aes_decrypt binomial_option black_scholes histogram matrix_multiply matrix_transpose quasi_random "
        "reduction scan vector_add stencil2d nbody bfs spmv kmeans convolution "
        "vector_add+rounds black_scholes+rounds scalar_product monte_carlo dct filter_bank fft").split()


def run(command, env, timeout):
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    wall = (time.perf_counter() - begin) * 1e3
    match = re.search(r"time_ms=([\d.]+) total_ms=([\d.]+) result=(\w+) hash=(\w+)", done.stdout)
    if done.returncode or not match or match.group(3) != ("UNVERIFIED" if "--no-verify" in command else "OK"):
        return None, (done.stdout[-200:] + done.stderr[-300:]).replace("\n", " ")
    end = wall if "--no-verify" in command else float(match.group(2))
    return (float(match.group(1)), end, match.group(4)), done.stderr


def launches_for(command, least, env, timeout):
    """How many launches take `least` ms: of twice as many, how much longer they take."""
    # The first run is not timed: a driver may compile in it.
    told = re.search(r"repeat=(\d+)", subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout).stdout)
    first = run(command, env, timeout)[0]
    if not told or not first or first[0] >= least:
        return None
    one = n = int(told.group(1))
    while True:
        n *= 4
        again = run(command + ["--repeat", str(n)], env, timeout)[0]
        if not again:
            return None
        if again[0] >= least:
            return n
        if again[0] > 1.3 * first[0]:
            return n + int((1.05 * least - again[0]) * (n - one) / (again[0] - first[0])) + 1


def run_set(r, args, command, devices, options, counts):
    """One run under yoke on DEVICES, added to R where it counts."""
    with tempfile.NamedTemporaryFile(suffix=".json") as summary:
        env = dict(os.environ, LD_PRELOAD=os.path.abspath(os.path.join(args.build, "libyoke.so")), YOKE_DEVICES=devices,
                   YOKE_JSON=summary.name)
        for key, value in options.items():
            env["YOKE_" + key.upper()] = value
        result, text = run(command, env, args.timeout)
        if not result:
            r["note"] = text
            return
        r["hashes"].append(result[2])
        if not counts:
            return
        r["found"].append(result[0])
        r["whole"].append(result[1])
        try:
            with open(summary.name, encoding="utf-8") as file:
                told = json.load(file)
            r["split"], r["moved"], r["reasons"] = told["launches"], told["bytes_moved"], told["whole_reasons"]
        except (ValueError, KeyError):
            r["note"] = "no summary"


def parse_set(text):
    name, _, rest = text.partition("=")
    parts = rest.split(";")
    return name, parts[0], dict(p.split("=", 1) for p in parts[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--sizes", default="table2x16")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warm", type=int, default=0, help="runs of each set, and one of bare, before those that count")
    parser.add_argument("--no-verify", action="store_true")
    parser.add_argument("--least", type=float, default=0, metavar="MS", help="launches for a bare run of at least MS")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--only", default="")
    parser.add_argument("--bare-device", default="0", help="which device the bare run uses, in the loader's order")
    parser.add_argument("--json")
    parser.add_argument("sets", nargs="+", metavar="SET")
    args = parser.parse_args()
    sets = [parse_set(s) for s in args.sets]
    sizes = dict(s.split(":", 1) for s in args.sizes.split(",")) if ":" in args.sizes else {}
    apps = args.only.split(",") if args.only else list(sizes) or APPS
    rows, bad = [], 0
    print(f"{'program':20}{'bare ms':>10}", *(f"{name:>36}" for name, _, _ in sets), flush=True)
    for app in apps:
        program, _, mode = app.partition("+")
        path = os.path.join(args.build, "bench/apps", program)
        size, _, launches = sizes.get(app, args.sizes).partition(":")
        command = [path, "--size", size] + (["--repeat", launches] if launches else []) + (["--" + mode] if mode else [])
        command += ["--no-verify"] if args.no_verify else []
        times, totals = {"bare": []}, []
        if args.least:
            more = launches_for(command + ["--device", args.bare_device], args.least, dict(os.environ), args.timeout)
            command += ["--repeat", str(more)] if more else []
        row = {"program": app, "size": sizes.get(app, args.sizes), "command": " ".join(command[1:])}
        runs = {name: {"found": [], "whole": [], "split": None, "moved": 0, "reasons": [], "note": "", "hashes": []} for name, _, _ in sets}
        hash_bare = None
        # In turns, so that a machine that is slower for a while is so for all. Bare's text is in the driver's cache too, if the sets' is.
        for i in range(args.warm + args.repeat):
            if i >= args.warm - 1:
                result, text = run(command + ["--device", args.bare_device], dict(os.environ), args.timeout)
                if not result:
                    row["error"] = text
                    hash_bare = None
                    break
                hash_bare = result[2]
            if i >= args.warm:
                times["bare"].append(result[0])
                totals.append(result[1])
            for name, devices, options in sets:
                if not runs[name]["note"]:
                    run_set(runs[name], args, command, devices, options, i >= args.warm)
        if not hash_bare:
            print(f"{app:20} bare: {row.get('error')}")
            rows.append(row)
            bad += 1
            continue
        row["bare_ms"], row["bare_total_ms"] = statistics.median(times["bare"]), statistics.median(totals)
        cells = []
        for name, devices, options in sets:
            r = runs[name]
            found, whole, split, moved, reasons, note = (r[k] for k in ("found", "whole", "split", "moved", "reasons", "note"))
            if not note and any(h != hash_bare for h in r["hashes"]):
                note = "~"
            if note == "~" and args.no_verify and options.get("numerics") != "any":
                note = "another result than bare"
            if not found or (note and note != "~"):
                bad += 1
                row[name] = {"error": note}
                cells.append("FAILED")
                print(f"  {app} {name}: {note}", file=sys.stderr)
                continue
            ms, end = statistics.median(found), row["bare_total_ms"] / statistics.median(whole)
            row[name] = {"ms": ms, "speedup": row["bare_ms"] / ms, "end_to_end": end, "launches": split, "bytes_moved": moved,
                         "whole_reasons": reasons,
                         "same_hash": note != "~", "spread_ms": max(found) - min(found),
                         "each_speedup": [row["bare_ms"] / f for f in found],
                         "each_end_to_end": [row["bare_total_ms"] / w for w in whole]}
            cells.append(f"{ms:9.2f} {row['bare_ms'] / ms:5.2f}x {end:5.2f}x {split['split']}/{split['split'] + split['whole']} {moved / 1e6:.4g}{note}")
        rows.append(row)
        print(f"{app:20}{row['bare_ms']:10.2f}", *(f"{c:>36}" for c in cells), flush=True)
        for name, _, _ in sets:
            for reason in row[name].get("whole_reasons", []):
                print(f"    {name}: {reason['count']} whole: {reason['reason']}", flush=True)
    for name, _, _ in sets:
        good = [r[name] for r in rows if "ms" in r.get(name, {})]
        if good:
            print(f"figure gpus.{name}.geomean {statistics.geometric_mean(g['speedup'] for g in good):.4f} times")
            print(f"figure gpus.{name}.worst_end_to_end {min(g['end_to_end'] for g in good):.4f} ratio")
    if args.json:
        with open(args.json, "w") as out:
            json.dump(rows, out, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
