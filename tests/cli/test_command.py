#!/usr/bin/env python3
"""The `yoke` command as a person meets it: help, errors, what `yoke run` hands to the program. No OpenCL is opened: an
empty library stands in for libyoke.so. Environment: YOKE_TEST_BIN the binary, YOKE_TEST_EMPTY the empty library,
YOKE_TEST_SOURCE the source tree."""
import os
import re
import signal
import stat
import subprocess
import tempfile
import unittest

BIN = os.environ["YOKE_TEST_BIN"]
EMPTY = os.environ["YOKE_TEST_EMPTY"]
SOURCE = os.environ["YOKE_TEST_SOURCE"]
COMMANDS = ["run", "devices", "explain", "profile", "report", "simulate", "solve"]


def yoke(*args, env=None, cwd=None, **more):
    full = {k: v for k, v in os.environ.items() if not k.startswith("YOKE_") and k != "LD_PRELOAD"}
    full["YOKE_LIB"] = EMPTY
    full.update(env or {})
    return subprocess.run([BIN, *args], env=full, cwd=cwd, capture_output=True, text=True, timeout=30, **more)


def environment(*options, env=None, cwd=None):
    """The environment that a program gets under `yoke run OPTIONS`."""
    done = yoke("run", *options, "--", "env", "-0", env=env, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)


def options_of(command):
    text = yoke(command, "--help").stdout
    return re.findall(r"^  (?:-\w, |    )--([a-z-]+)", text, re.M)


