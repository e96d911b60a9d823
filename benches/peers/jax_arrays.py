"""The array functions of the benchmark `array_functions` in JAX: python3 jax_arrays.py [--quick]

Needs `jax` and a GPU. Sizes and types are those of the benchmark in Rust.
"""

import os

from common import measure_calls, need, report

need("jax")
# Memory is shared with the other references, which may have run in the same minute.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import jax
import jax.numpy as jnp

BENCH = "array_functions"
last = None


def run(function, *arguments):
    global last
    last = function(*arguments)


def wait():
    last.block_until_ready()


n = 100_000_000
x = (jnp.arange(n) % 65_536).astype(jnp.float32)
y = (jnp.arange(n) % 1000).astype(jnp.float32)
add = jax.jit(lambda x, y: x + y)
seconds = measure_calls(lambda: run(add, x, y), wait)
assert last[12345] == x[12345] + y[12345]
report(BENCH, "add, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds], "JAX")

n = 10_000_000
x = jnp.arange(n, dtype=jnp.float32)
trig = jax.jit(lambda x: jnp.cos(x) ** 2 + jnp.sin(x) ** 2)
seconds = measure_calls(lambda: run(trig, x), wait)
assert abs(last - 1).max() < 1e-6
report(BENCH, "trig, 10 M f32", "ms", "less", [s * 1e3 for s in seconds], "JAX")
