"""The array functions of the benchmark `array_functions` in Numba-CUDA: python3 numba_arrays.py [--quick]

Needs `numba-cuda` and a GPU. Sizes and types are those of the benchmark in Rust.
"""

import math
import warnings

from common import measure, measure_calls, need, report

need("numba")

import numpy as np
from numba import cuda, vectorize

warnings.filterwarnings("ignore")  # about copies of host arrays, which one case is about

BENCH = "array_functions"


@vectorize(["float32(float32, float32)"], target="cuda")
def add(x, y):
    return x + y


@vectorize(["float32(float32)"], target="cuda")
def trig(x):
    return math.cos(x) ** 2 + math.sin(x) ** 2


n = 100_000_000
host_x = (np.arange(n) % 65_536).astype(np.float32)
host_y = (np.arange(n) % 1000).astype(np.float32)
x, y = cuda.to_device(host_x), cuda.to_device(host_y)
out = cuda.device_array_like(x)
seconds = measure_calls(lambda: add(x, y, out=out), cuda.synchronize)
assert out[12345] == host_x[12345] + host_y[12345]
report(BENCH, "add, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds])

seconds = measure_calls(lambda: add(x, y), cuda.synchronize)
report(BENCH, "add to a new array, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds])

seconds = measure(lambda: add(host_x, host_y))
report(BENCH, "add, host to host, 100 M f32", "ms", "less", [s * 1e3 for s in seconds])

n = 10_000_000
x = cuda.to_device(np.arange(n, dtype=np.float32))
out = cuda.device_array_like(x)
seconds = measure_calls(lambda: trig(x, out=out), cuda.synchronize)
assert abs(out.copy_to_host() - 1).max() < 1e-6
report(BENCH, "trig, 10 M f32", "ms", "less", [s * 1e3 for s in seconds])
