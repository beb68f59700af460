#!/usr/bin/env python3
"""A hard network: a ROWS x COLUMNS grid of binary variables with couplings drawn at random (UAI, standard output).
Eliminated column by column, its tables have 2^ROWS cells (a device takes less than 2^31 in one); 28 x 1200 takes
about 10^13 multiply-adds.

    bench/grid.py 28 1200 > grid.uai
    yoke solve grid.uai --plan grid.plan --devices cuda"""
import random
import sys


def main():
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    at = [[i * columns + j for j in range(columns)] for i in range(rows)]
    edges = [(at[i][j], at[i][j + 1]) for i in range(rows) for j in range(columns - 1)]
    edges += [(at[i][j], at[i + 1][j]) for i in range(rows - 1) for j in range(columns)]
    print("MARKOV", rows * columns, " ".join(["2"] * (rows * columns)), len(edges), sep="\n")
    print("\n".join(f"2 {a} {b}" for a, b in edges))
    for _ in edges:
        print("4 " + " ".join(f"{rng.uniform(0.1, 1.9):.4f}" for _ in range(4)))


if __name__ == "__main__":
    main()
