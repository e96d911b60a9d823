"""PyTorch's all_reduce and copies between two GPUs: what `--example bandwidth` is compared with."""

import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

MEGABYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 256
ROUNDS = 20


def timed(work, *devices):
    for _ in range(3):
        work()
    for device in devices:
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    for _ in range(ROUNDS):
        work()
    for device in devices:
        torch.cuda.synchronize(device)
    return (time.perf_counter() - start) / ROUNDS


def rank(number, size):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29777")
    torch.cuda.set_device(number)
    dist.init_process_group("nccl", rank=number, world_size=size)
    x = torch.zeros(MEGABYTES * 250_000, device="cuda")
    one = torch.ones(1, device="cuda")
    dist.barrier()
    seconds = timed(lambda: dist.all_reduce(x), number)
    latency = timed(lambda: dist.all_reduce(one), number)
    if number == 0:
        rate = MEGABYTES / 1e3 / seconds * 2 * (size - 1) / size
        print(f"PyTorch all_reduce of {MEGABYTES} MB on {size} ranks: {seconds * 1e3:.3f} ms, {rate:.1f} GB/s on each link")
        print(f"PyTorch all_reduce of 4 bytes: {latency * 1e6:.1f} µs")
    dist.destroy_process_group()


if __name__ == "__main__":
    source = torch.full((MEGABYTES * 250_000,), 1.5, device="cuda:0")
    target = torch.zeros(MEGABYTES * 250_000, device="cuda:1")
    seconds = timed(lambda: target.copy_(source), 0, 1)
    print(f"PyTorch copy of {MEGABYTES} MB from GPU 0 to GPU 1: {MEGABYTES / 1e3 / seconds:.1f} GB/s")
    mp.spawn(rank, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
