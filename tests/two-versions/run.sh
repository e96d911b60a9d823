#!/usr/bin/env bash
# Two versions of the runtime in one process: run.sh [COMMIT [ARGUMENTS OF CARGO TEST…]].
# The other version is that of the commit (HEAD), with a version number that no release has.
set -euo pipefail
cd "$(dirname "$0")"
commit="${1:-HEAD}"

rm -rf other
mkdir other
(cd ../.. && git archive "$commit" Cargo.toml README.md gpu-macros gpu-runtime) | tar x -C other

# Cargo would look for what the packages inherit in the workspace around this folder.
inherited() { sed -nE "s/^$1 = (\".*\")$/\1/p" other/Cargo.toml | head -n 1; }
sed -i -E "
    s/^version\.workspace = true/version = \"0.0.0-other\"/
    s/^(edition|rust-version|license|repository)\.workspace = true/\1 = INHERITED-\1/
    s/INHERITED-edition/$(inherited edition)/
    s/INHERITED-rust-version/$(inherited rust-version)/
    s/INHERITED-license/$(inherited license)/
    s|INHERITED-repository|$(inherited repository)|
    s/^gpu-macros\.workspace = true/gpu-macros = { path = \"..\/gpu-macros\" }/
    /^\[lints\]/,/^workspace = true/d" other/gpu-macros/Cargo.toml other/gpu-runtime/Cargo.toml
rm other/Cargo.toml

cargo test "${@:2}"
