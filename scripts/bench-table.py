#!/usr/bin/env python3
"""Turns what the benchmarks print into a table in Markdown: bench-table.py [FILE…], or standard input.

Each line of the input is one figure in JSON, as printed by a benchmark or by a reference in `benches/peers`. Lines that are
not JSON are passed over. Where a figure occurs more than once, the last one counts.
"""

import fileinput
import json

HEADINGS = ["benchmark", "work", "unit", "ours", "reference", "ours ÷ reference", "target", "limit", "Numba", "ours ÷ Numba"]


def read(lines):
    """The figures and the peers' figures, by benchmark and case."""
    figures, peers = {}, {}
    for line in lines:
        try:
            figure = json.loads(line)
        except ValueError:
            continue
        if isinstance(figure, dict) and "case" in figure:
            (peers if "peer" in figure else figures)[figure["bench"], figure["case"]] = figure
    return figures, peers


def number(value):
    """Four significant digits, in plain notation."""
    digits = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:.{max(4 - digits, 0)}f}"


def target(figure, peer):
    """What was wanted, and whether it was reached."""
    sign = "≤" if figure["better"] == "less" else "≥"
    met = figure.get("target_met", True)
    if "target_ratio" in figure:
        wanted = f"{sign} {figure['target_ratio']}×"
    elif "target_value" in figure:
        wanted = f"{sign} {figure['target_value']} {figure['unit']}"
    elif "target_peer" in figure:
        wanted = f"{sign} {figure['target_peer']}× Numba"
        if peer:
            limit = figure["target_peer"] * peer["value"]
            met = figure["ours"] <= limit if figure["better"] == "less" else figure["ours"] >= limit
    else:
        return ""
    return wanted if met else f"{wanted} **missed**"


def row(key, figure, peer):
    """The cells of one figure, which a benchmark, a peer or both have measured."""
    cells = list(key) + [(figure or peer)["unit"]]
    if figure:
        limit = f"{number(figure['limit'])} ({figure['limit_name']})" if "limit" in figure else ""
        reference = f"{number(figure['reference'])} ({figure['reference_name']})"
        cells += [number(figure["ours"]), reference, f"{figure['ratio']:.3f}", target(figure, peer), limit]
    else:
        cells += [""] * 5
    ratio = f"{figure['ours'] / peer['value']:.3f}" if figure and peer else ""
    return cells + [number(peer["value"]) if peer else "", ratio]


def main():
    figures, peers = read(fileinput.input(encoding="utf-8"))
    keys = list(figures) + [key for key in peers if key not in figures]
    rows = [HEADINGS] + [row(key, figures.get(key), peers.get(key)) for key in keys]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    rows.insert(1, ["-" * width for width in widths])
    for cells in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |")


if __name__ == "__main__":
    main()
