"""What every program that measures CuPy begins with."""
import time

import cupy


def measure(name, call, calls=20):
    """Prints the name and the median seconds of one of so many calls in a row."""
    call()
    times = []
    for _ in range(9):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        cupy.cuda.Device().synchronize()
        times.append((time.perf_counter() - start) / calls)
    print(name, sorted(times)[4], flush=True)


