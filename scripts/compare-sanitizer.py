#!/usr/bin/env python3
"""Compares the checker with compute-sanitizer: each seeded fault runs under the tool that knows its kind.

    scripts/compare-sanitizer.py [FAULTS]

FAULTS is the program `faults` of the package gpu-faults, `target/release/faults` unless given. Needed: a GPU, and compute-sanitizer of the
CUDA toolkit in PATH or in $COMPUTE_SANITIZER. Prints a line for each fault, and fails if the two disagree on one.
"""

import os
import re
import subprocess
import sys

SANITIZER = os.environ.get("COMPUTE_SANITIZER", "compute-sanitizer")
SUMMARY = re.compile(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)")


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    return done.returncode, done.stdout


def found_by_checker(faults, name):
    code, text = output_of(faults, "--case", name, "--cpu")
    return code != 0, text.strip()


def found_by_sanitizer(faults, name, tool):
    _, text = output_of(SANITIZER, "--tool", tool, faults, "--case", name)
    summary = SUMMARY.search(text)
    if summary is None:
        sys.exit(f"{name}: no summary of compute-sanitizer in:\n{text}")
    return int(summary.group(1)) > 0


def main():
    faults = sys.argv[1] if len(sys.argv) > 1 else "target/release/faults"
    code, table = output_of(faults, "--list")
    if code != 0:
        sys.exit(table)
    agreed = disagreed = 0
    for line in table.splitlines():
        name, tool, description = line.split("\t")
        ours, report = found_by_checker(faults, name)
        if tool == "none":
            print(f"{name:28} checker {'found' if ours else 'MISSED'}; no tool of compute-sanitizer knows this: {description}")
            disagreed += not ours
            continue
        theirs = found_by_sanitizer(faults, name, tool)
        agree = ours and theirs
        agreed, disagreed = agreed + agree, disagreed + (not agree)
        print(f"{name:28} checker {'found' if ours else 'MISSED'}, {tool} {'found' if theirs else 'MISSED'}: {report or description}")
    print(f"{agreed} faults found by both, {disagreed} not")
    sys.exit(disagreed != 0)


if __name__ == "__main__":
    main()
