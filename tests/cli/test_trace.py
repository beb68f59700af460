"""yoke report over traces: whole, cut by a crash, none; its charts are well formed. yoke profile: export and import agree."""
import json
import os
import subprocess
import tempfile
import unittest
import xml.dom.minidom

YOKE = os.environ["YOKE_TEST_BIN"]


def event(name, cat, tid, ts, dur, **args):
    return json.dumps({"name": name, "cat": cat, "ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args})


def lines():
    meta = [json.dumps({"name": "thread_name", "ph": "M", "pid": 1, "tid": t, "args": {"name": n}})
            for t, n in ((1, "decisions"), (10, "device 0: a <b> & \"c\""), (12, "device 1: d"))]
    return meta + [
        event("k", "decision", 1, 1000, 10, launch=1, kernel="k", verdict="split", split=True, guided=False, reason="", predicted_ms=4.0),
        event("k", "run", 10, 1010, 4000, launch=1, **{"from": 0, "to": 60}, predicted_ms=4.0),
        event("k", "run", 12, 1010, 5000, launch=1, **{"from": 60, "to": 100}, predicted_ms=4.0),
        event("w</script>", "decision", 1, 7000, 10, launch=2, kernel="w</script>", split=False, guided=False,
              reason="too small"),
        event("w</script>", "run", 10, 7010, 100, launch=2, whole=True)]


def chain():
    """A launch in parts beside its transfers, and what came before."""
    return [
        event("context", "prepare", 3, 500, 100, device=1),
        event("plan", "stage", 1, 7500, 10, kernel="k", parts=4, devices=1, bytes=5000),
        json.dumps({"name": "out", "cat": "stage", "ph": "i", "s": "t", "pid": 1, "tid": 11, "ts": 7600, "args": {"part": 0}})]


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def trace(self, text):
        with open(self.path("t.json"), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path("t.json")

    def report(self, *args, status=0):
        done = subprocess.run([YOKE, "report", *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_numbers(self):
        whole = "[\n" + ",\n".join(lines() + chain()) + "\n]\n"
        data = json.loads(self.report("--json", self.trace(whole)))
        self.assertTrue(data["complete"])
        k, w = data["kernels"]
        self.assertEqual((k["name"], k["launches"], k["split"], k["staged"]), ("k", 2, 1, 1))
        self.assertEqual(k["bytes"], 5000)
        self.assertAlmostEqual(k["real_ms"], 5)
        self.assertAlmostEqual(k["ideal_ms"], 100 / (60 / 4 + 40 / 5))
        self.assertAlmostEqual(k["predicted_ms"], 4)
        self.assertAlmostEqual(k["devices"][0]["share"], 0.6)
        self.assertEqual(w["whole"], [{"reason": "too small", "launches": 1}])
        self.assertEqual(data["prepared"], [{"what": "context", "device": 1, "start_ms": 0.0, "ms": 0.1}])
        text = self.report(self.trace(whole))
        self.assertIn("made ready for device 1: context, 0.100 ms from 0.000 ms on", text)
        self.assertIn("efficiency 0.87", text)
        self.assertIn("k: 2 launches, 1 split, 1 in parts beside their transfers", text)

    def test_cut_anywhere(self):
        text = "[\n" + ",\n".join(lines()) + ",\n"
        for n in range(0, len(text), 7):
            data = json.loads(self.report("--json", self.trace(text[:n])))
            self.assertFalse(data["complete"])
        self.assertEqual(len(data["kernels"]), 2)

    def test_charts(self):
        t = self.trace("[\n" + ",\n".join(lines()) + "\n]\n")
        self.report("--svg", self.path("t.svg"), "--html", self.path("t.html"), t)
        xml.dom.minidom.parse(self.path("t.svg"))
        with open(self.path("t.html"), encoding="utf-8") as f:
            page = f.read()
        self.assertEqual(page.count("</script>"), 1)
        self.assertNotIn("http", page.replace("http://www.w3.org", ""))
        self.assertIn("too small", page)

    def test_what_is_no_trace(self):
        self.assertIn("no trace", self.report(self.trace('{"a": 1}]'), status=1))
        self.assertIn("No such file", self.report(self.path("none"), status=1))


class Profile(unittest.TestCase):
    def test_round_trip(self):
        with tempfile.TemporaryDirectory() as folder:
            env = dict(os.environ, XDG_DATA_HOME=folder)

            def profile(*args, status=0):
                done = subprocess.run([YOKE, "profile", *args], env=env, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                return done.stdout

            one = {"kernel": "0" * 32, "name": "k", "device": "d / 1 #0", "local": "8x8x1", "problem": "",
                   "kind": "shared", "samples": [[10.0, 1.5, 3], [20.0, 2.5, 1]]}
            name = os.path.join(folder, "in.json")
            with open(name, "w", encoding="utf-8") as f:
                json.dump([one, dict(one, kind="no such"), dict(one, samples=[[1, -1, 1]])], f)
            self.assertIn("1 of 3", profile("import", name, status=1))
            self.assertEqual(json.loads(profile("export")), [one])
            self.assertIn("2.5000 ms", profile("show"))
            self.assertEqual(json.loads(profile("show", "--json")), [one])
            self.assertEqual(json.loads(profile("--json", "show")), [one])
            profile("show", "--jsom", status=2)
            self.assertIn("nothing is remembered", profile("model"))
            profile("clear", "k")
            self.assertEqual(json.loads(profile("export")), [])
            alone = dict(one, kind="alone", problem="p")
            code = dict(one, kind="code", device="", local="", samples=[[1.0, 20.0, 1], [7.0, 3.0, 1]])
            many = [dict(s, kernel=f"{i:032x}") for i in range(8) for s in (alone, code)]
            for n, factor in ((14, None), (16, 1)):
                with open(name, "w", encoding="utf-8") as f:
                    json.dump(many[:n], f)
                profile("import", name)
                told = json.loads(profile("model", "--json"))
                self.assertEqual([told[0][k] for k in ("device", "kernels", "samples")], ["d / 1 #0", n // 2, n])
                self.assertTrue(told[0]["factor"] is None if factor is None else told[0]["factor"] >= factor, told)
            self.assertIn("predicted within a factor of", profile("model"))

    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            env = dict(os.environ, XDG_DATA_HOME=folder, XDG_CACHE_HOME=folder, POCL_DEVICES="basic basic basic")

            def profile(*args, fault="own@1;own@2;link@1=8G,50us", status=0):
                done = subprocess.run([YOKE, "profile", *args], env=dict(env, YOKE_FAULT=fault), capture_output=True,
                                      text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                return done.stdout if status == 0 else done.stderr

            told = json.loads(profile("links", "--json"))
            slow, fast = told["links"]
            self.assertEqual([slow["index"], fast["index"]], [1, 2])
            self.assertGreaterEqual(slow["latency_in_us"], 50)
            for size in slow["sizes"]:
                for way in ("in_ms", "pinned_in_ms", "out_ms", "pinned_out_ms"):
                    self.assertGreaterEqual(size[way], size["bytes"] / 2**33 * 1e3)
            self.assertEqual([p["devices"] for p in told["pairs"]], [[1, 2]])
            kept = {(s["kind"], s["device"][-2:]): s["samples"] for s in json.loads(profile("export"))}
            self.assertEqual(set(kept), {(k, d) for k in ("in", "out", "pinned_in", "pinned_out") for d in ("#1", "#2")})
            for s, size in zip(kept["in", "#1"], slow["sizes"], strict=True):
                self.assertEqual(s[0], size["bytes"])
                self.assertAlmostEqual(s[1], size["in_ms"], delta=1e-5 * max(1, size["in_ms"]))
            self.assertIn("GB/s", profile("show"))
            text = profile("links")
            self.assertIn("device 0, ", text)
            self.assertIn("works in the host's memory", text)
            self.assertIn("both ways at once", text)
            slow = json.loads(profile("links", "--json", fault="own@1;link@1=2M"))["links"][0]  # not for minutes
            self.assertEqual([s["bytes"] for s in slow["sizes"]], [4096, 65536])
            self.assertIn("CL_OUT_OF_RESOURCES",
                          profile("links", fault="own@1;clEnqueueReadBuffer@1=error(CL_OUT_OF_RESOURCES)", status=1))
            profile("links", "now", status=2)


if __name__ == "__main__":
    unittest.main()
