#!/usr/bin/env python3
"""What the first build costs: measure.py [--example NAME | --program] [--code] [--rows N].

Builds an example, or with `--program` a program of its own with the default features, in release mode from an empty target folder. Prints
the wall time, the processor time and the number of crates. With `--code`, compiles the runtime once more and prints how much code of its
own the compiler hands to LLVM, by module: what is neither generic nor `#[inline]`, which every program pays for. The counts do not depend
on the machine or on what else it does. Needs neither a GPU nor NVRTC.
"""

import argparse
import collections
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

PROGRAM = """[package]
name = "program"
version = "0.0.0"
edition = "2024"

[dependencies]
gpu-runtime = {{ path = "{runtime}" }}

[workspace]
"""

# The module in which a function is: that of its own path, or of the types and closures that it is an instance for.
MODULE = re.compile(r"\bgpu_runtime::([a-z]\w*)(?:::([a-z]\w*)(?=::))?")


def build(project, command, target):
    """What `cargo` prints."""
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(target), "CARGO_TERM_COLOR": "never"}
    return subprocess.run(["cargo", *command], cwd=project, env=environment, check=True, stderr=subprocess.PIPE, text=True).stderr


def measure(project, command, target):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    output = build(project, command, target)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    crates = len(re.findall(r"^ *Compiling ", output, flags=re.MULTILINE))
    print(f"{wall:.1f} s, {user + system:.1f} s of processor time ({system:.1f} of them in the system), {crates} crates")


def write_program(folder):
    """A program of the README's first kernel."""
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(PROGRAM.format(runtime=ROOT / "gpu-runtime"))
    (folder / "src" / "main.rs").write_text((ROOT / "examples" / "examples" / "add_kernel.rs").read_text())


def lines_by_module(llvm_ir):
    """The lines of LLVM IR of each module. The compiler writes the name of a function in a comment before it."""
    lines, name, module = collections.Counter(), "", None
    for line in llvm_ir:
        if line.startswith("; ") and not line.startswith("; Function Attrs"):
            name = line
        elif line.startswith("define "):
            found = MODULE.search(name)
            module = "::".join(filter(None, found.groups())) if found else "of std and others"
        elif line.startswith("}"):
            module = None
        elif module:
            lines[module] += 1
    return lines


def print_code(target, rows):
    file = target / "runtime.ll"
    # Of a single codegen unit: several have copies of small functions. Names of this version have the types of an instance.
    options = [f"--emit=llvm-ir={file}", "-Cno-prepopulate-passes", "-Ccodegen-units=1", "-Csymbol-mangling-version=v0"]
    build(ROOT, ["rustc", "--release", "--package", "gpu-runtime", "--lib", "--", *options], target)
    with file.open(errors="replace") as llvm_ir:
        lines = lines_by_module(llvm_ir)
    print(f"{sum(lines.values())} lines of LLVM IR in the runtime")
    for module, count in lines.most_common(rows):
        print(f"{count:>8} {module}")


def main():
    parser = argparse.ArgumentParser(description="Measures what the first build costs.")
    parser.add_argument("--example", default="add_kernel")
    parser.add_argument("--program", action="store_true", help="build a program with the default features instead of an example")
    parser.add_argument("--code", action="store_true", help="print the lines of LLVM IR of the runtime, by module")
    parser.add_argument("--rows", type=int, default=25)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if arguments.program:
            write_program(folder)
            measure(folder, ["build", "--release"], folder / "target")
        else:
            measure(ROOT, ["build", "--release", "--example", arguments.example], folder / "target")
        if arguments.code:
            print_code(folder / "target", arguments.rows)


if __name__ == "__main__":
    main()
