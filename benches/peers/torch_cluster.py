"""PyTorch's all_reduce and copies between two GPUs: what `--example bandwidth` is compared with."""

import ctypes
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


def copy_by_driver(source, target):
    """Copies from GPU 0 to GPU 1 by one call of the driver."""
    driver, contexts, stream = ctypes.CDLL("libcuda.so.1"), [], torch.cuda.current_stream(0).cuda_stream
    for device in (0, 1):
        with torch.cuda.device(device):
            torch.cuda.synchronize()
            contexts.append(ctypes.c_void_p())
            assert driver.cuCtxGetCurrent(ctypes.byref(contexts[-1])) == 0
    pointers = [ctypes.c_uint64(array.data_ptr()) for array in (source, target)]
    size = ctypes.c_size_t(source.numel() * source.element_size())

    def copy():
        status = driver.cuMemcpyPeerAsync(pointers[1], contexts[1], pointers[0], contexts[0], size, ctypes.c_void_p(stream))
        assert status == 0, status

    with torch.cuda.device(0):
        return timed(copy, 0, 1)


if __name__ == "__main__":
    source = torch.full((MEGABYTES * 250_000,), 1.5, device="cuda:0")
    target = torch.zeros(MEGABYTES * 250_000, device="cuda:1")
    seconds = timed(lambda: target.copy_(source), 0, 1)
    print(f"PyTorch copy of {MEGABYTES} MB from GPU 0 to GPU 1: {MEGABYTES / 1e3 / seconds:.1f} GB/s")
    seconds = copy_by_driver(source, target)
    print(f"cuMemcpyPeerAsync of {MEGABYTES} MB from GPU 0 to GPU 1: {MEGABYTES / 1e3 / seconds:.1f} GB/s")
    mp.spawn(rank, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
