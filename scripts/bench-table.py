#!/usr/bin/env python3
"""Turns what the benchmarks print into a table in Markdown: bench-table.py [FILE…], or standard input.

Each line of the input is one figure in JSON, as printed by a benchmark or by a reference in `benches/peers`. Lines that are
not JSON are passed over. Where a figure occurs more than once, the last one counts.
"""

import fileinput
import json

HEADINGS = ["benchmark", "work", "unit", "ours", "reference", "ours ÷ reference", "target", "limit", "peers (ours ÷ theirs)"]


def read(lines):
    """The figures by benchmark and case, and for each those of the peers by name."""
    figures, peers = {}, {}
    for line in lines:
        try:
            figure = json.loads(line)
        except ValueError:
            continue
        if isinstance(figure, dict) and "case" in figure:
            key = figure["bench"], figure["case"]
            if "peer" in figure:
                peers.setdefault(key, {})[figure["peer"]] = figure
            else:
                figures[key] = figure
    return figures, peers


def number(value):
    """Four significant digits, in plain notation."""
    digits = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:.{max(4 - digits, 0)}f}"


def target(figure, peers):
    """What was wanted, and whether it was reached."""
    less = figure["better"] == "less"
    sign = "≤" if less else "≥"
    met = figure.get("target_met", True)
    if "target_ratio" in figure:
        wanted = f"{sign} {figure['target_ratio']}×"
    elif "target_value" in figure:
        wanted = f"{sign} {figure['target_value']} {figure['unit']}"
    elif "target_limit" in figure:
        wanted = f"{sign} {figure['target_limit']}× the limit"
    elif "target_peers" in figure:
        wanted = ", ".join(f"{sign} {ratio}× {peer}" for peer, ratio in figure["target_peers"].items())
        for peer, ratio in figure["target_peers"].items():
            if peer in peers:
                bound = ratio * peers[peer]["value"]
                met = met and (figure["ours"] <= bound if less else figure["ours"] >= bound)
    else:
        return ""
    return wanted if met else f"{wanted} **missed**"


def row(key, figure, peers):
    """The cells of one figure, which a benchmark, peers or both have measured."""
    cells = list(key) + [(figure or next(iter(peers.values())))["unit"]]
    if figure:
        limit = f"{number(figure['limit'])} ({figure['limit_name']})" if "limit" in figure else ""
        reference = f"{number(figure['reference'])} ({figure['reference_name']})"
        cells += [number(figure["ours"]), reference, f"{figure['ratio']:.3f}", target(figure, peers), limit]
    else:
        cells += [""] * 5
    ratio = lambda peer: f" ({figure['ours'] / peer['value']:.3f})" if figure else ""
    return cells + [", ".join(f"{name} {number(peer['value'])}{ratio(peer)}" for name, peer in peers.items())]


def main():
    figures, peers = read(fileinput.input(encoding="utf-8"))
    keys = list(figures) + [key for key in peers if key not in figures]
    rows = [HEADINGS] + [row(key, figures.get(key), peers.get(key, {})) for key in keys]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    rows.insert(1, ["-" * width for width in widths])
    for cells in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |")


if __name__ == "__main__":
    main()
