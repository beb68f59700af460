"""One network through cotengra (python3 -m pip install cotengra): log10 of the multiply-adds of the contraction tree it
finds, and the seconds it took. Run by bench/search --peer, or by hand:

    search_peer.py SECONDS PROCESSES < NETWORK

NETWORK: a line of domain sizes, then a line of variables per factor (bench/search writes it, simplified). Prints
"LOG10_OPERATIONS SECONDS"."""
import math
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def main():
    seconds, processes = float(sys.argv[1]), int(sys.argv[2])
    lines = sys.stdin.read().split("\n")
    domain = [int(x) for x in lines[0].split()]
    inputs = [tuple(line.split()) for line in lines[1:] if line.strip()]
    sizes = {str(v): d for v, d in enumerate(domain)}

    import cotengra  # counted neither for us nor for it

    try:
        import kahypar  # noqa: F401
        methods = ["greedy", "kahypar"]
    except ImportError:
        methods = ["greedy", "labels"]
    began = time.monotonic()
    found = cotengra.HyperOptimizer(methods=methods, max_time=seconds, max_repeats=1 << 20, minimize="flops",
                                    reconf_opts={}, parallel=processes if processes > 1 else False, progbar=False)
    tree = found.search(inputs, (), sizes)
    took = time.monotonic() - began
    # sum over steps of the product of the domains of all their variables, as bench/search counts
    print(math.log10(tree.contraction_cost()), took)


if __name__ == "__main__":
    main()
