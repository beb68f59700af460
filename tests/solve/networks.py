"""`yoke solve` against published answers. Arguments: the yoke command, the folder of the networks, PR or MAR, and one
network ("linkage/linkage_11"). Status 77 (skipped) where the folder is not there."""
import json
import math
import os
import subprocess
import sys


def solve(yoke, network, *options):
    command = [yoke, "solve", network, "--json", "-", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def published_pr(path):
    """The value and by how much it may differ: 1e-4 of it, or half a unit of the file's last digit."""
    word = open(path).read().split()[1]
    digits = len(word.split(".")[1]) if "." in word else 0
    return float(word), max(1e-4 * abs(float(word)), 0.51 * 10.0 ** -digits)


def check_pr(yoke, network):
    expected, tolerance = published_pr(network + ".PR")
    found = solve(yoke, network, "--evid", network + ".evid")["log10_pr"]
    print(f"{network}: log10 PR {found}, published {expected}")
    return abs(found - expected) <= tolerance


def check_mar(yoke, network):
    words = open(network + ".MAR").read().split()
    assert words[0] == "MAR"
    numbers, at = [float(w) for w in words[1:]], 1
    found = solve(yoke, network, "--evid", network + ".evid", "--task", "MAR")["marginals"]
    worst = 0.0
    assert len(found) == int(numbers[0])
    for variable in found:
        assert len(variable) == int(numbers[at]), "domain size"
        for k, p in enumerate(variable):
            worst = max(worst, abs(p - numbers[at + 1 + k]))
        at += 1 + len(variable)
    print(f"{network}: largest difference of a marginal {worst}")
    return worst <= 1e-5


def check_bif(yoke, network):
    expected = json.load(open(os.path.join(os.path.dirname(network), "marginals.json")))
    answer = solve(yoke, network, "--task", "MAR")
    worst = abs(answer["log10_pr"])
    expected = expected.get(os.path.basename(network)[: -len(".bif")])
    if expected is None:  # none published: they add up
        print(f"{network}: no marginals published")
        return worst <= 1e-9 and all(abs(sum(m) - 1) < 1e-9 for m in answer["marginals"])
    assert answer["named_marginals"].keys() == expected.keys()
    for name, states in answer["named_marginals"].items():
        assert states.keys() == expected[name].keys()
        for state, p in states.items():
            worst = max(worst, abs(p - expected[name][state]))
    print(f"{network}: largest difference {worst}")
    return worst <= 1e-5 and not math.isnan(worst)


def expected_lod(path):
    """Per point: fractions of the varied interval, then per family its natural log likelihood and LOD score."""
    points = []
    for line in open(path):
        words = line.split()
        if words[:1] == ["THETAS"]:
            points.append([[float(w) for w in words[1:]], []])
        elif len(words) >= 4 and words[-2] == "LOD=":
            points[-1][1].append((float(words[1]), float(words[-1])))
    return points


def check_lod(yoke, folder):
    """FASTLINK prints fractions to 3 digits and likelihoods to 6; its base-10 logarithms rest on a rounded ln 10."""
    command = [yoke, "solve", "--pedigree", os.path.join(folder, "pedfile.dat"), "--loci",
               os.path.join(folder, "datafile.dat"), "--json", "-", "--quiet"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    expected = expected_lod(os.path.join(folder, "expected_mlink.txt"))
    assert len(expected) == 4 and all(len(families) == 2 for _, families in expected)
    assert len(found["points"]) == len(expected)
    worst = 0.0
    for point, (theta, families) in zip(found["points"], expected):
        assert all(abs(a - b) <= 5.1e-4 for a, b in zip(point["theta"], theta))
        for one, (ln_like, lod) in zip(point["families"], families):
            worst = max(worst, abs(one["log10_pr"] * math.log(10) - ln_like), abs(one["lod"] - lod) / 2)
    print(f"{folder}: largest difference {worst}")
    return worst <= 1.1e-6


def main():
    yoke, folder, task, name = sys.argv[1:]
    if not os.path.isdir(folder):
        print(f"skipped: there is no {folder}")
        return 77
    check = {"PR": check_pr, "MAR": check_mar, "BIF": check_bif, "LOD": check_lod}[task]
    return 0 if check(yoke, os.path.join(folder, name)) else 1


if __name__ == "__main__":
    sys.exit(main())
