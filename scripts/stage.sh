#!/usr/bin/env bash
# Builds every test, example and benchmark that a GPU can run, and collects them in one folder to copy to a machine with a
# GPU and without a Rust toolchain. There, run-staged.sh in that folder runs them.
#
#   scripts/stage.sh [FOLDER]      the folder is .stage unless given; what was staged there before is replaced
#
# The other machine needs a processor of the same kind and a C library at least as new; NVIDIA's driver; NVRTC.
set -euo pipefail

cd "$(dirname "$0")/.."
stage=${1:-.stage}
most_megabytes=120

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

rm -rf "$stage"/{tests,examples,benches,peers,run-staged.sh,bench-table.py}
# The other tests of the package `gpu-tests` run compilers, which the other machine has not.
collect tests cargo test --no-run -p gpu-runtime --lib --tests
collect tests cargo test --no-run -p gpu-tests --test conformance --test array_functions --test cooperation --test linked
collect tests cargo test --no-run -p gpu-fuzz --test agreement
collect examples cargo build -p gpu-examples --examples
collect examples cargo build -p crossover
collect benches cargo build -p gpu-benches --bins --benches
mkdir "$stage/peers"
cp benches/peers/*.py "$stage/peers/"
cp scripts/run-staged.sh scripts/bench-table.py "$stage/"

kilobytes=$(du -sk "$stage" | cut -f1)
echo "$stage: $(find "$stage/tests" "$stage/examples" "$stage/benches" -type f | wc -l) programs, $((kilobytes / 1024)) MiB"
if ((kilobytes > most_megabytes * 1024)); then
    echo "more than $most_megabytes MiB" >&2
    exit 1
fi
