#!/usr/bin/env python3
"""Connects an evaluation of GradBench with a tool, as its program `gradbench run` does, and prints the median time of each function.

    drive.py --eval "python3 -m gradbench.evals.lse.run" --tool "target/release/gradbench --cpu"

Both are commands, which speak the protocol of GradBench. With `--json`, one line of JSON for each function. It fails if an output is not valid.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    evaluation = start(arguments.eval)
    tool = start(arguments.tool)
    asked, is_valid = {}, True
    for line in evaluation.stdout:
        message = json.loads(line)
        response = tell(tool, line)
        if message["kind"] == "evaluate":
            asked[message["id"]] = (message, response)
            if not response["success"]:
                report(arguments, message, response, f"not evaluated: {response.get('error', '')}".strip())
        elif message["kind"] == "define" and not response["success"]:
            print(f"not defined: {response.get('error', '')}", file=sys.stderr)
        elif message["kind"] == "analysis":
            is_valid &= message["valid"]
            report(arguments, *asked.pop(message["of"]), "valid" if message["valid"] else f"wrong: {message.get('error')}")
        evaluation.stdin.write(json.dumps(response) + "\n")
        evaluation.stdin.flush()
    tool.stdin.close()
    tool.wait()
    sys.exit(0 if is_valid and evaluation.wait() == 0 else 1)


def start(command):
    return subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(tool, line):
    tool.stdin.write(line)
    tool.stdin.flush()
    answer = tool.stdout.readline()
    if not answer:
        sys.exit("the tool has ended")
    return json.loads(answer)


def report(arguments, message, response, outcome):
    runs = [timing["nanoseconds"] for timing in response.get("timings") or [] if timing["name"] == "evaluate"]
    median = statistics.median(runs) / 1e6 if runs else None
    if arguments.json:
        print(json.dumps({key: message.get(key) for key in ("module", "function", "description")} | {"ms": median, "runs": len(runs), "outcome": outcome}))
    else:
        time = "" if median is None else f"{median:.4g} ms ({len(runs)} runs)"
        print(f"{message['module']} {message['function']} {message.get('description', '')}: {time} {outcome}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
