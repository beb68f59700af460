#!/usr/bin/env python3
"""`yoke devices`: what it says of the drivers that are there, of none, and of wrong names. Environment: YOKE_TEST_BIN."""
import json
import os
import subprocess
import tempfile
import unittest

BIN = os.environ["YOKE_TEST_BIN"]
POCL = os.path.exists("/etc/OpenCL/vendors/pocl.icd")


def devices(*args, **env):
    full = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "OCL_", "POCL_")) and k != "LD_PRELOAD"}
    return subprocess.run([BIN, "devices", *args], env=dict(full, **env), capture_output=True, text=True, timeout=100)


class Nothing(unittest.TestCase):
    def test_no_device(self):
        with tempfile.TemporaryDirectory() as empty:
            for args in ([], ["--json"]):
                done = devices(*args, OCL_ICD_VENDORS=empty)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("pocl-opencl-icd", done.stderr)  # what to install

    def test_no_loader(self):
        done = devices(YOKE_REAL_LIBOPENCL="/nonexistent/libOpenCL.so.1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ocl-icd-libopencl1", done.stderr)


@unittest.skipUnless(POCL, "PoCL is not installed")
class Pocl(unittest.TestCase):
    def test_two(self):
        done = devices("--json", POCL_DEVICES="basic basic")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = json.loads(done.stdout)["devices"]
        self.assertEqual([d["index"] for d in listed], [0, 1])
        for d in listed:
            self.assertTrue(d["usable"])
            self.assertTrue(d["host_memory"])
            self.assertGreater(d["global_mem"], 1 << 20)
            self.assertIn("basic", d["name"])
        self.assertEqual(sum(d["primary"] for d in listed), 1)
        self.assertEqual(len({d["numeric_class"] for d in listed}), 1)

    def test_table_says_the_same(self):
        done = devices(POCL_DEVICES="basic basic")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(line.count("basic-") for line in done.stdout.splitlines()), 2)
        self.assertEqual(done.stdout.split("\n\n")[0].count("primary"), 1)
        self.assertIn("2 of 2 devices used as one", done.stdout)

    def test_chosen(self):
        done = devices("--json", POCL_DEVICES="basic basic", YOKE_DEVICES="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([d["usable"] for d in json.loads(done.stdout)["devices"]], [False, True])

    def test_unknown_name_is_said(self):
        done = devices(POCL_DEVICES="basic", YOKE_DEVICES="nonesuch")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no device 'nonesuch'", done.stderr)
        self.assertNotIn("pocl-opencl-icd", done.stderr)


if __name__ == "__main__":
    unittest.main()
