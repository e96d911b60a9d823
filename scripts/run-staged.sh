#!/usr/bin/env bash
# Runs what stage.sh collected, on a machine with a GPU: tests, examples, benchmarks and the same work in Numba and other libraries.
#
#   run-staged.sh [--quick] [--sanitize] [--logs FOLDER] [WHAT…]
#
#   --quick     fewer rounds in benchmarks
#   --sanitize  also run tests of kernels under compute-sanitizer: memcheck and racecheck
#   --logs      where the output goes: logs beside this script unless given. Measurements are in results.jsonl there
#   WHAT        tests, examples, benches, peers, sanitize, or the name of one program; all but sanitize unless given
#
# Prints a table with the outcome of each program, and one of all measurements. Fails if a program fails. A test that finds
# no GPU fails: there should be one. Needs bash 5, GNU coreutils and python3.
set -uo pipefail

# Says how to call this: the text above.
usage() {
    sed -n '2,12s/^# \{0,1\}//p' "$0"
}
if [[ " $* " == *" --help "* ]]; then
    usage
    exit
fi

here=$(cd "$(dirname "$0")" && pwd)
# From a checkout, what was staged there.
[[ -d $here/tests ]] || here=$(dirname "$here")/.stage
if [[ ! -d $here/tests || ! -d $here/examples || ! -d $here/benches || ! -d $here/peers ]]; then
    echo "nothing is staged in $here: run stage.sh where there is a Rust toolchain" >&2
    exit 2
fi

quick=()
sanitize=false
logs=$here/logs
wanted=()
while (($#)); do
    case $1 in
    --quick) quick=(--quick) ;;
    --sanitize) sanitize=true ;;
    --logs)
        logs=${2:?--logs needs a folder}
        shift
        ;;
    -*)
        echo "unknown option $1" >&2
        usage >&2
        exit 2
        ;;
    *) wanted+=("$1") ;;
    esac
    shift
done
# Whether a program of this name runs here. The programs whose starts are compared are started by the benchmark `startup`.
is_program() {
    [[ $1 != startup_* && $1 != common.py ]] &&
        [[ -e $here/tests/$1 || -e $here/examples/$1 || -e $here/benches/$1 || -e $here/peers/$1 ]]
}
for what in "${wanted[@]}"; do
    case $what in
    tests | examples | benches | peers | sanitize) ;;
    *)
        if ! is_program "$what"; then
            echo "nothing is called $what: the names are those of the files in $here/{tests,examples,benches,peers}" >&2
            exit 2
        fi
        ;;
    esac
done
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
results=$logs/results.jsonl
: >"$results"

# The references compile with the toolkit's NVRTC by name, which is often not in the loader's path.
toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
export LD_LIBRARY_PATH="$toolkit/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PATH="$PATH:$toolkit/bin"
export GPU_RUNTIME_REQUIRE=cuda PYTHONDONTWRITEBYTECODE=1

rows=()
failed=0

# Whether the program NAME of the group GROUP is to be run: wants GROUP NAME
wants() {
    ((${#wanted[@]} == 0)) && return 0
    local what
    for what in "${wanted[@]}"; do
        [[ $what == "$1" || $what == "$2" ]] && return 0
    done
    return 1
}

# Runs a program with a limit in seconds: run NAME LIMIT COMMAND…
# Its errors go to a log of that name, and its output is appended to the file `output`, which is the log unless set.
run() {
    local name=$1 limit=$2 log=$logs/${1//[^A-Za-z0-9._-]/-}.log start=$EPOCHREALTIME status=0 verdict detail
    shift 2
    : >"$log"
    timeout --kill-after=10 "$limit" "$@" >>"${output:-$log}" 2>>"$log" </dev/null || status=$?
    case $status in
    0) verdict=ok ;;
    # A reference in Python whose libraries are not installed.
    77) verdict=skipped ;;
    124 | 137) verdict=TIMEOUT ;;
    *) verdict=FAIL ;;
    esac
    detail=$(sed -nE 's/^test result: \w+\. ([0-9]+ passed; [0-9]+ failed).*/\1/p; s/^=+ *((ERROR|RACECHECK) SUMMARY: .*)/\1/p; s/^(\w+ )?(skipped: .*)/\2/p' "$log" | tail -1)
    rows+=("$(awk -v name="$name" -v verdict="$verdict" -v from="$start" -v to="$EPOCHREALTIME" -v detail="$detail" \
        'BEGIN { printf "%-40s %-8s %6.1f s  %s", name, verdict, to - from, detail }')")
    if [[ $verdict != ok && $verdict != skipped ]]; then
        failed=$((failed + 1))
        # Enough to see why, without drowning the tables.
        if ((failed <= 4)); then
            echo "--- $name: $verdict (status $status); from $log:"
            { grep -A2 'panicked at' "$log" || grep -A2 -E 'Error|error|failed:|Invalid|hazard' "$log" || tail -8 "$log"; } |
                head -12 | cut -c1-160
        fi
    fi
}

# Runs each program of a folder: run_all GROUP LIMIT ARGUMENTS…
run_all() {
    local group=$1 limit=$2 program name
    shift 2
    for program in "$here/$group"/*; do
        name=$(basename "$program")
        if [[ -x $program ]] && wants "$group" "$name"; then
            run "$group $name" "$limit" "$program" "$@"
        fi
    done
}

if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
fi

run_all tests 300

if $sanitize || [[ " ${wanted[*]} " == *" sanitize "* ]]; then
    # Launches from many threads take racecheck longer than they are worth: they share no memory.
    for pair in "memcheck gpu-tests.conformance" "memcheck gpu-runtime.launch" "racecheck gpu-tests.conformance"; do
        read -r tool tests <<<"$pair"
        # One test at a time: the sanitizer serialises kernels anyway, and its report then says whose they are.
        [[ -x $here/tests/$tests ]] && run "$tool $tests" 300 \
            compute-sanitizer --tool "$tool" --error-exitcode 1 "$here/tests/$tests" --test-threads=1 --nocapture
    done
fi

run_all examples 120

for program in "$here"/benches/*; do
    name=$(basename "$program")
    if is_program "$name" && wants benches "$name"; then
        # The cost of a barrier is that of one core.
        [[ $name == cpu_reduction ]] && export RAYON_NUM_THREADS=1
        output=$results run "benches $name" 180 "$program" "${quick[@]}"
        unset RAYON_NUM_THREADS
    fi
done

for program in "$here"/peers/*.py; do
    name=$(basename "$program")
    if is_program "$name" && wants peers "$name"; then
        output=$results run "peers $name" 300 python3 "$program" "${quick[@]}"
    fi
done

if ((${#rows[@]} == 0)); then
    echo "nothing is called ${wanted[*]}" >&2
    exit 2
fi
{
    echo
    printf '%s\n' "${rows[@]}"
    echo
    [[ -s $results ]] && python3 "$here/bench-table.py" "$results"
} | tee "$logs/summary.txt"
echo "$failed failed"
((failed == 0))
