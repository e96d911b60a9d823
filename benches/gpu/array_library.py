"""The same work by CuPy, timed by `measure` of `peer.py`: prints a name and the seconds of one call in each line."""
from functools import partial

import cupy
import cupyx

measure = partial(measure, calls=5)

for dtype in ("float64", "float32"):
    keys = (cupy.arange(4_000_000) * 7919 % 100).astype("int64")
    values = cupy.ones(4_000_000, dtype)
    target = cupy.zeros(100, dtype)
    measure("scatter_add_" + dtype, lambda: cupyx.scatter_add(target, keys, values))

x = cupy.random.random(1 << 27, dtype="float32")
mask = x < 0.5
measure("filter", lambda: x[mask])
x = cupy.random.random(1 << 24, dtype="float32")
at = cupy.random.randint(0, 1 << 24, 1 << 24, dtype="uint32")
measure("take", lambda: x.take(at))
measure("quantile", lambda: float(cupy.quantile(x, 0.3)))
