"""The array functions of the benchmark `array_functions` in PyTorch: python3 torch_arrays.py [--quick]

Needs `torch` and a GPU. Sizes and types are those of the benchmark in Rust.
"""

from common import measure_calls, need, report

need("torch")

import torch

BENCH = "array_functions"
n = 100_000_000
x = (torch.arange(n, device="cuda") % 65_536).to(torch.float32)
y = (torch.arange(n, device="cuda") % 1000).to(torch.float32)
out = torch.empty_like(x)
seconds = measure_calls(lambda: torch.add(x, y, out=out), torch.cuda.synchronize)
assert out[12345] == x[12345] + y[12345]
report(BENCH, "add, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds], "PyTorch")

seconds = measure_calls(lambda: torch.add(x, y), torch.cuda.synchronize)
report(BENCH, "add to a new array, 100 M f32", "GB/s", "more", [12 * n / s / 1e9 for s in seconds], "PyTorch")
