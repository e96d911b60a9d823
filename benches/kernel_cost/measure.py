#!/usr/bin/env python3
"""What a kernel costs to compile: measure.py [--kernels N] [--rounds N] [--folder FOLDER] [--toolchain NAME] [--write-only].

Writes two crates, one with N kernels (100) and one with the same functions without the attributes, compiles both in turns, and
prints what a kernel adds, in milliseconds of processor time: the median over the rounds of `cargo check` and of a debug build, without
incremental compilation. The kernels are copies of those in `kernels/`, each under a name of its own. Needs neither a GPU nor NVRTC.
"""

import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

MANIFEST = """[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[dependencies]
gpu-runtime = {{ path = "{runtime}", default-features = false }}

[workspace]
"""


def kernels(count):
    """`count` kernels: the templates in turns, each copy with a number in its name."""
    templates = sorted((HERE / "kernels").glob("*.rs"))
    for number in range(count):
        template = templates[number % len(templates)]
        yield template.read_text().replace(f"fn {template.stem}(", f"fn {template.stem}_{number}(")


def without_attributes(text):
    return re.sub(r"^#\[gpu_\w+(\(.*\))?\]\n", "", text, flags=re.MULTILINE)


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_crates(folder, count):
    """The two crates, by name."""
    text = (HERE / "common.rs").read_text() + "".join("\n" + kernel for kernel in kernels(count))
    sources = {"kernels": text, "plain": without_attributes(text)}
    for name, source in sources.items():
        write_if_changed(folder / name / "Cargo.toml", MANIFEST.format(name=f"cost-{name}", runtime=ROOT / "gpu-runtime"))
        write_if_changed(folder / name / "src" / "lib.rs", source)
    return list(sources)


def compile_crate(folder, name, command, toolchain):
    """The processor time in seconds that it takes to compile the crate once more, without what it depends on."""
    (folder / name / "src" / "lib.rs").touch()
    arguments = ["cargo"] + ([f"+{toolchain}"] if toolchain else []) + [command, "--quiet", "--offline"]
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(folder / "target")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, cwd=folder / name, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder, names, command, rounds, toolchain):
    """The median times of the crates, which take turns. The first round, which may compile dependencies, does not count."""
    times = {name: [] for name in names}
    for round in range(rounds + 1):
        for name in names:
            seconds = compile_crate(folder, name, command, toolchain)
            if round > 0:
                times[name].append(seconds)
    return {name: statistics.median(of_crate) for name, of_crate in times.items()}


def main():
    parser = argparse.ArgumentParser(description="Measures what a kernel costs to compile.")
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "kernel_cost")
    parser.add_argument("--toolchain")
    parser.add_argument("--write-only", action="store_true", help="write the crates and compile nothing")
    arguments = parser.parse_args()
    names = write_crates(arguments.folder, arguments.kernels)
    if arguments.write_only:
        return
    for command, target in [("check", 8), ("build", 25)]:
        seconds = measure(arguments.folder, names, command, arguments.rounds, arguments.toolchain)
        each = (seconds["kernels"] - seconds["plain"]) * 1000 / arguments.kernels
        print(
            f"cargo {command}: {each:.1f} ms for each kernel, at most {target} wanted"
            f" ({seconds['kernels']:.2f} s with the attributes, {seconds['plain']:.2f} s without)"
        )


if __name__ == "__main__":
    main()
