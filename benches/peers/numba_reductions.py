"""The sum of the benchmark `reductions` in Numba-CUDA: python3 numba_reductions.py [--quick]

Needs `numba-cuda` and a GPU.
"""

import warnings

from common import measure, need, report

need("numba")

import numpy as np
from numba import cuda

warnings.filterwarnings("ignore")  # about grids that do not fill the GPU


@cuda.reduce
def add(a, b):
    return a + b


host = (np.arange(100_000_000) % 1000).astype(np.float64)
x = cuda.to_device(host)
assert add(x) == host.sum()
report("reductions", "sum, 100 M f64", "GB/s", "more", [host.nbytes / s / 1e9 for s in measure(lambda: add(x))])
