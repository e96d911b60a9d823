"""Writes `expected.tsv`: what NumPy computes for each row of the tables of `docs/src/from-numpy.md`, and the arrays that the rows are about.

    pip install numpy pandas
    python3 expected.py

A line has a name or an expression, the shape, and the elements.
"""

import pathlib
import re

import numpy as np
import pandas as pd

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


def rows():
    """The first cells of the tables."""
    tables = PAGE.read_text().split(HEAD)[1:]
    for table in tables:
        for line in table.split("\n\n")[0].splitlines():
            yield re.match(r"\| `(.*?)` \| `", line)[1].replace(r"\|", "|")


def evaluate(row):
    """The value of an expression, or the array that a statement changes."""
    scope = {"np": np, "pd": pd} | {name: array.copy() for name, array in ARRAYS.items()}
    try:
        value = eval(row, scope)
    except SyntaxError:
        value = exec(row, scope)
    if value is not None:
        return value
    (changed,) = [scope[name] for name, array in ARRAYS.items() if not np.array_equal(scope[name], array, equal_nan=array.dtype == float)]
    return changed


def line(name, value):
    value = np.asarray(value)
    # A complex number is two.
    elements = np.ascontiguousarray(value, complex).view(float).ravel() if np.iscomplexobj(value) else value.astype(float).ravel()
    return "\t".join([name, " ".join(map(str, value.shape)), " ".join(map(repr, elements.tolist()))])


values = [line(f"let {name}", array) for name, array in ARRAYS.items()] + [line(row, evaluate(row)) for row in rows()]
(HERE / "expected.tsv").write_text("\n".join(values) + "\n")
