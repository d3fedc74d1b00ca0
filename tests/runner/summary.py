"""The end of a run: stages with their counts, the failures again, and the closing line.

    summary.py RESULTS STATUS

STATUS is what the run itself would exit with: a run that broke off is a failure, and so is
one that ran no test. Exits non-zero when anything failed.
"""

import collections
import json
import sys


def summarise(rows, status):
    """The lines to print and whether the run passed. The last line is the closing line."""
    stages = collections.defaultdict(lambda: [0, 0, 0, 0.0])
    for row in rows:
        stage = stages[row["stage"]]
        stage[0] += row["passed"]
        stage[1] += len(row["failed"])
        stage[2] += len(row["skipped"])
        stage[3] += row["seconds"]
    lines = ["", f"{'stage':12} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8}"]
    lines += [f"{name:12} {counts[0]:7} {counts[1]:7} {counts[2]:8} {counts[3]:8.0f}"
              for name, counts in stages.items()]
    passed, failed, skipped = (sum(counts[i] for counts in stages.values()) for i in range(3))

    for row in rows:
        for (case, why), again in zip(row["failed"], row["again"]):
            name = " ".join(part for part in (row["stage"], row["test"], case) if part)
            lines += [f"failed: {name}: {why}", f"        {again}"]
    if status != 0:
        lines.append(f"failed: the run broke off with status {status}")
        failed += 1
    elif passed + failed + skipped == 0:
        lines.append("failed: the run ran no test")
        failed += 1
    lines.append(f"{passed} passed, {failed} failed, {skipped} skipped")
    return lines, failed == 0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    lines, good = summarise(rows, int(sys.argv[2]))
    print("\n".join(lines), flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
