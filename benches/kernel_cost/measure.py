#!/usr/bin/env python3
"""What a kernel costs to compile: measure.py [--kernels N] [--rounds N] [--folder FOLDER] [--toolchain NAME] [--write-only].

Writes three crates: one with N kernels (100), one with the same kernels and a function for each that launches it, and one with the same
functions without the attributes. Compiles them in turns, and prints what a kernel and what a launched kernel adds, in milliseconds of
processor time (and of wall time): the median over the rounds of `cargo check` and of a debug build, without incremental compilation. Only
the launches make the compiler generate code for what is generic in them. The kernels are copies of those in `kernels/`, each under a
name of its own. Needs neither a GPU nor NVRTC.
"""

import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import time

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


# What a launcher takes for a parameter: the first pattern that matches its type.
ARGUMENTS = [
    (r"View<(.+), \d>", r"&DeviceArray<\1>"),
    (r"ViewMut<(.+), \d>", r"&mut DeviceArray<\1>"),
    (r"&\[AtomicU32\]", r"&mut DeviceArray<u32>"),
    (r"&(mut )?\[(.+)\]", r"&\1DeviceArray<\2>"),
    (r"(.+)", r"\1"),
]


def launch_of(kernel):
    """A function that launches `kernel` with what it is given."""
    name, declared = re.search(r"^pub fn (\w+)\((.*)\) \{$", kernel, flags=re.MULTILINE).groups()
    params = re.findall(r"(?:mut )?(\w+): ((?:[^,<\[]|<[^>]*>|\[[^\]]*\]+)+)", declared)
    types = [next(re.sub(pattern, to, ty) for pattern, to in ARGUMENTS if re.fullmatch(pattern, ty)) for _, ty in params]
    typed = ", ".join(f"{param}: {ty}" for (param, _), ty in zip(params, types))
    arguments = ", ".join(param for param, _ in params)
    return f"\npub fn launch_{name}({typed}) -> gpu_runtime::Result<()> {{\n    {name}({arguments}).launch(64, 256)\n}}\n"


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_crates(folder, count):
    """The three crates, by name."""
    common, all_kernels = (HERE / "common.rs").read_text(), list(kernels(count))
    text = common + "".join("\n" + kernel for kernel in all_kernels)
    launched = common + "".join("\n" + kernel + launch_of(kernel) for kernel in all_kernels)
    sources = {"kernels": text, "launched": launched, "plain": without_attributes(text)}
    for name, source in sources.items():
        write_if_changed(folder / name / "Cargo.toml", MANIFEST.format(name=f"cost-{name}", runtime=ROOT / "gpu-runtime"))
        write_if_changed(folder / name / "src" / "lib.rs", source)
    return list(sources)


def compile_crate(folder, name, command, toolchain):
    """The processor time and the wall time in seconds that it takes to compile the crate once more, without what it depends on."""
    (folder / name / "src" / "lib.rs").touch()
    arguments = ["cargo"] + ([f"+{toolchain}"] if toolchain else []) + [command, "--quiet"]
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(folder / "target")}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(arguments, cwd=folder / name, env=environment, check=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def measure(folder, names, command, rounds, toolchain):
    """The median times of the crates, which take turns. The first round, which may compile dependencies, does not count."""
    times = {name: [] for name in names}
    for round in range(rounds + 1):
        for name in names:
            both = compile_crate(folder, name, command, toolchain)
            if round > 0:
                times[name].append(both)
    return {name: [statistics.median(column) for column in zip(*of_crate)] for name, of_crate in times.items()}


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
        plain, plain_wall = seconds.pop("plain")
        for name, (processor, wall) in seconds.items():
            each, each_wall = [(of - without) * 1000 / arguments.kernels for of, without in [(processor, plain), (wall, plain_wall)]]
            print(
                f"cargo {command}, {name}: {each:.1f} ms of processor time for each, at most {target} wanted"
                f" ({processor:.2f} s, {plain:.2f} s without the attributes; wall time {each_wall:.1f} ms)"
            )


if __name__ == "__main__":
    main()
