"""What the references in Python share: how they measure, and how they report.

Import this before `numba`: it also mends what Numba expects of NumPy.
"""

import importlib.util
import json
import sys
import time

# The exit status of a test that was skipped, by a convention of old.
SKIPPED = 77


def need(*modules):
    """Ends the program, as skipped, unless Python has these modules."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        print(f"skipped: python3 has no {', '.join(missing)}", file=sys.stderr)
        sys.exit(SKIPPED)


need("numpy")

import numpy as np

# Numba still names functions that NumPy has removed.
for removed, current in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(np, removed):
        setattr(np, removed, getattr(np, current))

ROUNDS = 3 if "--quick" in sys.argv else 9


def measure(work):
    """Seconds that `work` takes, a number of times, after one time to compile and warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def measure_calls(call, wait, calls=20):
    """Seconds for each of several calls that queue work, and one wait for all of it, a number of times."""

    def work():
        for _ in range(calls):
            call()
        wait()

    return [seconds / calls for seconds in measure(work)]


def report(bench, case, unit, better, values, peer="Numba"):
    """Prints a line of JSON for the same figure that the benchmark `bench` prints."""
    values = sorted(values)
    line = dict(bench=bench, case=case, unit=unit, better=better, peer=peer)
    line.update(value=values[len(values) // 2], lowest=values[0], highest=values[-1])
    print(json.dumps(line, ensure_ascii=False), flush=True)
