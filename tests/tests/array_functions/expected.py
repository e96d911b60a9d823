"""Writes `expected.tsv`: what NumPy computes for each row of the tables of `docs/src/from-numpy.md`, and the arrays that the rows are about.

    pip install numpy pandas scipy
    python3 expected.py

A line has a name or an expression, the shape, and the elements.
"""

import pathlib
import re
import warnings

import numpy as np
import pandas as pd
import scipy.linalg
import scipy.ndimage
import scipy.signal

HERE = pathlib.Path(__file__).parent
PAGE = HERE / "../../../docs/src/from-numpy.md"
HEAD = "| NumPy | here |\n|---|---|\n"

ARRAYS = {
    "x": np.array([[0.5, -1.5, 2.25], [3.0, -0.25, 1.0]]),
    "y": np.array([[2.0, 0.5, -3.0], [1.25, 4.0, -2.0]]),
    "p": np.array([[0.125, 0.5, 0.75], [0.9, 0.25, 0.3]]),
    "n": np.array([[np.nan, -1.0, np.inf], [2.5, -np.inf, 0.0]]),
    "m": np.array([[2.0, -1.0, 0.5], [0.25, 3.0, 1.0], [-2.0, 4.0, 1.5]]),
    "v": np.array([0.75, 2.0, -1.0, 0.75, 1.25]),
    "w": np.array([0.5, 1.0, 2.5, -0.5, 3.0]),
    "z": np.array([0.75 + 0.5j, 2 + 1j, -1 + 2.5j, 0.75 - 0.5j, 1.25 + 3j]),
    "s": np.array([-1.0, 0.5, 1.0, 2.0, 4.0]),
    "t": np.arange(24.0).reshape(2, 3, 4) * 0.5 - 3,
    "i": np.array([[7, -7, 3], [0, 12, -1]]),
    "u": np.array([[7, 0, 3], [9, 12, 1]], np.uint32),
    "k": np.array([2, 0, 1, 3, 0], np.uint32),
    "b": np.array([[True, False, True], [True, True, False]]),
    "c": np.array([[True, True, False], [False, True, False]]),
}

# The same rows for arrays of values that are easily forgotten. Where NumPy raises an exception, there is no line.
EDGES = ARRAYS | {
    "x": np.array([[0.0, -0.0, np.nan], [np.inf, -np.inf, -1e-310]]),
    "y": np.array([[-0.0, 0.0, 1.0], [-2.5, np.inf, np.nan]]),
    "p": np.array([[0.0, 1.0, -0.0], [5e-324, 0.5, np.nan]]),
    "n": np.array([[np.nan, -0.0, np.inf], [1.7e308, -np.inf, 0.0]]),
    "v": np.array([-0.0, 0.0, np.inf, -3.0, 0.0]),
    "w": np.array([np.nan, -0.0, 0.0, 1e300, -np.inf]),
    "s": np.array([-np.inf, -1.0, 0.0, 0.0, np.inf]),
    "i": np.array([[-(2**63), 2**62, 0], [-1, 2**53, -(2**31)]]),
    "u": np.array([[2**32 - 1, 2**31, 0], [1, 2**16, 2**16 - 1]], np.uint32),
    "b": np.array([[False, False, False], [False, False, False]]),
    "c": np.array([[True, True, True], [True, True, True]]),
}
# A mean that is large beside the deviation.
FAR = ARRAYS | {
    "x": ARRAYS["x"] + 1e6,
    "y": ARRAYS["y"] + 1e6,
    "m": ARRAYS["m"] + 1e6,
    "v": ARRAYS["v"] + 1e6,
    "w": ARRAYS["w"] - 1e6,
    "t": ARRAYS["t"] + 1e6,
}
SETS = {"": ARRAYS, "edges ": EDGES, "far ": FAR}

# Rows that say something else there: what is not a number of the result's type, ties and duplicates, interpolation between infinities, parts of
# complex numbers that are not finite, powers that overflow, and results that have lost digits.
NOT_COMPARED = {
    "edges ": r"scipy(?!\.ndimage\.label)|einsum\('ij,jk|einsum\('b|astype\(np.int32|quantile|percentile|np.sum\(np.exp|np.exp\(x\)[ .]|interp|argsort\(-x|groupby|linalg|fft|\bz\b|1j|0j",
    "far ": r"scipy(?!\.ndimage\.label)|np.sum\(np.exp|np.exp\(x\)[ .]|linalg|fft|\bz\b|1j",
}

# Rows whose results NumPy itself has with fewer digits than they have here, so it computes them with more.
MORE_DIGITS = {"far ": r"^\(x - x\.mean"}


def rows():
    """The first cells of the tables."""
    tables = PAGE.read_text().split(HEAD)[1:]
    for table in tables:
        for line in table.split("\n\n")[0].splitlines():
            yield re.match(r"\| `(.*?)` \| `", line)[1].replace(r"\|", "|")


def evaluate(row, arrays):
    """The value of an expression, or the array that a statement changes."""
    scope = {"np": np, "pd": pd, "scipy": scipy} | {name: array.copy() for name, array in arrays.items()}
    try:
        value = eval(row, scope)
    except SyntaxError:
        value = exec(row, scope)
    if value is not None:
        return value
    return scope[re.match(r"(?:np\.[a-z_.]+\()?(\w)", row)[1]]


def lines(prefix, arrays):
    for name, array in arrays.items():
        yield line(f"{prefix}let {name}", array)
    for row in rows():
        if prefix and re.search(NOT_COMPARED[prefix], row):
            continue
        has_more_digits = prefix in MORE_DIGITS and re.search(MORE_DIGITS[prefix], row)
        try:
            yield line(prefix + row, evaluate(row, arrays | {"x": arrays["x"].astype(np.longdouble)} if has_more_digits else arrays))
        except Exception as exception:
            if not prefix:
                raise exception


def line(name, value):
    value = np.asarray(value)
    # A complex number is two.
    elements = np.ascontiguousarray(value, complex).view(float).ravel() if np.iscomplexobj(value) else value.astype(float).ravel()
    return "\t".join([name, " ".join(map(str, value.shape)), " ".join(map(repr, elements.tolist()))])


np.seterr(all="ignore")
warnings.simplefilter("ignore")
values = [value for prefix, arrays in SETS.items() for value in lines(prefix, arrays)]
(HERE / "expected.tsv").write_text("\n".join(values) + "\n")
