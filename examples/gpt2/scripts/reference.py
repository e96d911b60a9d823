"""The same training in PyTorch, compiled: the losses of the first steps, and tokens a second.

    python scripts/reference.py gpt2_124M.bin tokens.bin [--bf16] [--batch N] [--steps N]
"""

import argparse
import time

import numpy as np
import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("tokens")
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--length", type=int, default=1024)
parser.add_argument("--steps", type=int, default=20)
options = parser.parse_args()

torch.set_float32_matmul_precision("high")  # TF32
file = np.fromfile(options.model, np.float32)
_, _, context, vocabulary, layers, heads, width, rows = file[:8].view(np.int32)
c, flat, at = int(width), torch.from_numpy(file[256:].copy()), 0


def tensor(*shape):
    global at
    at += int(np.prod(shape))
    return flat[at - int(np.prod(shape)) : at].reshape(shape)


of_tokens, of_positions = tensor(rows, c), tensor(context, c)
shapes = [(c,), (c,), (3 * c, c), (3 * c,), (c, c), (c,), (c,), (c,), (4 * c, c), (4 * c,), (c, 4 * c), (c,)]
kinds = [tensor(layers, *shape) for shape in shapes]
layer_weights = [kind[i] for i in range(layers) for kind in kinds]
weights = [of_tokens, of_positions, *layer_weights, tensor(c), tensor(c)]
weights = [weight.cuda().requires_grad_() for weight in weights]


def forward(tokens, targets):
    of_tokens, of_positions, *blocks, gain, bias = weights
    batch, length = tokens.shape
    x = of_tokens[tokens] + of_positions[:length]
    for i in range(layers):
        g1, b1, w, b, w_out, b_out, g2, b2, w1, v1, w2, v2 = blocks[12 * i : 12 * i + 12]
        qkv = F.linear(F.layer_norm(x, (c,), g1, b1), w, b).view(batch, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(*qkv, is_causal=True).transpose(1, 2).reshape(batch, length, c)
        x = x + F.linear(y, w_out, b_out)
        hidden = F.gelu(F.linear(F.layer_norm(x, (c,), g2, b2), w1, v1), approximate="tanh")
        x = x + F.linear(hidden, w2, v2)
    scores = F.linear(F.layer_norm(x, (c,), gain, bias), of_tokens)
    # The rows of the matrix past the last token are only there for its size.
    scores = scores.view(-1, rows)[:, :vocabulary]
    return F.cross_entropy(scores.float(), targets.reshape(-1))


heads, vocabulary, rows, layers = int(heads), int(vocabulary), int(rows), int(layers)
adam = torch.optim.AdamW(weights, lr=3e-4, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, fused=True)
compiled = torch.compile(forward)
tokens = torch.from_numpy(np.fromfile(options.tokens, np.uint16)[512:].astype(np.int64))
count, times, next_token = options.batch * options.length, [], 0
for step in range(1, options.steps + 1):
    if next_token + count >= len(tokens):
        next_token = 0
    part = tokens[next_token : next_token + count + 1].cuda()
    next_token += count
    torch.cuda.synchronize()
    start = time.perf_counter()
    with torch.autocast("cuda", torch.bfloat16, enabled=options.bf16):
        loss = compiled(part[:-1].view(options.batch, -1), part[1:].view(options.batch, -1))
    loss.backward()
    adam.step()
    adam.zero_grad(set_to_none=True)
    value = loss.item()
    times.append(time.perf_counter() - start)
    print(f"step {step}: loss {value:.6f}, {times[-1] * 1e3:.2f} ms, {count / times[-1]:.0f} tokens a second")
median = sorted(times)[len(times) // 2]
print(f"PyTorch {torch.__version__}: median {median * 1e3:.2f} ms, {count / median:.0f} tokens a second, {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")
