#!/usr/bin/env python3
"""OpenMM on OpenCL: argon atoms in a periodic box, energy and forces of the beginning, then some steps. Its kernels for CPUs have few
work-items, each long.

    openmm_sample.py [ATOMS_PER_EDGE [STEPS]]"""
import hashlib
import math
import sys
import time

try:
    import openmm
except ImportError:
    from simtk import openmm

EDGE = int(sys.argv[1]) if len(sys.argv) > 1 else 10
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
APART = 0.4  # nm


def digest(vectors):
    return hashlib.md5(repr([tuple(v) for v in vectors]).encode()).hexdigest()


system, force, places = openmm.System(), openmm.NonbondedForce(), []
for i in range(EDGE):
    for j in range(EDGE):
        for k in range(EDGE):
            system.addParticle(39.9)
            force.addParticle(0.0, 0.34, 0.997)
            moved = 0.05 * math.sin(7 * i + 3 * j + k)
            places.append((i * APART + moved, j * APART - moved, k * APART))
length = EDGE * APART
system.setDefaultPeriodicBoxVectors((length, 0, 0), (0, length, 0), (0, 0, length))
force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
force.setCutoffDistance(1.0)
system.addForce(force)
integrator = openmm.VerletIntegrator(0.002)
context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("OpenCL"), {"Precision": "single"})
context.setPositions(places)
state = context.getState(getEnergy=True, getForces=True)
print("answer: energy", state.getPotentialEnergy()._value, "forces", digest(state.getForces()._value))
begin = time.monotonic()
integrator.step(STEPS)
state = context.getState(getEnergy=True, getPositions=True)
print("answer: energy", state.getPotentialEnergy()._value, state.getKineticEnergy()._value, "places", digest(state.getPositions()._value))
print(f"{STEPS} steps of {EDGE ** 3} atoms: {time.monotonic() - begin:.2f} s")
print("result=OK")
