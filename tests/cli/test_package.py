#!/usr/bin/env python3
"""The Debian package: made by CPack, installed into a root of its own by dpkg, used there, removed without a trace.
Environment: YOKE_TEST_BUILD, YOKE_TEST_CMAKE, YOKE_TEST_SOURCE."""
import glob
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

BUILD, CMAKE = os.environ["YOKE_TEST_BUILD"], os.environ["YOKE_TEST_CMAKE"]
WANTED = ("usr/bin/yoke", "usr/lib/yoke/libyoke.so", "usr/libexec/yoke/yoke-transform", "usr/libexec/yoke/yoke-warm",
          "usr/share/man/man1/yoke.1", "usr/share/bash-completion/completions/yoke", "usr/share/doc/yoke/copyright",
          "usr/share/doc/yoke/README.md")


def call(*command, **env):
    full = {k: v for k, v in os.environ.items() if not k.startswith("YOKE_") and k != "LD_PRELOAD"}
    return subprocess.run(command, env=dict(full, **env), capture_output=True, text=True, timeout=200)


def files(root):
    return sorted(os.path.relpath(os.path.join(d, n), root) for d, _, names in os.walk(root) for n in names)


@unittest.skipUnless(shutil.which("dpkg") and shutil.which("dpkg-shlibdeps"), "skipped: not a Debian with dpkg-dev")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cpack = os.path.join(os.path.dirname(CMAKE), "cpack")
        done = call(cpack, "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.folder.name)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.package, = glob.glob(cls.folder.name + "/*.deb")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_control(self):
        text = call("dpkg-deb", "--field", self.package).stdout
        fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.M))
        self.assertEqual(fields["Package"], "yoke")
        for name in ("clang-14", "ocl-icd-libopencl1", "libsqlite3-0", "libc6", "libclang1-14", "libjansson4"):
            self.assertIn(name, fields["Depends"])
        self.assertTrue(fields["Maintainer"] and fields["Description"] and int(fields["Installed-Size"]) > 0)
        for script in ("preinst", "postinst", "prerm", "postrm"):
            text = call("dpkg-deb", "--info", self.package, script).stdout
            self.assertIn(text, ("", "#!/bin/sh\nexit 0\n"), script)

    def test_owners_and_modes(self):
        for line in call("dpkg-deb", "--contents", self.package).stdout.splitlines():
            self.assertRegex(line, r"^[-d]rw[x-]r-[x-]r-[x-] root/root ", line)

    def test_installed_used_and_removed(self):
        root = os.path.join(self.folder.name, "root")
        admin = os.path.join(root, "var/lib/dpkg")
        for name in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(admin, name))
        for name in ("status", "available"):
            with open(os.path.join(admin, name), "w", encoding="ascii"):
                pass
        before = files(root)
        # What it depends on is outside this root.
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--force-bad-path",
                "--force-script-chrootless", "--log=/dev/null"]
        done = call(*dpkg, "--install", self.package)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in WANTED:
            self.assertIn(name, files(root))
        yoke = os.path.join(root, "usr/bin/yoke")
        self.assertTrue(os.stat(yoke).st_mode & stat.S_IXOTH)
        self.assertRegex(call(yoke, "--version").stdout, r"^yoke \d")
        done = call(yoke, "run", "--quiet", "printenv", "LD_PRELOAD")
        self.assertEqual(done.stdout.strip(), os.path.realpath(os.path.join(root, "usr/lib/yoke/libyoke.so")))
        done = call(*dpkg, "--purge", "yoke")
        self.assertEqual(done.returncode, 0, done.stderr)
        left = set(files(root)) - set(before)
        self.assertEqual({n for n in left if not n.startswith("var/lib/dpkg/")}, set())
        self.assertFalse(os.path.exists(os.path.join(root, "usr/lib/yoke")))


if __name__ == "__main__":
    unittest.main()
