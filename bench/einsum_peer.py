#!/usr/bin/env python3
"""einsum_peer.py SPEC [SECONDS]: torch.einsum on the buckets that `sumproduct_gpu --spec SPEC` wrote, on GPU 0: GFLOP/s in double and
float, and of the roofline (measured here: a large copy, a large matrix product in the vector units' precision)."""
import math
import sys
import time

import torch


def clock(f, least=3, spend=0.02):
    f()
    torch.cuda.synchronize()
    best, spent, n = 1e9, 0.0, 0
    while n < least or spent < spend:
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        f()
        b.record()
        torch.cuda.synchronize()
        t = a.elapsed_time(b) * 1e-3
        best, spent, n = min(best, t), spent + t, n + 1
    return best


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 1e9
    began = time.time()
    x = torch.empty(1 << 28, dtype=torch.float64, device="cuda").normal_()
    y = torch.empty_like(x)
    bandwidth = 2 * x.numel() * 8 / clock(lambda: y.copy_(x))
    del x, y
    peak = {torch.float64: 33e12, torch.float32: 64e12}  # vector units; sumproduct_gpu prints the measured ones
    print(f"torch {torch.__version__}: memory {bandwidth * 1e-12:.2f} TB/s\n{'flop':>9} {'bytes':>9} {'double':>9} {'of roof':>8} "
          f"{'float':>9} {'of roof':>8}")
    logs = {torch.float64: [], torch.float32: []}
    for line in open(sys.argv[1]):
        flops, cells, rest = line.split(" ", 2)
        flops, cells = float(flops), float(cells)
        domains, *scopes = rest.strip().split(";")
        domains = [int(d) for d in domains.split(",")]
        keep = [v for v, d in enumerate(domains) if d > 1]
        number = {v: i for i, v in enumerate(keep)}
        scopes = [[int(v) for v in s.split(",") if v] for s in scopes]
        row = [f"{flops:9.2g} {cells * 8:9.2g}"]
        for dtype, size in ((torch.float64, 8), (torch.float32, 4)):
            try:
                args = []
                for s in scopes[:-1]:
                    s = [v for v in s if v in number]
                    args += [torch.rand([domains[v] for v in s], dtype=dtype, device="cuda"), [number[v] for v in s]]
                args.append([number[v] for v in scopes[-1] if v in number])
                t = clock(lambda: torch.einsum(*args))
                roof = max(flops / peak[dtype], cells * size / bandwidth)
                row.append(f"{flops / t * 1e-9:9.0f} {roof / t:8.3f}")
                if flops >= 1e8:
                    logs[dtype].append(math.log(min(1, roof / t)))
            except Exception as e:
                row.append(f"{type(e).__name__[:9]:>9} {'-':>8}")
            args = None
            torch.cuda.empty_cache()
        print(*row, flush=True)
        if time.time() - began > limit:
            break
    for dtype, values in logs.items():
        if values:
            print(f"figure einsum.{str(dtype)[6:]}_of_roofline {math.exp(sum(values) / len(values)):.4g} ratio")


main()
