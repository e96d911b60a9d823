#!/usr/bin/env bash
# Builds every test, example and benchmark that a GPU can run, and collects them in one folder to copy to a machine with a
# GPU and without a Rust toolchain. There, run-staged.sh in that folder runs them.
#
#   scripts/stage.sh [FOLDER]      .stage in this repository unless given; what was staged there before is replaced
#
# Needed here: bash, python3, GNU coreutils. The other machine needs a processor of the same kind and a C library at least as
# new; NVIDIA's driver; NVRTC; bash 5, GNU coreutils and python3.
set -euo pipefail

if (($# > 1)) || [[ ${1:-} == -* ]]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
repository=$(cd "$(dirname "$0")/.." && pwd)
stage=$(realpath -m "${1:-$repository/.stage}")
cd "$repository"

# What is staged replaces folders like `tests`: only ever those of a folder that this script filled.
mkdir -p "$stage"
if [[ ! -e $stage/.staged && -n $(ls -A "$stage") ]]; then
    echo "$stage is not empty, and not from this script: name another folder, or empty it" >&2
    exit 2
fi
touch "$stage/.staged"

# Collects the executables of a cargo command: collect SUBFOLDER COMMAND…
collect() {
    local subfolder=$1
    shift
    mkdir -p "$stage/$subfolder"
    "$@" --profile stage --message-format=json-render-diagnostics | python3 -c '
import json, os, shutil, sys

folder = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    if message["reason"] != "compiler-artifact" or not message.get("executable"):
        continue
    name = message["target"]["name"]
    if message["profile"]["test"] and folder.endswith("/tests"):
        # "path+file:///there/tests#gpu-tests@0.1.0", without a name where the folder has the same one.
        folder_url, _, version = message["package_id"].rpartition("#")
        package = version.partition("@")[0] if "@" in version else os.path.basename(folder_url)
        name = f"{package}.unit" if "lib" in message["target"]["kind"] else f"{package}.{name}"
    shutil.copy2(message["executable"], os.path.join(folder, name))
' "$stage/$subfolder"
}

rm -rf "$stage"/{tests,examples,benches,faults,peers,run-staged.sh,bench-table.py,compare-sanitizer.py}
# The other tests of the package `gpu-tests` run compilers, which the other machine has not.
collect tests cargo test --no-run -p gpu-runtime --lib --tests
collect tests cargo test --no-run -p gpu-tests --test conformance --test array_functions --test cooperation --test linked --test printing
collect tests cargo test --no-run -p gpu-fuzz --test agreement
collect examples cargo build -p gpu-examples -p pictures --examples
collect examples cargo build -p plots --examples
collect examples cargo build -p gpu-cluster-examples --examples
collect examples cargo build -p crossover
collect benches cargo build -p gpu-benches --bins --benches
# For compare-sanitizer.py, where the other machine has compute-sanitizer.
collect faults cargo build -p gpu-faults --bins
mkdir "$stage/peers"
cp benches/peers/*.py "$stage/peers/"
cp scripts/run-staged.sh scripts/bench-table.py scripts/compare-sanitizer.py "$stage/"

programs=$(find "$stage"/{tests,examples,benches,faults} -type f | wc -l)
echo "$stage: $programs programs, $(du -cm "$stage"/{tests,examples,benches,faults} | tail -1 | cut -f1) MiB"
