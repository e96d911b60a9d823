"""The work of the benchmark `scans` in CuPy: python3 cupy_scans.py [--quick]

Needs `cupy` and a GPU. Sizes and types are those of the benchmark in Rust.
"""

from common import measure_calls, need, report

need("cupy")

import cupy as cp
import numpy as np

BENCH = "scans"
wait = cp.cuda.get_current_stream().synchronize
n = 100_000_000

host = (np.arange(n) % 65 - 32).astype(np.float32)
x = cp.asarray(host)
out = cp.empty_like(x)
seconds = measure_calls(lambda: cp.cumsum(x, out=out), wait)
assert (out.get() == np.cumsum(host)).all()
report(BENCH, "cumsum, 100 M f32", "GB/s", "more", [8 * n / s / 1e9 for s in seconds], "CuPy")

host = (np.arange(n) * 7919 % 65_536).astype(np.float32) / np.float32(65_536)
x = cp.asarray(host)
counts = None


def histogram():
    global counts
    counts, _ = cp.histogram(x, 256, (0.0, 1.0))


seconds = measure_calls(histogram, wait)
assert (counts.get() == np.bincount((host * 256).astype(np.int64), minlength=256)).all()
report(BENCH, "histogram, 256 bins, 100 M f32", "GB/s", "more", [4 * n / s / 1e9 for s in seconds], "CuPy")
