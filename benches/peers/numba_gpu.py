"""The kernels of the benchmarks in Numba-CUDA: python3 numba_gpu.py [--quick]

Needs `numba-cuda` and a GPU. Sizes, types and blocks are those of the benchmarks in Rust.
"""

import math
import subprocess
import sys
import time
import warnings

from common import SKIPPED, measure_calls, need, report

need("numba")

import numpy as np
from numba import cuda, float32

warnings.filterwarnings("ignore")  # about grids that do not fill the GPU


@cuda.jit
def add_kernel(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@cuda.jit
def cool(even, odd, steps):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    inner = i > 0 and i + 1 < even.size
    for step in range(steps):
        if inner:
            if step % 2 == 0:
                odd[i] = even[i] + 0.25 * (even[i - 1] - 2.0 * even[i] + even[i + 1])
            else:
                even[i] = odd[i] + 0.25 * (odd[i - 1] - 2.0 * odd[i] + odd[i + 1])
        grid.sync()


@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for start in range(0, a.shape[1], 16):
        tile_a[row, column] = 0
        tile_b[row, column] = 0
        if y < a.shape[0] and start + column < a.shape[1]:
            tile_a[row, column] = a[y, start + column]
        if start + row < b.shape[0] and x < b.shape[1]:
            tile_b[row, column] = b[start + row, x]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[row, k] * tile_b[k, column]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@cuda.jit
def matmul_naive(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = float32(0.0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


@cuda.jit
def integrate_rows(n, h, sums):
    row = cuda.grid(1)
    if row < sums.size:
        x = h * (row + 0.5)
        total = 0.0
        for column in range(n):
            y = h * (column + 0.5)
            total += math.sin(x + y)
        sums[row] = total


@cuda.jit
def integrate_blocks(n, h, sums):
    partial = cuda.shared.array(32, float32)
    thread = cuda.threadIdx.x
    row = cuda.grid(1)
    total = 0.0
    if row < n:
        x = h * (row + 0.5)
        for column in range(n):
            y = h * (column + 0.5)
            total += math.sin(x + y)
    partial[thread] = total
    cuda.syncthreads()
    stride = 1
    while stride < cuda.blockDim.x:
        if thread % (2 * stride) == 0 and thread + stride < cuda.blockDim.x:
            partial[thread] += partial[thread + stride]
        cuda.syncthreads()
        stride *= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = partial[0]


def launch_overhead():
    x, y = cuda.to_device(np.arange(4096, dtype=np.int32)), cuda.to_device(np.ones(4096, dtype=np.int32))
    out = cuda.device_array_like(x)
    seconds = measure_calls(lambda: add_kernel[32, 128](x, y, out), cuda.synchronize, 20_000)
    assert (out.copy_to_host() == np.arange(1, 4097)).all()
    report("launch_overhead", "three arrays", "µs", "less", [s * 1e6 for s in seconds])


def grid_barrier():
    points, steps = 1001, 10_000
    start = np.sin(np.pi * np.arange(points) / (points - 1))
    even, odd = cuda.to_device(start), cuda.to_device(start)
    seconds = measure_calls(lambda: cool[16, 64](even, odd, steps), cuda.synchronize, 1)
    middle = even.copy_to_host()
    assert np.allclose(middle / middle[points // 2], start, atol=1e-9)
    report("grid_barrier", "heat, 1001 points", "µs a step", "less", [s * 1e6 / steps for s in seconds])


def vector_add():
    n = 100_000_000
    x, y = (cuda.to_device((np.arange(n) % modulus).astype(np.float32)) for modulus in (65_536, 1000))
    out = cuda.device_array_like(x)
    seconds = measure_calls(lambda: add_kernel[(n + 255) // 256, 256](x, y, out), cuda.synchronize, 20)
    assert out[n - 1] == (n - 1) % 65_536 + (n - 1) % 1000
    report("vector_add", "100 M f32, block 256", "GB/s", "more", [12 * n / s / 1e9 for s in seconds])


def matmul():
    n = 1024
    a, b = (((np.arange(n * n) * factor % 1000) / 1000).astype(np.float32).reshape(n, n) for factor in (7919, 104_729))
    device_a, device_b, c = cuda.to_device(a), cuda.to_device(b), cuda.device_array((n, n), np.float32)
    for kernel, case in ((matmul_naive, "naive, 1024³ f32"), (matmul_tiled, "16×16 tiles, 1024³ f32")):
        seconds = measure_calls(lambda: kernel[(n // 16, n // 16), (16, 16)](device_a, device_b, c), cuda.synchronize, 50)
        assert np.allclose(c.copy_to_host(), a.astype(np.float64) @ b, rtol=1e-5)
        report("matmul", case, "GFLOP/s", "more", [2 * n**3 / s / 1e9 for s in seconds])


def integration():
    n = 102_400
    h = math.pi / n
    for block in (16, 32):
        for kernel, case, length in ((integrate_rows, "rows", n), (integrate_blocks, "blocks", n // block)):
            sums = cuda.device_array(length, np.float32)
            seconds = measure_calls(lambda: kernel[n // block, block](n, h, sums), cuda.synchronize, 1)
            half = sums.copy_to_host()[: length // 2].astype(np.float64).sum() * h * h
            assert abs(half - 2) < 1e-5, half
            report("integration", f"{case}, block {block}", "ms", "less", [s * 1e3 for s in seconds])


def first_result():
    """What a fresh process does until it has its first result: the counterpart of the program `startup_ours`."""
    x = np.arange(4096, dtype=np.int32)
    out = np.zeros_like(x)
    add_kernel[32, 128](x, np.ones_like(x), out)
    assert (out == x + 1).all()


def startup():
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, __file__, "--first-result"], check=True)
        seconds.append(time.perf_counter() - start)
    # Numba compiles in each process, unless a kernel asks for its cache.
    report("startup", "empty caches", "ms", "less", [s * 1e3 for s in seconds])


if __name__ == "__main__":
    if "--first-result" in sys.argv:
        first_result()
    elif not cuda.is_available():
        print("skipped: Numba finds no GPU", file=sys.stderr)
        sys.exit(SKIPPED)
    else:
        for benchmark in (launch_overhead, grid_barrier, vector_add, matmul, integration, startup):
            benchmark()
