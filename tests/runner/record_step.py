"""Adds one check that is no test program to the results, and prints it.

    record_step.py RESULTS STAGE NAME STATUS SECONDS LOG
"""

import json
import re
import sys

LINES_SHOWN = 150


def telling(log):
    """The lines that say what went wrong: of a build, from its first failure on."""
    lines = log.rstrip().splitlines()
    broken = [number for number, line in enumerate(lines) if line.startswith("FAILED: ")]
    if broken:  # Without ninja's account of what went well.
        lines = [line for line in lines[broken[0]:] if not re.match(r"\[\d+/\d+\] ", line)]
        return lines[:LINES_SHOWN]
    return lines[-LINES_SHOWN:]


def main():
    results, stage, name, status, seconds, log = sys.argv[1:]
    failed = status != "0"
    print(f"  {'FAIL' if failed else 'ok':4} {name:32} ({seconds} s)")
    if failed:
        with open(log, encoding="utf-8", errors="replace") as file:
            print(*(f"  | {line}" for line in telling(file.read())), sep="\n")
    again = f"tests/run --again '{stage}:{name}'"
    if failed:
        print(f"  ---- again: {again}", flush=True)
    with open(results, "a", encoding="utf-8") as file:
        json.dump({"stage": stage, "test": name, "suite": "step", "seconds": float(seconds),
                   "passed": 0 if failed else 1, "skipped": [],
                   "failed": [("", f"exit code {status}")] if failed else [],
                   "again": [again] if failed else []}, file)
        file.write("\n")


if __name__ == "__main__":
    main()
