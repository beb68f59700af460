#!/usr/bin/env python3
"""An installation works from wherever it lies: the programs find each other, nothing points into the build tree.
Environment: YOKE_TEST_BUILD, YOKE_TEST_CMAKE."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["YOKE_TEST_BUILD"]
CMAKE = os.environ["YOKE_TEST_CMAKE"]
KERNEL = """kernel void each(global int *out, const global int *in) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }
kernel void grouped(global int *out) { out[get_global_id(0)] = (int)get_group_id(0); }
kernel void counted(global int *n, global int *out) { out[get_global_id(0)] = atomic_inc(n); }
"""


def call(*command, **env):
    full = {k: v for k, v in os.environ.items() if not k.startswith("YOKE_") and k != "LD_PRELOAD"}
    return subprocess.run(command, env=dict(full, **env), capture_output=True, text=True, timeout=100)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        done = call(CMAKE, "--install", BUILD, "--prefix", os.path.join(cls.folder.name, "first"))
        assert done.returncode == 0, done.stderr
        # Moved after installing: no path may be built in.
        cls.root = os.path.join(cls.folder.name, "moved")
        os.rename(os.path.join(cls.folder.name, "first"), cls.root)
        cls.yoke = os.path.join(cls.root, "bin/yoke")
        cls.kernel = os.path.join(cls.folder.name, "k.cl")
        with open(cls.kernel, "w") as f:
            f.write(KERNEL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_files(self):
        found = sorted(os.path.relpath(os.path.join(d, n), self.root) for d, _, names in os.walk(self.root) for n in names)
        for name in ("bin/yoke", "lib/yoke/libyoke.so", "libexec/yoke/yoke-transform", "libexec/yoke/yoke-warm", "share/man/man1/yoke.1",
                     "share/bash-completion/completions/yoke", "share/doc/yoke/LICENSE"):
            self.assertIn(name, found)
        self.assertEqual([n for n in found if not n.startswith(("bin/", "lib/yoke/", "libexec/yoke/", "share/"))], [])

    def test_run_preloads_the_installed_library(self):
        done = call(self.yoke, "run", "--quiet", "printenv", "LD_PRELOAD")
        self.assertEqual(done.stdout.strip(), os.path.realpath(os.path.join(self.root, "lib/yoke/libyoke.so")))

    def test_through_a_symbolic_link(self):
        link = os.path.join(self.folder.name, "linked")
        os.symlink(self.yoke, link)
        self.assertEqual(call(link, "run", "--quiet", "true").returncode, 0)

    def test_by_its_name_from_another_folder(self):
        done = subprocess.run(["yoke", "run", "--quiet", "printenv", "LD_PRELOAD"], cwd="/", capture_output=True, text=True, timeout=100,
                              env={"PATH": os.path.join(self.root, "bin") + ":" + os.environ["PATH"]})
        self.assertEqual(done.stdout.strip(), os.path.realpath(os.path.join(self.root, "lib/yoke/libyoke.so")))

    def test_to_a_staging_folder(self):
        stage = os.path.join(self.folder.name, "stage")
        done = call(CMAKE, "--install", BUILD, "--prefix", "/usr", DESTDIR=stage)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("yoke:", call(os.path.join(stage, "usr/bin/yoke"), "--help").stdout)
        self.assertTrue(os.path.exists(os.path.join(stage, "usr/libexec/yoke/yoke-transform")))

    def test_manual_page_reads_without_complaint(self):
        if not shutil.which("man"):
            self.skipTest("skipped: no man")
        done = call("man", "--warnings", "-l", os.path.join(self.root, "share/man/man1/yoke.1"), MANWIDTH="100", MANPAGER="cat")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("YOKE_DEVICES", done.stdout)

    def test_no_run_path_that_others_could_write(self):
        for name in ("bin/yoke", "lib/yoke/libyoke.so", "libexec/yoke/yoke-transform"):
            text = call("objdump", "-p", os.path.join(self.root, name)).stdout
            self.assertNotIn("RPATH", text, name)
            self.assertNotIn("RUNPATH", text, name)

    def test_explain(self):
        done = call(self.yoke, "explain", self.kernel)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kernel each: splittable", done.stdout)
        self.assertIn("kernel counted: whole", done.stdout)
        self.assertIn("variant for boxes of work-groups", done.stdout)

    def test_explain_json(self):
        done = call(self.yoke, "explain", "--json", self.kernel, "--", "-DA=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = {k["name"]: k for k in json.loads(done.stdout)["kernels"]}
        self.assertEqual(sorted(kernels), ["counted", "each", "grouped"])
        self.assertEqual(kernels["counted"]["verdict"], "whole")
        self.assertNotEqual(kernels["counted"]["reason"], "")
        self.assertTrue(kernels["each"]["arguments"][0]["written"])
        self.assertFalse(kernels["each"]["arguments"][1]["written"])
        self.assertEqual([h["kind"] for h in kernels["grouped"]["hidden_arguments"]], ["group_offset"])

    def test_explain_says_why_a_file_does_not_compile(self):
        with open(self.kernel + ".bad.cl", "w") as f:
            f.write("kernel void broken( { }\n")
        for args in ([], ["--json"]):
            done = call(self.yoke, "explain", *args, f.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("line 1", done.stdout)


if __name__ == "__main__":
    unittest.main()
