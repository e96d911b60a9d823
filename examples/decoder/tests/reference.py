"""The ten prompts and the tokens that follow them: greedy, by the weights as 32-bit floats, with NumPy.

    pip install numpy gguf llama-cpp-python
    python reference.py SmolLM2-135M-Instruct.Q4_1.gguf > tests/greedy.txt

A line has the tokens of the prompt, those that follow, those that llama.cpp chooses, and the difference of the scores of the two most likely tokens at
each place. llama.cpp gives the tokens of the prompts, too. It rounds activations to 8 bits on CPUs, so it parts from the others where two tokens are
about as likely.
"""

import sys

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from llama_cpp import Llama

COUNT = 48
PROMPTS = [
    "The capital of France is",
    "Once upon a time, there was a",
    "def fibonacci(n):\n    ",
    "In 1969, 12 astronauts",
    "Water boils at 100 degrees",
    "The quick brown fox",
    "To make bread, you need flour,",
    "E = mc^2 means that",
    "Dear Sir or Madam,\n\nI",
    "Übung macht den Meister. Das heißt:",
]

reader = GGUFReader(sys.argv[1])
weights = {t.name: dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}
number = lambda key: reader.fields["llama." + key].contents()
layers, heads, key_heads = number("block_count"), number("attention.head_count"), number("attention.head_count_kv")
epsilon, base, size = number("attention.layer_norm_rms_epsilon"), number("rope.freq_base"), number("rope.dimension_count")


def norm(x, gain):
    return x / np.sqrt((x * x).mean() + epsilon) * gain


def turn(x, position):
    angle = position * base ** (-np.arange(0, size, 2) / size)
    a, b = x[:, 0::2], x[:, 1::2]
    return np.stack([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], -1).reshape(x.shape)


def scores(token, keys, values):
    x, position = weights["token_embd.weight"][token], len(keys[0])
    for layer in range(layers):
        w = lambda name: weights[f"blk.{layer}.{name}.weight"]
        n = norm(x, w("attn_norm"))
        q = turn((w("attn_q") @ n).reshape(heads, size), position)
        keys[layer].append(turn((w("attn_k") @ n).reshape(key_heads, size), position))
        values[layer].append((w("attn_v") @ n).reshape(key_heads, size))
        k = np.repeat(np.array(keys[layer]), heads // key_heads, 1)
        v = np.repeat(np.array(values[layer]), heads // key_heads, 1)
        s = np.einsum("hd,phd->hp", q, k) / np.sqrt(size)
        p = np.exp(s - s.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        x = x + w("attn_output") @ np.einsum("hp,phd->hd", p, v).reshape(-1)
        n = norm(x, w("ffn_norm"))
        gate = w("ffn_gate") @ n
        x = x + w("ffn_down") @ (gate / (1 + np.exp(-gate)) * (w("ffn_up") @ n))
    return weights["token_embd.weight"] @ norm(x, weights["output_norm.weight"])


def follow(prompt):
    keys, values = [[[] for _ in range(layers)] for _ in range(2)]
    for token in prompt:
        last = scores(token, keys, values)
    tokens, margins = [], []
    for _ in range(COUNT):
        second, best = np.argsort(last)[-2:]
        tokens.append(int(best))
        margins.append(float(last[best] - last[second]))
        last = scores(best, keys, values)
    return tokens, margins


llama = Llama(sys.argv[1], n_ctx=512, verbose=False, logits_all=True)
for text in PROMPTS:
    prompt = llama.tokenize(text.encode(), add_bos=False)
    tokens, margins = follow(prompt)
    llama.reset()
    llama.eval(prompt)
    theirs = []
    for _ in range(COUNT):
        theirs.append(int(np.argmax(llama.scores[llama.n_tokens - 1])))
        llama.eval([theirs[-1]])
    print(repr(text).replace("'", '"'))
    for row in [prompt, tokens, theirs]:
        print(*row)
    print(*[f"{margin:.3f}" for margin in margins], flush=True)
