"""The array functions of the benchmark `array_functions` in CuPy: python3 cupy_arrays.py [--quick]

Needs `cupy` and a GPU. Sizes and types are those of the benchmark in Rust.
"""

from common import measure_calls, need, report

need("cupy")

import cupy as cp
import numpy as np

BENCH = "array_functions"
wait = cp.cuda.get_current_stream().synchronize

n = 100_000_000
x = cp.asarray((np.arange(n) % 65_536).astype(np.float32))
y = cp.asarray((np.arange(n) % 1000).astype(np.float32))
out = cp.empty_like(x)
seconds = measure_calls(lambda: cp.add(x, y, out=out), wait)
assert out[12345] == x[12345] + y[12345]
report(BENCH, "add, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds], "CuPy")

seconds = measure_calls(lambda: cp.add(x, y), wait)
report(BENCH, "add to a new array, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds], "CuPy")


def five():
    cp.multiply(x, np.float32(2), out=out)
    cp.add(out, y, out=out)
    cp.sqrt(out, out=out)
    cp.multiply(out, np.float32(0.5), out=out)
    cp.subtract(out, np.float32(1), out=out)


seconds = measure_calls(five, wait)
report(BENCH, "five operations, 100 M f32", "ms", "less", [s * 1e3 for s in seconds], "CuPy")

n = 10_000_000
x = cp.arange(n, dtype=np.float32)
out = cp.empty_like(x)
trig = cp.ElementwiseKernel("float32 x", "float32 out", "float c = cos(x), s = sin(x); out = c * c + s * s", "trig")
seconds = measure_calls(lambda: trig(x, out), wait)
assert abs(out - 1).max() < 1e-6
report(BENCH, "trig, 10 M f32", "ms", "less", [s * 1e3 for s in seconds], "CuPy")
