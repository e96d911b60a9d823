"""A layer by PyTorch: cuBLAS, and what `torch.compile` makes of the rest; and a product of integers by cuBLAS. `measure` of `peer.py` prints a name and the seconds of a call."""
import torch
from torch.nn.functional import gelu

a, b = (torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16) for _ in range(2))
bias = torch.randn(4096, device="cuda", dtype=torch.bfloat16)


def layer(a, b, bias):
    return gelu(a @ b + bias, approximate="tanh")


try:
    compiled = torch.compile(layer)
    compiled(a, b, bias)
except Exception:  # It needs a C compiler.
    compiled = lambda a, b, bias: gelu(torch.addmm(bias, a, b), approximate="tanh")
measure("layer", lambda: compiled(a, b, bias))

c = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)


def residual(a, b, c):
    return a @ b + c


try:
    compiled_residual = torch.compile(residual)
    compiled_residual(a, b, c)
except Exception:  # It needs a C compiler.
    compiled_residual = lambda a, b, c: torch.addmm(c, a, b)
measure("residual", lambda: compiled_residual(a, b, c))

small_a, small_b = (torch.randint(-128, 128, (4096, 4096), device="cuda", dtype=torch.int8) for _ in range(2))
measure("integers", lambda: torch._int_mm(small_a, small_b.t()))
measure("integers_plain", lambda: torch._int_mm(small_a, small_b))
