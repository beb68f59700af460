"""`yoke solve` on networks of the published families made here, against another elimination written here: tables in
logarithm-scaled lists, order by fewest cells, one observed state after the other for marginals. Arguments: the yoke
command, then optionally how many networks of each family (ten times as many with YOKE_NIGHTLY) and the first seed."""
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction


class Net:
    """Domains and factors (scope, values; the last variable changes fastest), and evidence {variable: state}."""

    def __init__(self, kind="MARKOV"):
        self.kind, self.domain, self.factors, self.evidence = kind, [], [], {}

    def var(self, states):
        self.domain.append(states)
        return len(self.domain) - 1

    def factor(self, scope, value):
        """VALUE: of a tuple of states."""
        self.factors.append((tuple(scope), [value(*x) for x in itertools.product(*(range(self.domain[v]) for v in scope))]))

    def uai(self):
        lines = [self.kind, str(len(self.domain)), " ".join(map(str, self.domain)), str(len(self.factors))]
        lines += [" ".join(map(str, (len(s), *s))) for s, _ in self.factors]
        for _, values in self.factors:
            lines += [str(len(values)), " ".join(repr(float(x)) for x in values)]
        return "\n".join(lines) + "\n"

    def evid(self):
        pairs = [f"{v} {x}" for v, x in self.evidence.items()]
        return " ".join([str(len(pairs)), *pairs])


def restrict(scope, values, domain, var, state):
    at = scope.index(var)
    inner = math.prod(domain[v] for v in scope[at + 1:])
    size = domain[var] * inner
    kept = [x for i in range(0, len(values), size) for x in values[i + state * inner:i + (state + 1) * inner]]
    return scope[:at] + scope[at + 1:], kept


def multiply_sum(tables, out, var, domain):
    """Sum over VAR of the product of TABLES as a table over OUT."""
    order = (*out, var)
    strides = []
    for scope, _ in tables:
        step, stride = 1, {}
        for v in reversed(scope):
            stride[v] = step
            step *= domain[v]
        strides.append([stride.get(v, 0) for v in order])
    result = [1] * math.prod(domain[v] for v in order)
    for (_, values), stride in zip(tables, strides):
        places = [0]
        for v, step in zip(order, stride):
            places = [p + k * step for p in places for k in range(domain[v])]
        result = [r * values[p] for r, p in zip(result, places)]
    n = domain[var]
    return [sum(result[i:i + n]) for i in range(0, len(result), n)]


def log10(x):
    return math.log10(x.numerator) - math.log10(x.denominator) if isinstance(x, Fraction) else math.log10(x)


def log10_partition(net, evidence, most_cells=1 << 20):
    """None: a table would have more than MOST_CELLS."""
    log, tables = 0.0, []
    # Floats would leave their range.
    extreme = any(x and not 1e-30 < x < 1e30 for _, values in net.factors for x in values)
    for scope, values in net.factors:
        values = [Fraction(x) for x in values] if extreme else values
        for v in [v for v in scope if v in evidence]:
            scope, values = restrict(scope, values, net.domain, v, evidence[v])
        tables.append((scope, values))
    left = {v for v in range(len(net.domain)) if v not in evidence}
    while left:
        near = {v: {v} for v in left}
        for scope, _ in tables:
            for v in scope:
                near[v].update(scope)
        cells, var = min((math.prod(net.domain[u] for u in near[v]), v) for v in left)
        if cells > most_cells:
            return None
        left.remove(var)
        used = [t for t in tables if var in t[0]]
        if not used:
            log += math.log10(net.domain[var])
            continue
        out = tuple(sorted(near[var] - {var}))
        values = multiply_sum(used, out, var, net.domain)
        most = max(values)
        if most == 0:
            return -math.inf
        log += log10(most)
        tables = [t for t in tables if var not in t[0]] + [(out, [x / most for x in values])]
    for _, (value,) in tables:
        if value == 0:
            return -math.inf
        log += log10(value)
    return log


