"""bench/coexec --from: figures and charts from lines that were kept, those without pairs too."""
import json
import math
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

COEXEC = os.path.join(os.environ["YOKE_TEST_BUILD"], "bench/coexec")

# T0, T1 and both at once (first enqueue to last finish, and with the start of the process), cold, warm, and with linear shares;
# then twice the share, transfers in and kernels of each device, and merges.
NUMBERS = "100 150 {0} {1} 110 160 {2} {3} 90 140 {4} 130"
WORK = "0.75 0 60 0.25 5 50 1"
LINES = [
    "vector_add table2 " + NUMBERS.format(100, 150, 110, 160, 50).replace(" ", ".0 ") + ".0",
    "slow4 vector_add table2 " + NUMBERS.format(400, 450, 400, 450, 80) + f" 160 200 {WORK} {WORK}",
    "slow4 scan table2 " + NUMBERS.format(400, 450, 400, 450, 100) + f" 160 200 {WORK} -1 0 0 -1 0 0 0",
    "slow4 cut table2 1 2 3",
    # Once more, with others at work: the least disturbed counts, wherever it stands.
    "slow4 scan table2 " + NUMBERS.format(400, 450, 400, 450, 300) + f" 160 200 {WORK} -1 0 0 -1 0 0 0 0.7",
    "slow2 scan table2 " + NUMBERS.format(400, 450, 400, 450, 300) + f" 160 200 {WORK} {WORK} 0.7",
    "slow2 scan table2 " + NUMBERS.format(400, 450, 400, 450, 160) + f" 160 200 {WORK} {WORK} 0.01",
    # With what rounds compared by themselves say: that counts, not the medians.
    "slow10 scan table2 " + NUMBERS.format(400, 450, 400, 450, 160) + f" 160 200 {WORK} {WORK} 0.01 0.75 0.97 0.8 1.1",
]


class Coexec(unittest.TestCase):
    def test_figures_and_charts(self):
        with tempfile.TemporaryDirectory() as folder:
            kept, svg, figures = (os.path.join(folder, name) for name in ("kept", "svg", "json"))
            with open(kept, "w", encoding="utf-8") as file:
                file.write("\n".join(LINES) + "\n")
            done = subprocess.run([COEXEC, "--from", kept, "--svg", svg, "--json", figures], capture_output=True, text=True,
                                  timeout=60, check=True)
            self.assertIn("75:25", done.stdout)
            with open(figures, encoding="utf-8") as file:
                found = {name: v["value"] for name, v in json.load(file).items()}
            self.assertAlmostEqual(found["coexec.warm_geomean"], 1)
            self.assertAlmostEqual(found["coexec.slow4.warm_geomean"], math.sqrt(80 / 80 * 80 / 100))
            self.assertAlmostEqual(found["coexec.slow4.cold_geomean"], 80 / 90)
            self.assertAlmostEqual(found["coexec.slow4.linear_geomean"], 0.5)
            self.assertAlmostEqual(found["coexec.slow4.worst_vs_fastest"], 150 / 140)
            self.assertAlmostEqual(found["coexec.slow2.warm_geomean"], 0.5)
            for figure, value in (("cold_geomean", 0.75), ("warm_geomean", 0.8), ("worst_vs_fastest", 0.97),
                                  ("worst_vs_fastest_warm", 1.1)):
                self.assertAlmostEqual(found["coexec.slow10." + figure], value)
            self.assertNotIn("disturbed", done.stdout)
            self.assertNotIn("coexec.linear_geomean", found)
            drawn = xml.etree.ElementTree.parse(svg).getroot()
            texts = [t.text for t in drawn.iter("{http://www.w3.org/2000/svg}text")]
            titles = [t.text for t in drawn.iter("{http://www.w3.org/2000/svg}title")]
            for heading in ("equal: speed", "slow4: speed", "slow4: where", "slow4: time on"):
                self.assertTrue(any(t.startswith(heading) for t in texts), heading)
            self.assertIn("yoke, warm: 1.25", titles)
            self.assertIn("ideal: 1.25", titles)
            self.assertEqual(titles.count("device 1: 25"), 13)  # seven shares of programs, six averages

    def test_what_cannot_be_measured(self):
        for arguments in (["--pairs", "equal,nothing"], ["--pairs", "fault"], ["--rounds"], ["--what", "1"]):
            self.assertEqual(subprocess.run([COEXEC, *arguments], capture_output=True, timeout=60, check=False).returncode, 2)
        self.assertEqual(subprocess.run([COEXEC, "--from", "/nonexistent"], capture_output=True, timeout=60,
                                        check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
