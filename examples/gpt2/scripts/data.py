"""Writes the weights of a GPT-2 (124M) before its training, in the format of llm.c: normal with deviation 0.02, and those of products that are added to
the residual smaller. A fixed seed, so each call writes the same.

    python scripts/data.py weights gpt2_124M.bin
    python scripts/data.py bytes TEXT tokens.bin     # each byte of a text is a token
"""

import sys

import numpy as np

LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY, ROWS = 12, 12, 768, 1024, 50257, 50304


def weights(path):
    random = np.random.default_rng(1)
    normal = lambda *shape: random.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
    ones, zeros = (lambda n: np.ones((LAYERS, n), np.float32)), (lambda n: np.zeros((LAYERS, n), np.float32))
    residual, c = np.float32(1 / np.sqrt(2 * LAYERS)), WIDTH
    of_tokens = normal(ROWS, c)
    of_tokens[VOCABULARY:] = 0
    tensors = [
        of_tokens, normal(CONTEXT, c),
        ones(c), zeros(c), normal(LAYERS, 3 * c, c), zeros(3 * c), normal(LAYERS, c, c) * residual, zeros(c),
        ones(c), zeros(c), normal(LAYERS, 4 * c, c), zeros(4 * c), normal(LAYERS, c, 4 * c) * residual, zeros(c),
        ones(c)[0], zeros(c)[0],
    ]
    header = np.zeros(256, np.int32)
    header[:8] = 20240326, 3, CONTEXT, VOCABULARY, LAYERS, HEADS, WIDTH, ROWS
    with open(path, "wb") as file:
        file.write(header.tobytes())
        for tensor in tensors:
            file.write(tensor.tobytes())


def tokens_of_bytes(text, path):
    tokens = np.frombuffer(open(text, "rb").read(), np.uint8).astype(np.uint16)
    header = np.zeros(256, np.int32)
    header[:3] = 20240520, 1, len(tokens)
    with open(path, "wb") as file:
        file.write(header.tobytes() + tokens.tobytes())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["weights", path]:
            weights(path)
        case ["bytes", text, path]:
            tokens_of_bytes(text, path)
        case _:
            sys.exit(__doc__)
