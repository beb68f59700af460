"""A program in surroundings that do it no good: folders that are full, read-only, somebody else's, or traps; a set-user-ID
program. Its answer is the same, yoke says one line at most for each thing that is wrong. What needs root or a mount says "skipped" where it cannot be had."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

WORK, STUB, TRANSFORM = (os.environ["YOKE_TEST_" + name] for name in ("WORK", "STUB", "TRANSFORM"))
NOBODY = 65534


class Hostile(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="yoke-hostile-")
        os.chmod(self.root, 0o755)
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.cache = os.path.join(self.root, "cache")
        os.mkdir(self.cache, 0o700)

    def run_work(self, program=WORK, prefix=(), **more):
        env = {"PATH": os.environ["PATH"], "YOKE_REAL_LIBOPENCL": STUB, "YOKE_TRANSFORM": TRANSFORM, "HOME": self.root,
               "YOKE_STUB_DEVICES": "cpu,gpu", "YOKE_FORCE_SPLIT": "1", "XDG_CACHE_HOME": self.cache,
               "XDG_DATA_HOME": os.path.join(self.root, "data"), **more}
        return subprocess.run([*prefix, program], env=env, capture_output=True, text=True, timeout=60)

    def right(self, lines, **more):
        """The right answer, and so many lines from yoke."""
        r = self.run_work(**more)
        self.assertEqual((r.returncode, r.stdout), (0, "platform yoke\nright\n"), r.stderr)
        said = [line for line in r.stderr.splitlines() if line.startswith("yoke: ")]
        self.assertLessEqual(len(said), lines, r.stderr)
        return said

    def facts(self):
        return os.path.join(self.cache, "yoke", "facts")

    def mount(self, options):
        """A small file system over the cache folder; False where that is not allowed."""
        r = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.cache], capture_output=True)
        if r.returncode:
            self.skipTest("skipped: no mount allowed here")
        self.addCleanup(subprocess.run, ["umount", self.cache], capture_output=True)

    def test_a_sound_folder_is_used(self):
        self.assertEqual(self.right(0), [])
        self.assertTrue(os.listdir(self.facts()))
        self.assertEqual(os.stat(self.facts()).st_mode & 0o777, 0o700)

    def test_a_full_disk(self):
        self.mount("size=8k,mode=700")
        with open(os.path.join(self.cache, "fill"), "wb") as f:
            try:
                f.write(b"x" * 65536)
            except OSError:
                pass
        self.assertTrue(self.right(2))
        self.right(2)

    def test_a_read_only_disk(self):
        self.mount("size=1m,mode=700")
        os.makedirs(self.facts(), 0o700)
        subprocess.run(["mount", "-o", "remount,ro", self.cache], check=True)
        self.assertTrue(self.right(2))  # one for each folder that is wanted

    def test_somebody_elses_folder(self):
        if os.geteuid():
            self.skipTest("skipped: not root")
        os.makedirs(os.path.join(self.cache, "yoke"), 0o700)
        os.chown(os.path.join(self.cache, "yoke"), NOBODY, NOBODY)
        self.assertEqual(len(self.right(1)), 1)
        self.assertEqual(os.listdir(os.path.join(self.cache, "yoke")), [])

    def test_links_lead_nowhere(self):
        elsewhere = os.path.join(self.root, "elsewhere")
        os.makedirs(os.path.join(self.cache, "yoke"), 0o700)
        os.mkdir(elsewhere)
        os.symlink(elsewhere, self.facts())
        self.assertEqual(len(self.right(1)), 1)
        self.assertEqual(os.listdir(elsewhere), [])

    def test_traps_in_place_of_records(self):
        secret = os.path.join(self.root, "secret")
        with open(secret, "w", encoding="ascii") as f:
            f.write("untouched")
        for trap in (os.mkfifo, os.mkdir, lambda path: os.symlink(secret, path),
                     lambda path: os.symlink("/dev/zero", path)):
            shutil.rmtree(os.path.join(self.cache, "yoke"), ignore_errors=True)
            self.right(0)
            for name in os.listdir(self.facts()):
                path = os.path.join(self.facts(), name)
                os.unlink(path)
                trap(path)
            self.right(1)
            with open(secret, encoding="ascii") as f:
                self.assertEqual(f.read(), "untouched")

    def test_few_descriptors_little_memory_small_files(self):
        for limit in ("-n 16", "-f 0", "-f 4"):
            r = self.run_work(prefix=("bash", "-c", f'ulimit {limit}; exec "$0"'))
            self.assertEqual((r.returncode, r.stdout), (0, "platform yoke\nright\n"), limit + r.stderr)
            self.assertLessEqual(r.stderr.count("yoke: "), 2, r.stderr)

    def test_a_set_user_id_program_is_left_alone(self):
        if os.geteuid():
            self.skipTest("skipped: not root")
        program = os.path.join(self.root, "work")
        shutil.copy(WORK, program)
        self.assertIn("platform yoke", self.run_work(program).stdout)
        shutil.rmtree(os.path.join(self.cache, "yoke"))
        os.chown(program, NOBODY, NOBODY)
        os.chmod(program, 0o4755)
        os.chmod(self.cache, 0o777)
        r = self.run_work(program, YOKE_SUMMARY="1", YOKE_LOG="debug", YOKE_JSON=os.path.join(self.cache, "summary"))
        if "platform yoke" in r.stdout and os.statvfs(self.root).f_flag & os.ST_NOSUID:
            self.skipTest("skipped: this file system knows no set-user-ID")
        self.assertNotIn("platform yoke", r.stdout)  # the system's own, or none
        self.assertNotIn("stub", r.stdout)           # YOKE_REAL_LIBOPENCL names a library: not here
        self.assertNotIn("yoke: ", r.stderr)
        self.assertEqual([f for f in os.listdir(self.cache) if "yoke" in f or "summary" in f], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
