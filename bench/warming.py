"""What a process under yoke leaves behind: yoke-warm, which compiles for later ones. Benches and tests wait for it."""
import os
import time


def settle(folder, seconds=60):
    """Wait until no yoke-warm works for who has its files in FOLDER: it writes there, and takes from the next run; beside other work it gets little
    of a core. False: one still does."""
    mine = os.fsencode(folder) + b"/"
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        busy = False
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/comm", "rb") as comm, open(f"/proc/{process}/environ", "rb") as environ:
                    busy |= comm.read() == b"yoke-warm\n" and mine in environ.read()
            except OSError:
                pass  # it has ended
        if not busy:
            return True
        time.sleep(0.05)
    return False
