#!/usr/bin/env python3
"""tinygrad on OpenCL: a small convolutional network is trained for some steps; a line with the bits of the loss for each.

    tinygrad_sample.py [STEPS [BATCH]]"""
import os
import sys
import time

os.environ["DEV"] = "CL"
os.environ["TRAINING"] = "1"
import numpy
from tinygrad import Tensor, TinyJit, nn

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
BATCH = int(sys.argv[2]) if len(sys.argv) > 2 else 256


class Network:
    def __init__(self):
        self.first, self.second, self.last = nn.Conv2d(1, 16, 3), nn.Conv2d(16, 32, 3), nn.Linear(32 * 5 * 5, 10)

    def __call__(self, x):
        x = self.first(x).relu().max_pool2d()
        x = self.second(x).relu().max_pool2d()
        return self.last(x.flatten(1))


Tensor.manual_seed(1)
random = numpy.random.default_rng(1)
pictures = Tensor(random.random((BATCH, 1, 28, 28), dtype=numpy.float32))
labels = Tensor(random.integers(0, 10, BATCH).astype(numpy.int32))
network = Network()
optimizer = nn.optim.Adam(nn.state.get_parameters(network), lr=1e-3)


@TinyJit
def step():
    optimizer.zero_grad()
    loss = network(pictures).sparse_categorical_crossentropy(labels).backward()
    optimizer.step()
    return loss.realize()


took, losses = [], []
for _ in range(STEPS):
    begin = time.monotonic()
    losses.append(float(step().item()))
    took.append(time.monotonic() - begin)
    print("answer:", losses[-1].hex(), flush=True)
if STEPS > 1 and not losses[-1] < losses[0]:
    sys.exit(f"nothing was learned: {losses}")
print(f"a step of {BATCH} pictures: {sorted(took)[len(took) // 2]:.3f} s, the first {took[0]:.2f} s")
print("result=OK")
