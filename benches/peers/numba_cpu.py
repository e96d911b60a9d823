"""The integration of the benchmark `cpu_integration` in Numba on all cores: python3 numba_cpu.py [--quick]

Needs `numba` and no GPU.
"""

import math

from common import measure, need, report

need("numba")

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def integrate_rows(n, h, sums):
    for row in prange(n):
        x = h * (row + 0.5)
        total = 0.0
        for column in range(n):
            y = h * (column + 0.5)
            total += math.sin(x + y)
        sums[row] = total


n = 8192
h = math.pi / n
sums = np.zeros(n, dtype=np.float32)
seconds = measure(lambda: integrate_rows(n, h, sums))
half = sums[: n // 2].astype(np.float64).sum() * h * h
assert abs(half - 2) < 1e-5, half
report("cpu_integration", "8192² points", "ms", "less", [s * 1e3 for s in seconds])
