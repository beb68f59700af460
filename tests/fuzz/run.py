"""Run one fuzzer: run.py guided|blind PROGRAM CORPUS WORK, or run.py timed PROGRAM [NIGHTLY-SECONDS], which takes its seconds as
an argument, or run.py delayed PROGRAM LIBRARY, the same with LIBRARY preloaded. Seconds: YOKE_FUZZ_SECONDS, 15 where it is not
set; an hour in nightly runs. What libFuzzer finds on the way stays in WORK."""
import os
import subprocess
import sys


def main():
    how, program, *places = sys.argv[1:]
    nightly = "YOKE_NIGHTLY" in os.environ
    seconds = os.environ.get("YOKE_FUZZ_SECONDS", "15")
    if how == "timed":
        return subprocess.run([program, (places or ["3600"])[0] if nightly else seconds]).returncode
    if how == "delayed":
        return subprocess.run([program, "3600" if nightly else seconds], env={**os.environ, "LD_PRELOAD": places[0]}).returncode
    corpus, work = places
    files = sorted(os.path.join(corpus, name) for name in os.listdir(corpus))
    assert files, f"{corpus} is empty"
    if how == "blind":
        return subprocess.run([program, "200000" if nightly else "10000", *files]).returncode
    os.makedirs(os.path.join(work, "found"), exist_ok=True)
    return subprocess.run([program, f"-max_total_time={3600 if nightly else seconds}", "-timeout=10", "-rss_limit_mb=1024",
                           "-max_len=4096", "-print_final_stats=1", f"-artifact_prefix={work}/",
                           os.path.join(work, "found"), corpus]).returncode


if __name__ == "__main__":
    sys.exit(main())
