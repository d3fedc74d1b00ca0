"""What one test program showed, in cases: how many passed, which failed, which were skipped.

Reads what sandbox.py and the program left: the result, the log, and GoogleTest's report.
A program that says nothing about cases is one case.
"""

import dataclasses
import os
import re
import xml.etree.ElementTree as xml

SKIPPED_EXIT = 77


@dataclasses.dataclass
class Outcome:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)   # (case or "", why)
    skipped: list = dataclasses.field(default_factory=list)  # (case or "", reason)


def last_line(log):
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1] if lines else "it did not say why"


def of_gtest_report(path):
    """The cases of a GoogleTest report; cases that were filtered away do not count."""
    outcome = Outcome()
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        if case.get("status") == "notrun":
            continue
        if case.find("failure") is not None:
            outcome.failed.append((name, "an expectation failed"))
        elif skip is not None or case.get("result") == "skipped":
            # The message opens with file and line; the reason is what the test said.
            message = (skip.get("message") if skip is not None else None) or ""
            reason = " ".join(re.sub(r"^\S+:\d+\s*(\n|$)", "", message).split())
            outcome.skipped.append((name, reason))
        else:
            outcome.passed += 1
    return outcome


def of_interrupted_gtest(log):
    """A GoogleTest program that never wrote its report: what its log tells."""
    outcome = Outcome(passed=len(re.findall(r"^\[       OK \] ", log, re.M)))
    started = re.findall(r"^\[ RUN      \] (\S+)", log, re.M)
    return outcome, (started[-1] if started else "")


def of_tap(log):
    """Lines `ok 1 - words` and `not ok 2 - words`; `# SKIP reason` makes a skip."""
    outcome = Outcome()
    for line in re.findall(r"^((?:not )?ok\b.*)$", log, re.M):
        name = re.sub(r"^(not )?ok\s*\d*\s*-?\s*", "", line).partition("#")[0].strip()
        skip = re.search(r"#\s*skip\S*\s*(.*)", line, re.I)
        if skip:
            outcome.skipped.append((name, skip.group(1)))
        elif line.startswith("not"):
            outcome.failed.append((name, "not ok"))
        else:
            outcome.passed += 1
    return outcome


def of_program(result, log, report, protocol):
    """The outcome of one program. Every way to go wrong adds a failure, and none hides."""
    code, why, case = result["code"], "", ""
    if result["timed_out"]:
        why = f"still running after {result['seconds']:.0f} s: " + "; ".join(result["hung"])
    elif code is not None and code < 0:
        why = f"ended by signal {-code}"
    elif code not in (0, SKIPPED_EXIT):
        why = f"exit code {code}"

    if os.path.exists(report) and not why.startswith(("still", "ended")):
        outcome = of_gtest_report(report)
        if outcome.failed:
            why = ""  # The cases say it.
        elif not why and outcome == Outcome():
            why = "the program ran no test"
    elif "[==========]" in log:
        outcome, case = of_interrupted_gtest(log)
        why = why or "the program ended without its report"
    elif protocol == "tap":
        outcome = of_tap(log)
        if outcome.failed:
            why = ""
        elif not why and outcome == Outcome():
            why = "no line says ok"
    elif code == SKIPPED_EXIT:
        outcome = Outcome(skipped=[("", last_line(log))])
    else:
        outcome = Outcome(passed=0 if why else 1)

    if why:
        outcome.failed.append((case, why))
    if result["left"]:
        outcome.failed.append(("", "left behind: " + "; ".join(result["left"])))
        if outcome.passed == 1 and not os.path.exists(report):
            outcome.passed = 0  # One program is one case, and it failed.
    outcome.failed += [(name, "skipped without a reason")
                       for name, reason in outcome.skipped if not reason]
    outcome.skipped = [entry for entry in outcome.skipped if entry[1]]
    return outcome
