#!/usr/bin/env bash
# Compares random kernels, as plain Rust, as twin and as CUDA C: seed after seed, with a line for each form.
#
#   scripts/fuzz.sh SEED…                             60 kernels of each seed, a number: scripts/fuzz.sh {1..167}
#   GPU_FUZZ_PROGRAMS=1000 scripts/fuzz.sh 7          another number of kernels
#   FUZZ_JOBS=1 nice scripts/fuzz.sh {1..167}         beside other work: at most so many compilers at once
#   scripts/fuzz.sh --stage FOLDER SEED…              builds FOLDER/fuzz-SEED.xz instead, to run on a machine with a GPU
#
# Without a GPU the others are compared. Everything that a seed printed is in .fuzz/SEED.log. The end is a failure if anything
# disagreed, or did not compile. rustc's time grows faster than the number of kernels in a file, so seeds are small.
set -euo pipefail

# Says how to call this, and ends.
usage() {
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

stage=
if [[ ${1:-} == --stage ]]; then
    # Seen from the caller's folder.
    stage=$(realpath -m "${2:?--stage needs a folder}")
    shift 2
fi
(($# > 0)) || usage
for seed in "$@"; do
    [[ $seed =~ ^[0-9]+$ ]] || usage
done

cd "$(dirname "$0")/.."
export GPU_FUZZ_PROGRAMS=${GPU_FUZZ_PROGRAMS:-60} GPU_FUZZ_GRADIENTS=${GPU_FUZZ_GRADIENTS:-8} CARGO_INCREMENTAL=0
[[ -z $stage ]] || mkdir -p "$stage"
mkdir -p .fuzz
failed=0
for seed in "$@"; do
    log=.fuzz/$seed.log
    command=(cargo test --profile fuzz ${FUZZ_JOBS:+--jobs "$FUZZ_JOBS"} --package gpu-fuzz --test agreement)
    if [[ -n $stage ]]; then
        binary=
        if GPU_FUZZ_SEED=$seed "${command[@]}" --no-run >"$log" 2>&1; then
            binary=$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' "$log")
        fi
        if [[ -z $binary ]]; then
            echo "seed $seed: does not compile, see $log"
            failed=1
        else
            strip -o "$stage/fuzz-$seed" "$binary"
            xz --force "$stage/fuzz-$seed"
            echo "seed $seed: $GPU_FUZZ_PROGRAMS kernels, $(($(stat --format %s "$stage/fuzz-$seed.xz") >> 10)) KiB"
        fi
    elif GPU_FUZZ_SEED=$seed "${command[@]}" -- --nocapture --test-threads 1 >"$log" 2>&1; then
        grep -o 'seed [0-9]*, .*' "$log"
    else
        grep -o 'seed [0-9]*, .*' "$log" || true
        echo "seed $seed: failed, see $log"
        failed=1
    fi
done
exit "$failed"
