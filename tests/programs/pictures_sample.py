#!/usr/bin/env python3
"""Programs that make pictures by OpenCL, of which the pixels are hashed: a fractal of Mandelbulber's examples; filters of UFO, one after
the other, over noise.

    pictures_sample.py mandelbulber|ufo"""
import array
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib

SCENE = "/usr/share/mandelbulber2/examples/IFS_001.fract"
EDGE = 256


def pixels(path):
    """What the chunks of a PNG hold, without what it says of how and when it was made."""
    with open(path, "rb") as file:
        png = file.read()
    at, packed = 8, b""
    while at < len(png):
        size = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            packed += png[at + 8:at + 8 + size]
        at += size + 12
    return zlib.decompress(packed)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode:
        sys.exit(f"{command[0]}: status {done.returncode}: {done.stdout[-2000:]}")
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("yoke:")))


def mandelbulber(folder):
    """Its fast mode; of device type 0 it finds none that is a CPU."""
    run("mandelbulber2", "-C", "-n", "-f", "png", "-r", os.environ.get("SIZE", "96x72"), "-o", f"{folder}/out.png",
        "-O", "opencl_enabled=1#opencl_mode=2#opencl_device_type=1", SCENE)
    return pixels(f"{folder}/out.png")


def ufo(folder):
    noise = random.Random(5)
    with open(f"{folder}/in.raw", "wb") as file:
        array.array("f", (noise.random() for _ in range(EDGE * EDGE))).tofile(file)
    run("ufo-launch", "-q", "read", f"path={folder}/in.raw", f"raw-width={EDGE}", f"raw-height={EDGE}", "raw-bitdepth=32", "!", "median-filter",
        "size=5", "!", "blur", "size=9", "sigma=2", "!", "fft", "dimensions=2", "!", "power-spectrum", "!", "write", f"filename={folder}/out.raw")
    with open(f"{folder}/out.raw", "rb") as file:
        return file.read()


os.environ.update(QT_QPA_PLATFORM="offscreen", UFO_DEVICE_TYPE="cpu")
with tempfile.TemporaryDirectory() as scratch:
    os.environ.setdefault("XDG_RUNTIME_DIR", scratch)
    begin = time.monotonic()
    picture = {"mandelbulber": mandelbulber, "ufo": ufo}[sys.argv[1]](scratch)
    print(f"{time.monotonic() - begin:.2f} s")
print("answer:", len(picture), hashlib.md5(picture).hexdigest())
print("result=OK")
