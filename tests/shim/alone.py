"""What tests of one program under yoke share: a home of its own for what PoCL and yoke keep, no settings but theirs, and what is said at the
end."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])


@contextlib.contextmanager
def home():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pocl", "cache", "data"):
            os.makedirs(f"{folder}/{name}", mode=0o700)
        yield folder


def run(folder, setting, program, *arguments):
    """A process under libyoke.so; two devices, where SETTING does not say others. How it went, and its summary."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    env = {**env, "POCL_DEVICES": "basic basic", "POCL_CACHE_DIR": folder + "/pocl", "XDG_CACHE_HOME": folder + "/cache",
           "XDG_DATA_HOME": folder + "/data", "LD_PRELOAD": os.path.join(BUILD, "libyoke.so"), "YOKE_JSON": folder + "/summary.json",
           **setting}
    done = subprocess.run([os.path.abspath(program), *arguments], env=env, capture_output=True, text=True, timeout=100)
    with open(folder + "/summary.json", encoding="utf-8") as f:
        return done, json.load(f)


def end(wrong):
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)