def cpt(rng, zeros=0.0):
    """A conditional distribution of the last variable: rows drawn when they are met."""
    rows = {}

    def value(*x, n=None):
        row = rows.get(x[:-1])
        if row is None:
            row = [0.0 if rng.random() < zeros else rng.random() + 0.01 for _ in range(n)]
            row[rng.randrange(n)] += 0.5
            rows[x[:-1]] = row = [p / sum(row) for p in row]
        return row[x[-1]]
    return value


def grid(rng):
    """Binary, attractive and repulsive couplings, wrapped now and then."""
    net, n, m = Net(), rng.randint(3, 12), rng.randint(3, 9)
    strength, wrap = rng.choice([0.3, 1, 3, 20]), rng.random() < 0.2
    at = [[net.var(2) for _ in range(m)] for _ in range(n)]
    for row in at:
        for v in row:
            h = rng.uniform(-1, 1)
            net.factor([v], lambda x, h=h: math.exp(h if x else -h))
    for i in range(n):
        for j in range(m):
            for k, l in ((i + 1, j), (i, j + 1)):
                if (k < n and l < m) or (wrap and n > 2 and m > 2):
                    c = rng.gauss(0, strength)
                    net.factor([at[i][j], at[k % n][l % m]], lambda x, y, c=c: math.exp(c if x == y else -c))
    return net


