#!/usr/bin/env python3
"""pyFAI on OpenCL: a picture of a diffraction detector is integrated along rings, in one and two dimensions, by its kernels over sparse matrices, and
its outliers are clipped; a line with a hash of the numbers for each.

    pyfai_sample.py [TIMES]"""
import hashlib
import logging
import sys
import time

import numpy
from pyFAI.detectors import Detector

logging.disable(logging.CRITICAL)
try:
    from pyFAI.integrator.azimuthal import AzimuthalIntegrator
except ImportError:  # before 2025
    from pyFAI.azimuthalIntegrator import AzimuthalIntegrator

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 8
SHAPE = (1000, 1000)
random = numpy.random.default_rng(3)
integrator = AzimuthalIntegrator(dist=0.1, poni1=0.05, poni2=0.052, detector=Detector(1e-4, 1e-4, max_shape=SHAPE), wavelength=1e-10)
rings = 300 * numpy.exp(-((integrator.array_from_unit(SHAPE, unit="2th_deg") - 15) / 0.5) ** 2)
picture = (random.poisson(50, SHAPE) + rings).astype(numpy.float32)
mask = numpy.zeros(SHAPE, numpy.int8)
mask[300:310] = 1


def method(split, algorithm):
    return (split, algorithm, "opencl")


def rings_of(split, algorithm):
    done = integrator.integrate1d(picture, 1000, unit="2th_deg", method=method(split, algorithm), mask=mask, error_model="poisson",
                                  polarization_factor=0.9, correctSolidAngle=True)
    return done, (done.radial, done.intensity, done.sigma)


def cake_of(split, algorithm):
    done = integrator.integrate2d(picture, 300, 180, unit="2th_deg", method=method(split, algorithm), mask=mask, error_model="poisson")
    return done, (done.intensity, done.radial, done.sigma)


def clipped():
    done = integrator.sigma_clip_ng(picture, 1000, error_model="azimuthal", method=method("bbox", "csr"), unit="2th_deg", max_iter=5, thresh=3)
    return done, (done.intensity, done.sigma)


began = time.monotonic()
for name, work in (("rings, csr", lambda: rings_of("full", "csr")), ("rings, lut", lambda: rings_of("bbox", "lut")),
                   ("cake, csr", lambda: cake_of("full", "csr")), ("clipped", clipped)):
    took, numbers = [], None
    for _ in range(TIMES):
        begin = time.monotonic()
        done, numbers = work()
        took.append(time.monotonic() - begin)
        if "opencl" not in str(done.method).lower():
            sys.exit(f"{name}: pyFAI took another way: {done.method}")
    print("answer:", name, hashlib.sha256(b"".join(numpy.ascontiguousarray(n).tobytes() for n in numbers)).hexdigest(), flush=True)
    print(f"{name}: {sorted(took)[len(took) // 2]:.4f} s, the first {took[0]:.2f} s", flush=True)
print(f"all: {time.monotonic() - began:.2f} s")
print("result=OK")