class Help(unittest.TestCase):
    def test_version(self):
        done = yoke("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^yoke \d+\.\d+\.\d+\n$")

    def test_no_command_is_a_usage_error_on_stderr(self):
        done = yoke()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Usage:", done.stderr)

    def test_help_names_every_command(self):
        text = yoke("--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")

    def test_help_three_ways(self):
        for command in COMMANDS:
            texts = {yoke(command, "--help").stdout, yoke(command, "-h").stdout, yoke("help", command).stdout}
            self.assertEqual(len(texts), 1)
            self.assertRegex(texts.pop(), rf"^yoke {command}: .+\n\nUsage: yoke {command} ")

    def test_help_fits_a_terminal(self):
        for command in COMMANDS:
            for line in yoke(command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            for args in (["--help"], ["run", "--help"]):
                self.assertEqual(subprocess.run([BIN, *args], stdout=full).returncode, 1)


class Errors(unittest.TestCase):
    def fails(self, status, message, *args, env=None):
        done = yoke(*args, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_unknown_command(self):
        self.fails(2, "do you mean 'run'", "rnu")
        self.fails(2, "unknown command 'fly'", "fly")
        self.fails(2, "unknown command 'fly'", "help", "fly")
        self.fails(2, "unknown option --fly", "--fly")

    def test_unknown_option(self):
        self.fails(2, "do you mean --devices?", "run", "--devics", "0", "true")
        self.fails(2, "unknown option -Z", "run", "-Z", "true")
        self.fails(2, "unknown option --nonsense", "explain", "--nonsense", "x.cl")

    def test_missing_pieces(self):
        self.fails(2, "which program?", "run")
        self.fails(2, "which program?", "run", "--quiet", "--")
        self.fails(2, "--devices needs a value", "run", "--devices")
        self.fails(2, "which file?", "explain")

    def test_wrong_values(self):
        wrong = {
            "--devices": ["", ",", "0,,1", ",0", "0,"],
            "--primary": [""],
            "--strategy": ["", "evn", "70:", ":30", "70", "0:0", "-1:2", "70:30:", "nan:1", "single:", "1e99:1"],
            "--numerics": ["", "loose", "STRICT"],
            "--as": ["tpu", ""],
            "--platform": ["", "pocl"],
            "--cpu-parts": ["0", "-1", "65", "2x", "", "99999999999999999999", " 2"],
            "--memory": ["", "all", "-1", "0", "12X", "1000K"],
            "--memory-limit": ["", "0", "0=", "=1G", "0=1G,", "0=many"],
            "--json": ["", "-", "/", "/nonexistent-folder/x.json"],
            "--log": ["loud", ""],
        }
        for option, values in wrong.items():
            for value in values:
                self.fails(2, f"{option} {value}: ", "run", f"{option}={value}", "true")

    def test_program_that_cannot_be_run(self):
        self.fails(127, "No such file", "run", "--", "no-such-program-anywhere")
        self.fails(127, "No such file", "run", "./no/such/file")
        self.fails(126, "Permission denied", "run", "/")
        with tempfile.NamedTemporaryFile() as plain:
            self.fails(126, "Permission denied", "run", plain.name)

    def test_library_that_is_not_there(self):
        self.fails(125, "YOKE_LIB=/nonexistent.so", "run", "true", env={"YOKE_LIB": "/nonexistent.so"})

    def test_library_path_that_the_linker_would_misread(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a b.so", "a:b.so"):
                path = os.path.join(folder, name)
                with open(path, "w"):
                    pass
                self.fails(125, "space or colon", "run", "true", env={"YOKE_LIB": path})


class Run(unittest.TestCase):
    def test_each_option_sets_its_variable(self):
        given = {
            "YOKE_DEVICES": ["--devices", "0,gpu"],
            "YOKE_PRIMARY": ["--primary", "basic"],
            "YOKE_STRATEGY": ["--strategy", "70:30"],
            "YOKE_NUMERICS": ["--numerics", "mixed"],
            "YOKE_AS": ["--as", "gpu"],
            "YOKE_PLATFORM": ["--platform", "primary"],
            "YOKE_GATHER": ["--gather", "off"],
            "YOKE_PIPELINE": ["--pipeline", "off"],
            "YOKE_CPU_PARTS": ["--cpu-parts", "numa"],
            "YOKE_MEMORY": ["--memory", "64G"],
            "YOKE_MEMORY_LIMIT": ["--memory-limit", "0=64M,gpu=1.5G"],
            "YOKE_LOG": ["--log", "debug"],
        }
        for variable, options in given.items():
            self.assertEqual(environment(*options)[variable], options[1])
        for variable, option in {"YOKE_FORCE_SPLIT": "--force-split", "YOKE_REPRODUCIBLE": "--reproducible",
                                 "YOKE_QUIET": "--quiet"}.items():
            self.assertEqual(environment(option)[variable], "1")
            self.assertNotIn(variable, environment())

    def test_good_strategies(self):
        for value in ("even", "linear", "70:30", "1:1:2", "33.3:66.7", "0:1", "single:0", "single:cpu"):
            self.assertEqual(environment("-s", value)["YOKE_STRATEGY"], value)

    def test_short_and_long(self):
        got = environment("-d", "1", "-p1", "-seven", "-nany", "-frq")
        self.assertEqual([got[v] for v in ("YOKE_DEVICES", "YOKE_PRIMARY", "YOKE_STRATEGY", "YOKE_NUMERICS",
                                           "YOKE_FORCE_SPLIT", "YOKE_REPRODUCIBLE", "YOKE_QUIET")],
                         ["1", "1", "even", "any", "1", "1", "1"])

    def test_last_one_counts(self):
        self.assertEqual(environment("-d0", "-d1")["YOKE_DEVICES"], "1")

    def test_verbose_is_info_unless_a_level_is_given(self):
        self.assertEqual(environment("-v")["YOKE_LOG"], "info")
        self.assertEqual(environment("--log", "debug", "-v")["YOKE_LOG"], "debug")

    def test_summary_is_on_unless_quiet(self):
        self.assertEqual(environment()["YOKE_SUMMARY"], "1")
        self.assertNotIn("YOKE_SUMMARY", environment("--quiet", env={"YOKE_SUMMARY": "1"}))

    def test_variables_already_set_stay(self):
        self.assertEqual(environment(env={"YOKE_DEVICES": "3"})["YOKE_DEVICES"], "3")
        self.assertEqual(environment("-d", "1", env={"YOKE_DEVICES": "3"})["YOKE_DEVICES"], "1")

    def test_json_file_is_found_from_any_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            self.assertEqual(environment("--json", "a.json", cwd=folder)["YOKE_JSON"], folder + "/a.json")
            self.assertEqual(environment("--json", folder + "/b.json")["YOKE_JSON"], folder + "/b.json")

    def test_library_goes_first_and_once(self):
        self.assertEqual(environment()["LD_PRELOAD"], EMPTY)
        self.assertEqual(environment(env={"LD_PRELOAD": ""})["LD_PRELOAD"], EMPTY)
        libc = "libc.so.6"
        self.assertEqual(environment(env={"LD_PRELOAD": libc})["LD_PRELOAD"], f"{EMPTY}:{libc}")
        for already in (EMPTY, f"{EMPTY}:{libc}", f"{EMPTY} {libc}"):
            self.assertEqual(environment(env={"LD_PRELOAD": already})["LD_PRELOAD"], already)

    def test_programs_own_options_are_its_own(self):
        for args in (["--", "printf", "%s|", "--quiet", "-d", "--"], ["printf", "%s|", "--quiet", "-d", "--"]):
            self.assertEqual(yoke("run", *args).stdout, "--quiet|-d|--|")

    def test_status_and_signals_pass(self):
        for status in (0, 1, 3, 125, 255):
            self.assertEqual(yoke("run", "sh", "-c", f"exit {status}").returncode, status)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            self.assertEqual(yoke("run", "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$").returncode, -number)

    def test_same_process_and_streams(self):
        child = subprocess.Popen([BIN, "run", "sh", "-c", "echo $$; cat"], env=dict(os.environ, YOKE_LIB=EMPTY),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        out, _ = child.communicate("in and out\n", timeout=30)
        self.assertEqual(out, f"{child.pid}\nin and out\n")

    def test_script_without_interpreter_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script")
            with open(path, "w") as f:
                f.write("exit 7\n")
            os.chmod(path, stat.S_IRWXU)
            self.assertEqual(yoke("run", path).returncode, 7)


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "k.cl")
        with open(self.file, "w") as f:
            f.write("kernel void k(global int *a) { a[0] = 1; }\n")
        tool = os.path.join(self.folder.name, "tool")
        with open(tool, "w") as f:
            f.write('#!/bin/sh\nprintf "%s|" "$@"\nexit 5\n')
        os.chmod(tool, stat.S_IRWXU)
        self.tool = {"YOKE_TRANSFORM": tool}

    def test_hands_over(self):
        for args, expected in ((["explain", self.file], f"--explain|{self.file}|"),
                               (["explain", "--json", self.file], f"--explain|--json|{self.file}|"),
                               (["explain", self.file, "--json", "--", "-DA=1"], f"--explain|--json|{self.file}|--|-DA=1|"),
                               (["explain", self.file, "--", "-DA=1", "-w"], f"--explain|{self.file}|--|-DA=1|-w|")):
            done = yoke(*args, env=self.tool)
            self.assertEqual((done.stdout, done.returncode), (expected, 5))

    def test_errors(self):
        self.assertEqual(yoke("explain", "/nonexistent.cl", env=self.tool).returncode, 1)
        done = yoke("explain", self.folder.name)
        self.assertEqual((done.returncode, "Is a directory" in done.stderr), (2, True), done.stderr)
        self.assertIn("build options come after --", yoke("explain", self.file, "-DA", env=self.tool).stderr)
        done = yoke("explain", self.file, env={"YOKE_TRANSFORM": "/dev/null/x"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("YOKE_TRANSFORM=/dev/null/x", done.stderr)


class Documents(unittest.TestCase):
    def test_manual_page_has_every_option_and_command(self):
        with open(os.path.join(SOURCE, "cli/man/yoke.1")) as f:
            page = f.read()
        for command in COMMANDS:
            self.assertRegex(page, rf"(?m)^\.Ss yoke {command}$")
            section = page.split(f".Ss yoke {command}\n")[1].split("\n.S")[0]
            for option in options_of(command):
                if option != "help":
                    self.assertRegex(section, rf"(?m)^\.It .*Fl -{option}\b", f"{command} --{option}")

    def complete(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _yoke; ' \
                 'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", os.path.join(SOURCE, "cli/completion/yoke.bash"), *words],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion_has_every_option_and_command(self):
        self.assertLessEqual(set(COMMANDS), set(self.complete("yoke", "")))
        self.assertEqual(self.complete("yoke", "ru"), ["run"])
        for command in COMMANDS:
            self.assertLessEqual({"--" + o for o in options_of(command)}, set(self.complete("yoke", command, "--")))

    def test_completion_of_values(self):
        self.assertEqual(self.complete("yoke", "run", "--numerics", "m"), ["mixed"])
        self.assertEqual(self.complete("yoke", "run", "--st"), ["--strategy"])


if __name__ == "__main__":
    unittest.main()