def pedigree(rng):
    """Linkage: per locus and person two alleles, a selector per meiosis, selectors of neighbouring loci tied."""
    net, loci, people = Net(rng.choice(["BAYES", "MARKOV"])), rng.randint(1, 4), []
    alleles = [rng.randint(2, 4) for _ in range(loci)]
    generations = [rng.randint(2, 4)] + [rng.randint(1, 4) for _ in range(rng.randint(1, 2))]
    before = []
    for g, count in enumerate(generations):
        now = []
        for _ in range(count):
            parents = rng.sample(before, 2) if g and len(before) >= 2 else None
            person = {"pair": [(net.var(n), net.var(n)) for n in alleles], "selector": None}
            if parents:
                person["selector"] = [(net.var(2), net.var(2)) for _ in range(loci)]
            for locus, (a, b) in enumerate(person["pair"]):
                if not parents:
                    frequency = [rng.random() + 0.1 for _ in range(alleles[locus])]
                    total = sum(frequency)
                    for v in (a, b):
                        net.factor([v], lambda x, f=frequency, t=total: f[x] / t)
                    continue
                for child, parent, side in ((a, parents[0], 0), (b, parents[1], 1)):
                    s = person["selector"][locus][side]
                    theta = 0.5 if locus == 0 else rng.choice([0.0, 0.01, 0.1, 0.5])
                    if locus == 0:
                        net.factor([s], lambda x: 0.5)
                    else:
                        net.factor([person["selector"][locus - 1][side], s],
                                   lambda x, y, t=theta: t if x != y else 1 - t)
                    net.factor([*parent["pair"][locus], s, child], lambda p, q, s, c: float(c == (q if s else p)))
            for locus, (a, b) in enumerate(person["pair"]):
                if rng.random() < 0.5:  # the unordered pair is observed, perhaps wrongly
                    n, wrong = alleles[locus], rng.choice([0.0, 0.0, 0.02])
                    seen = net.var(n * (n + 1) // 2)
                    net.factor([a, b, seen], lambda x, y, g, n=n, w=wrong: (
                        1 - w if g == min(x, y) * n - min(x, y) * (min(x, y) - 1) // 2 + abs(x - y)
                        else w / max(1, n * (n + 1) // 2 - 1)))
                    net.evidence[seen] = rng.randrange(n * (n + 1) // 2)
            now.append(person)
        before += now
    return net


def noisy_or(rng):
    """Diseases, findings by noisy-or, intermediate ors as functions (promedas)."""
    net = Net("BAYES")
    causes = [net.var(2) for _ in range(rng.randint(4, 25))]
    for v in causes:
        p = 10 ** rng.uniform(-4, -0.5)
        net.factor([v], lambda x, p=p: p if x else 1 - p)
    for _ in range(rng.randint(3, 30)):
        parents = rng.sample(causes, rng.randint(1, min(5, len(causes))))
        child = net.var(2)
        leak, inhibit = rng.choice([0.0, 0.01]), [rng.choice([0.0, rng.random()]) for _ in parents]

        def value(*x, inhibit=inhibit, leak=leak):
            off = (1 - leak) * math.prod(q for q, on in zip(inhibit, x) if on)
            return 1 - off if x[-1] else off
        net.factor([*parents, child], value)
        if rng.random() < 0.3:
            causes.append(child)
        elif rng.random() < 0.6:
            net.evidence[child] = rng.randrange(2)
    return net


def bayes(rng):
    """As in the BN repository: mixed domains, few parents, some deterministic rows."""
    net, names = Net("BAYES"), []
    zeros = rng.choice([0, 0, 0.5, 0.9])
    for i in range(rng.randint(5, 60)):
        v = net.var(rng.choice([1, 2, 2, 3, 4, 7, 21]))
        parents = rng.sample(range(max(0, i - 12), i), min(i, rng.randint(0, 3)))
        while math.prod(net.domain[p] for p in parents) > 500:
            parents.pop()
        f = cpt(rng, zeros)
        net.factor([*parents, v], lambda *x, f=f, n=net.domain[v]: f(*x, n=n))
        if rng.random() < 0.15:
            names.append(v)
    net.evidence = {v: rng.randrange(net.domain[v]) for v in names}
    return net


def constraints(rng):
    """Random clauses and weighted constraints (sat, csp): many zeros, often none possible."""
    net, d = Net(), rng.choice([2, 2, 3, 4])
    for _ in range(rng.randint(6, 40)):
        net.var(d)
    for _ in range(int(len(net.domain) * rng.uniform(0.5, 2.5))):
        scope = rng.sample(range(len(net.domain)), rng.randint(1, 3))
        hard = rng.random() < 0.6
        bad = tuple(rng.randrange(d) for _ in scope)
        net.factor(scope, (lambda *x, bad=bad: float(x != bad)) if hard else (lambda *x: rng.random()))
    return net


def dynamic(rng):
    """Time slices of chains that meet in each slice."""
    net, chains, n = Net(), rng.randint(2, 6), rng.randint(3, 15)
    d = [rng.choice([2, 2, 3]) for _ in range(chains)]
    last = None
    for _ in range(n):
        now = [net.var(k) for k in d]
        for c in range(chains):
            if last:
                net.factor([last[c], now[c]], lambda *x: rng.random())
            net.factor([now[c], now[(c + 1) % chains]] if chains > 2 else [now[c]], lambda *x: rng.random() + 1e-3)
        net.factor(rng.sample(now, min(3, chains)), lambda *x: math.exp(rng.gauss(0, 3)))
        last = now
    return net


def strange(rng):
    """Parts, one variable, no variable in a factor, domain 1, large domains, extreme values, repeated factors."""
    net, kind = Net(), rng.randrange(7)
    if kind == 0:
        net.factor([], lambda: rng.random())
        if rng.random() < 0.5:
            net.var(rng.randint(1, 5))
    elif kind == 1:
        for _ in range(rng.randint(1, 60)):
            a, b = net.var(rng.randint(1, 4)), net.var(rng.randint(1, 4))
            if rng.random() < 0.7:
                net.factor([b, a], lambda *x: rng.random())
    elif kind == 2:
        size = rng.choice([1000, 5000])
        a, b, c = net.var(size), net.var(3), net.var(size // 100)
        net.factor([a, b], lambda *x: rng.random())
        net.factor([c, a], lambda *x: float(rng.random() < 0.01))
        net.factor([b, c], lambda *x: rng.random())
    elif kind == 3:
        scale = rng.choice([1e-300, 1e300, 1e-160, 1e150, 5e-324])
        v = [net.var(2) for _ in range(12)]
        for i in range(12):
            net.factor([v[i], v[(i + rng.randint(1, 5)) % 12]], lambda *x: rng.choice([1, 0.3, scale, 0]))
    elif kind == 4:
        v = [net.var(2) for _ in range(14)]
        for _ in range(30):
            scope = rng.sample(v, 4) if rng.random() < 0.5 else v[:3]
            net.factor(scope, lambda *x: rng.random())
    elif kind == 5:  # one variable in everything
        hub = net.var(rng.choice([2, 10]))
        for _ in range(rng.randint(1, 300)):
            net.factor([net.var(rng.randint(1, 3)), hub], lambda *x: rng.random())
    else:  # copies
        v = [net.var(3) for _ in range(30)]
        for i in range(29):
            turn = rng.randrange(3)
            net.factor([v[i], v[i + 1]], lambda x, y, t=turn: float((x + t) % 3 == y))
        net.factor([v[3], v[20]], lambda *x: rng.random())
        net.factor([v[0], v[29]], lambda *x: rng.choice([0, 1, 0.5]))
    for v in range(len(net.domain)):
        if rng.random() < 0.05:
            net.evidence[v] = rng.randrange(net.domain[v])
    return net


FAMILIES = [grid, pedigree, noisy_or, bayes, constraints, dynamic, strange]


def solve(yoke, path, *options):
    command = [yoke, "solve", path, "--evid", path + ".evid", "--json", "-", "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return (json.loads(done.stdout) if done.returncode == 0 else None), f"status {done.returncode}: {done.stderr}"


def close(found, want, relative=1e-9):
    if found is None or math.isinf(want):
        return found is None and math.isinf(want)
    return abs(found - want) <= relative * max(1, abs(want))


def check(yoke, net, path, rng):
    """None: as expected; "": not checked, the reference would take too long."""
    with open(path, "w") as f:
        f.write(net.uai())
    with open(path + ".evid", "w") as f:
        f.write(net.evid())
    answer, said = solve(yoke, path)
    if answer is None:
        return said
    want = log10_partition(net, net.evidence)
    if want is None:
        return ""
    if not close(answer["log10_pr"], want):
        return f"log10 PR {answer['log10_pr']}, expected {want}"
    answer, said = solve(yoke, path, "--task", "MAR")
    if math.isinf(want):
        return None if answer is None and "probability 0" in said else f"marginals of the impossible: {said}"
    if answer is None:
        return said
    if not close(answer["log10_pr"], want):
        return f"with MAR, log10 PR {answer['log10_pr']}, expected {want}"
    for v in rng.sample(range(len(net.domain)), min(3, len(net.domain))):
        states = answer["marginals"][v]
        if len(states) != net.domain[v] or abs(sum(states) - 1) > 1e-9:
            return f"marginal of {v}: {states}"
        for x in rng.sample(range(net.domain[v]), min(3, net.domain[v])):
            if net.evidence.get(v, x) != x:
                p = 0.0
            else:
                seen = log10_partition(net, {**net.evidence, v: x})
                if seen is None:
                    return ""
                p = 10 ** (seen - want)
            if abs(states[x] - p) > 1e-9:
                return f"P({v}={x}) {states[x]}, expected {p}"
    return None


def main():
    yoke = sys.argv[1]
    count, first = [int(a) for a in sys.argv[2:4]] if len(sys.argv) > 3 else (12, 1)
    count *= 10 if os.environ.get("YOKE_NIGHTLY") else 1
    wrong = unchecked = 0
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            for seed in range(first, first + count):
                rng = random.Random(f"{family.__name__} {seed}")
                said = check(yoke, family(rng), os.path.join(folder, "net.uai"), rng)
                unchecked += said == ""
                if said:
                    wrong += 1
                    print(f"{family.__name__} {seed}: {said.strip()}", flush=True)
    print(f"{len(FAMILIES) * count} networks, {unchecked} too large for the reference, {wrong} wrong")
    # Too few checked would prove nothing.
    return 1 if wrong or unchecked * 4 > len(FAMILIES) * count else 0


if __name__ == "__main__":
    sys.exit(main())
