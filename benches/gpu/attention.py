"""Attention by PyTorch's FlashAttention, timed by `measure` of `peer.py`: prints a name and the seconds of a call in each line."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

for length in (1024, 4096, 16384):
    batch = 16384 // length
    q, k, v = (torch.randn(batch, 16, length, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    for causal in (False, True):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            measure(f"{length}_{causal}", lambda: scaled_dot_product_attention(q, k, v, is_causal=causal))
