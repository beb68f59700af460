"""`yoke solve` as a person meets it, on a network made here."""
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

YOKE = os.environ["YOKE_TEST_BIN"]


def grid(n, seed=1):
    """A UAI model: an N x N grid of binary variables."""
    rng = random.Random(seed)
    pairs = [(i * n + j, i * n + j + 1) for i in range(n) for j in range(n - 1)]
    pairs += [(i * n + j, (i + 1) * n + j) for i in range(n - 1) for j in range(n)]
    lines = ["MARKOV", str(n * n), " ".join(["2"] * (n * n)), str(len(pairs))]
    lines += [f"2 {a} {b}" for a, b in pairs]
    lines += ["4 " + " ".join(f"{rng.uniform(0.1, 1):.6f}" for _ in range(4)) for _ in pairs]
    return "\n".join(lines) + "\n"


class Solve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.net = self.write("grid.uai", grid(10))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def run_solve(self, *args):
        return subprocess.run([YOKE, "solve", *args], capture_output=True, text=True, timeout=120)

    def answer(self, *args):
        done = self.run_solve(self.net, "--json", "-", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fails(self, status, words, *args):
        done = self.run_solve(*args)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertIn(words, done.stderr)

    def test_uai_output(self):
        done = self.run_solve(self.net)
        self.assertRegex(done.stdout, r"\APR\n-?\d+\.\d+\n\Z")
        self.assertIn("MB foretold", done.stderr)
        quiet = self.run_solve("--quiet", "--task", "mar", self.net)
        self.assertEqual(quiet.stderr, "")
        words = quiet.stdout.split()
        self.assertEqual(words[:3], ["MAR", "100", "2"])
        self.assertEqual(len(words), 2 + 3 * 100)
        self.assertAlmostEqual(float(words[3]) + float(words[4]), 1, places=6)

    def test_every_arithmetic_gives_the_same(self):
        double, log = self.answer("--task", "MAR"), self.answer("--task", "MAR", "--log")
        single = self.answer("--task", "MAR", "--precision", "float")
        self.assertAlmostEqual(double["log10_pr"], log["log10_pr"], places=9)
        self.assertAlmostEqual(double["log10_pr"], single["log10_pr"], places=3)
        self.assertNotEqual(double["log10_pr"], single["log10_pr"])
        for a, b, c in zip(double["marginals"], log["marginals"], single["marginals"]):
            self.assertAlmostEqual(a[0], b[0], places=9)
            self.assertAlmostEqual(a[0], c[0], places=4)

    def test_plan_is_kept_and_reused(self):
        plan = self.path("plan")
        first, second = self.answer("--plan", plan), self.answer("--plan", plan)
        self.assertEqual((first["plan"]["reused"], second["plan"]["reused"]), (False, True))
        self.assertEqual(first["log10_pr"], second["log10_pr"])
        self.assertEqual(first["plan"]["log10_operations"], second["plan"]["log10_operations"])
        other = self.write("other.uai", grid(9))
        self.fails(1, plan, other, "--plan", plan)
        self.write("plan", "nothing\n")
        self.fails(1, f"{plan}:1:", self.net, "--plan", plan)

    def test_memory_is_kept(self):
        self.net = self.write("large.uai", grid(14))
        free = self.answer("--task", "MAR")
        self.assertEqual(free["forecast_bytes"], free["peak_bytes"])
        bound = int(free["peak_bytes"] / 4)
        sliced = self.answer("--task", "MAR", "--memory", str(bound))
        self.assertLessEqual(sliced["peak_bytes"], bound)
        self.assertEqual(sliced["forecast_bytes"], sliced["peak_bytes"])
        self.assertGreater(sliced["plan"]["log2_slices"], 0)
        self.assertAlmostEqual(free["log10_pr"], sliced["log10_pr"], places=9)
        for a, b in zip(free["marginals"], sliced["marginals"]):
            self.assertAlmostEqual(a[0], b[0], places=9)

    def test_evidence(self):
        evidence = self.write("e", "2 0 1 99 0")
        seen = self.answer("--task", "MAR", "--evid", evidence)
        self.assertEqual((seen["marginals"][0], seen["marginals"][99]), ([0, 1], [1, 0]))
        self.assertLess(seen["log10_pr"], self.answer()["log10_pr"])
        self.fails(1, "e:1: expected an observed variable of the network's 100, found '100'", self.net, "--evid",
                   self.write("e", "1 100 0"))

    def test_impossible_evidence(self):
        net = self.write("zero.uai", "MARKOV 2 2 2 1 2 0 1 4 1 0 0 1")
        evidence = self.write("e", "2 0 0 1 1")
        self.assertEqual(self.run_solve(net, "--evid", evidence).stdout, "PR\n-inf\n")
        self.fails(1, "probability 0", net, "--evid", evidence, "--task", "MAR", "--quiet")

    def test_explain_shows_the_plan(self):
        done = self.run_solve(self.net, "--explain")
        self.assertIn("part 1 of 1", done.stdout)
        self.assertIn("PR\n", done.stdout)

    def test_errors(self):
        self.fails(1, "No such file", self.path("none.uai"))
        bad = self.write("bad.uai", "MARKOV\n2\n2 x\n")
        self.fails(1, f"{bad}:3: expected the domain size of a variable, found 'x'", bad)
        self.fails(1, "Is a directory", self.folder.name)
        self.fails(2, "which network?")
        self.fails(2, "one network at a time", self.net, self.net)
        self.fails(2, "PR or MAR", self.net, "--task", "MAP")
        self.fails(2, "double or float", self.net, "--precision", "half")
        self.fails(2, "cpu, opencl", self.net, "--devices", "quantum")
        self.fails(2, "go together", "--pedigree", self.net)
        self.fails(2, "0 to 0.5", "--theta", "0.7", self.net)
        done = self.run_solve(self.net, "--json", self.path("no/where.json"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("where.json", done.stderr)

    def test_interrupt_ends_cleanly(self):
        child = subprocess.Popen([YOKE, "solve", self.net, "--search-time", "60"], stderr=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        self.assertEqual((child.returncode, out), (130, ""), err)
        self.assertIn("ended by request", err)

    def test_interrupt_of_a_long_step_is_not_waited_for(self):
        # the first elimination order alone of so many variables takes far longer than the grace
        big = self.write("big.uai", grid(90, 90))
        child = subprocess.Popen([YOKE, "solve", big, "--search-time", "300", "--plan", self.path("big.plan")],
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, out), (130, ""), err)
        self.assertIn("ended by request", err)
        self.assertLess(time.monotonic() - began, 10)
        self.assertFalse(os.path.exists(self.path("big.plan")))

    def test_disconnected_parts_multiply(self):
        lines = grid(3, 2).split("\n")
        one = self.write("one.uai", "\n".join(lines))
        both = ["MARKOV", "18", " ".join(["2"] * 18), "24"] + lines[4:16]
        both += [f"2 {int(l.split()[1]) + 9} {int(l.split()[2]) + 9}" for l in lines[4:16]] + lines[16:28] * 2
        two = self.write("two.uai", "\n".join(both))
        single = json.loads(self.run_solve(one, "--json", "-").stdout)["log10_pr"]
        double = json.loads(self.run_solve(two, "--json", "-").stdout)["log10_pr"]
        self.assertTrue(math.isclose(2 * single, double, rel_tol=1e-12))


if __name__ == "__main__":
    sys.exit(unittest.main())
