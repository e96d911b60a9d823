"""Products of matrices by NumPy: prints a name and the median seconds of a call in each line."""
import os
import time

import numpy

clock = time.process_time if "PROCESSOR_TIME" in os.environ else time.perf_counter
for n, calls in ((64, 500), (256, 20), (1024, 2)):
    for name, dtype in (("f32", "float32"), ("f64", "float64")):
        a, b = numpy.random.rand(n, n).astype(dtype), numpy.random.rand(n, n).astype(dtype)
        times = []
        for _ in range(10):
            start = clock()
            for _ in range(calls):
                c = a @ b
            times.append((clock() - start) / calls)
        print(f"matmul_{name}_{n}", sorted(times[1:])[4], flush=True)
