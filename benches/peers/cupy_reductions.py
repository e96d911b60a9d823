"""The reductions of the benchmark `reductions` in CuPy: python3 cupy_reductions.py [--quick]

Needs `cupy` and a GPU. Sizes and types are those of the benchmark in Rust, and the value of a sum is on the host too.
"""

from common import measure_calls, need, report

need("cupy")

import cupy as cp
import numpy as np

BENCH = "reductions"
wait = cp.cuda.get_current_stream().synchronize


def rate(case, size, call):
    report(BENCH, case, "GB/s", "more", [size / s / 1e9 for s in measure_calls(call, wait)], "CuPy")


n = 100_000_000
host = (np.arange(n) % 1000).astype(np.float64)
x = cp.asarray(host)
assert x.sum().item() == host.sum()
rate("sum, 100 M f64", x.nbytes, lambda: x.sum().item())
first, second = x[: n // 2], x[n // 2 :]
rate("sum of x² + y, 2 × 50 M f64", x.nbytes, lambda: (first * first + second).sum().item())
del x, first, second

n = 10_000
x = cp.asarray((np.arange(n * n) * 7919 % 1000).astype(np.float32).reshape(n, n))
for axis, case in ((1, "rows of 10,000² f32"), (0, "columns of 10,000² f32")):
    rate(case, x.nbytes, lambda: x.sum(axis=axis))
