"""The benchmarks `cpu_integration` and `cpu_arrays` in Numba on all cores: python3 numba_cpu.py [--quick]

Needs `numba` and no GPU.
"""

import math

from common import measure, measure_calls, need, report

need("numba")

import numpy as np
from numba import njit, prange, vectorize


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

ARRAYS = "cpu_arrays"


@vectorize(["float32(float32, float32)"], target="parallel")
def add(x, y):
    return x + y


@vectorize(["float32(float32)"], target="parallel")
def trig(x):
    return math.cos(x) ** 2 + math.sin(x) ** 2


@vectorize(["float32(float32, float32, float32)"], target="parallel")
def discriminant(a, b, c):
    return math.sqrt(b * b - np.float32(4) * a * c)


@njit(parallel=True)
def five(x, y, out):
    for i in prange(x.size):
        out[i] = np.sqrt(x[i] * np.float32(2) + y[i]) * np.float32(0.5) - np.float32(1)


@njit(parallel=True)
def total(x):
    result = 0.0
    for i in prange(x.size):
        result += x[i]
    return result


n = 20_000_000
x = (np.arange(n) % 65_536).astype(np.float32) / np.float32(65_536)
y = (np.arange(n) % 1000).astype(np.float32) + np.float32(10)
z = (np.arange(n) % 997).astype(np.float32) / np.float32(997)
out = np.zeros_like(x)
x64 = x.astype(np.float64)
for case, work in (
    ("add, 20 M f32", lambda: add(x, y, out)),
    ("trig, 20 M f32", lambda: trig(x, out)),
    ("discriminant, 20 M f32", lambda: discriminant(x, y, z, out)),
    ("five operations, 20 M f32", lambda: five(x, y, out)),
    ("sum, 20 M f64", lambda: total(x64)),
):
    report(ARRAYS, case, "ms", "less", [s * 1e3 for s in measure(work)])

# Small enough for the second cache: what a call costs, and how good the loop is.
n = 10_000
x, y, out = x[:n].copy(), y[:n].copy(), np.zeros(n, dtype=np.float32)
for case, work in (("add, 10,000 f32", lambda: add(x, y, out)), ("five operations, 10,000 f32", lambda: five(x, y, out))):
    report(ARRAYS, case, "µs", "less", [s * 1e6 for s in measure_calls(work, lambda: None, 1000)])
