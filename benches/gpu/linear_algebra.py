"""The same work by CuPy, and products of bf16 by PyTorch: prints a name and the seconds of one call in each line."""
import cupy

for n in (4096, 1024):
    a, b = cupy.random.random((n, n), dtype="float32"), cupy.random.random((n, n), dtype="float32")
    measure(f"matmul_f32_{n}", lambda: a @ b)
a, b = cupy.random.random((64, 256, 256), dtype="float32"), cupy.random.random((64, 256, 256), dtype="float32")
measure("matmul_batch", lambda: a @ b.swapaxes(1, 2))

try:
    import torch

    p, q = (torch.rand(4096, 4096, device="cuda").bfloat16() for _ in range(2))

    def call():
        torch.matmul(p, q)

    call()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(100):
        call()
    end.record()
    torch.cuda.synchronize()
    print("matmul_bf16_4096", start.elapsed_time(end) / 1e3 / 100, flush=True)
except ImportError:
    pass

for name, shape in (("fft_1m", (1 << 20,)), ("fft_batch", (65536, 1024))):
    x = (cupy.random.random(shape, dtype="float32") + 1j * cupy.random.random(shape, dtype="float32")).astype("complex64")
    measure(name, lambda: cupy.fft.fft(x))
x = cupy.random.random((65536, 1024), dtype="float32")
measure("rfft_batch", lambda: cupy.fft.rfft(x))

a = cupy.random.random((1000, 1000)) + 100 * cupy.eye(1000)
b = cupy.random.random(1000)
measure("solve", lambda: cupy.linalg.solve(a, b), 5)
s = a + a.T
measure("eigh", lambda: cupy.linalg.eigh(s), 3)
measure("svd", lambda: cupy.linalg.svd(a, full_matrices=False), 1)
measure("qr", lambda: cupy.linalg.qr(a), 3)
