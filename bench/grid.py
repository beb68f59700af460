#!/usr/bin/env python3
"""A hard network: a ROWS x COLUMNS grid of binary variables with couplings drawn at random (UAI, standard output).
Eliminated column by column, its tables have some times 2^ROWS cells (a device takes less than 2^31 in one); 26 x 1200
takes about 10^13.2 multiply-adds, 30 s on an H200.

    bench/grid.py 26 1200 > grid.uai
    yoke solve grid.uai --search-time 8 --plan grid.plan --devices cuda

With --ising couplings are the same for equal and for unequal values (an Ising model without a field): as hard for any
elimination, but of a planar graph, so that --exact (needs numpy) prints log10 of the same partition function from a
determinant (Kac and Ward, Physical Review 88, 1952), which shares nothing with a sum-product:

    bench/grid.py 26 1200 --ising > ising.uai
    bench/grid.py 26 1200 --ising --exact"""
import cmath
import math
import random
import sys


def edges_of(rows, columns):
    at = [[i * columns + j for j in range(columns)] for i in range(rows)]
    edges = [(at[i][j], at[i][j + 1]) for i in range(rows) for j in range(columns - 1)]
    return edges + [(at[i][j], at[i + 1][j]) for i in range(rows - 1) for j in range(columns)]


def tables_of(edges, ising, rng):
    for _ in edges:
        if ising:
            equal, unequal = (round(rng.uniform(0.1, 1.9), 4) for _ in range(2))
            yield [equal, unequal, unequal, equal]
        else:
            yield [round(rng.uniform(0.1, 1.9), 4) for _ in range(4)]


def exact(rows, columns, edges, tables):
    """Z = 2^n * product of (equal + unequal) / 2 * sqrt(det(1 - W)), W over directed edges: from one to the next that
    does not turn back, tanh(J) of the first times exp(i / 2 times the turn). Edges sorted by the column where they
    begin make it block-tridiagonal."""
    import numpy
    log10 = rows * columns * math.log10(2)
    begin = [[[] for _ in range(rows)] for _ in range(columns)]  # directed edges by where they begin
    for (u, v), t in zip(edges, tables):
        log10 += math.log10((t[0] + t[1]) / 2)
        weight = (t[0] - t[1]) / (t[0] + t[1])
        for a, b in ((u, v), (v, u)):
            step = (b % columns - a % columns, b // columns - a // columns)
            begin[a % columns][a // columns].append((step, weight))
    number = [{} for _ in range(columns)]
    for j in range(columns):
        for i in range(rows):
            for step, _ in begin[j][i]:
                number[j][i, step] = len(number[j])
    turn = {1: cmath.exp(0.25j * math.pi), -1: cmath.exp(-0.25j * math.pi), 0: 1}
    before, previous = None, None  # the last column's Schur complement; its block towards this one
    for j in range(columns):
        n = len(number[j])
        block = {d: numpy.zeros((n, len(number[j + d])), complex) for d in (-1, 0, 1) if 0 <= j + d < columns}
        for i in range(rows):
            for step, weight in begin[j][i]:
                to = j + step[0], i + step[1]
                for after, _ in begin[to[0]][to[1]]:
                    if after != (-step[0], -step[1]):
                        cross = step[0] * after[1] - step[1] * after[0]
                        block[step[0]][number[j][i, step], number[to[0]][to[1], after]] = weight * turn[cross]
        here = numpy.eye(n) - block[0]
        if j:
            here = here - block[-1] @ numpy.linalg.solve(before, previous)
        log10 += numpy.linalg.slogdet(here)[1] / 2 / math.log(10)
        before, previous = here, block.get(1)
    return log10


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    rows, columns = int(words[0]), int(words[1])
    ising = "--ising" in sys.argv
    edges = edges_of(rows, columns)
    tables = list(tables_of(edges, ising, random.Random(int(words[2]) if len(words) > 2 else 1)))
    if "--exact" in sys.argv:
        if not ising:
            sys.exit("grid.py: --exact is for --ising")
        print(f"{exact(rows, columns, edges, tables):.10f}")
        return
    print("MARKOV", rows * columns, " ".join(["2"] * (rows * columns)), len(edges), sep="\n")
    print("\n".join(f"2 {a} {b}" for a, b in edges))
    for t in tables:
        print("4 " + " ".join(f"{x:.4f}" for x in t))


if __name__ == "__main__":
    main()
