"""Runs tests of one build directory and adds what they showed to the results of the run.

    run_suite.py BUILD --stage NAME --results FILE --logs DIR [--suite NAME]... [--test NAME]

The tests are those meson knows. Each runs in sandbox.py with its own timeout; parallel ones
share --jobs workers, the others follow one at a time, guests in pairs. FILE gets one JSON line
per program;
failures are printed with their output and with the command that runs them again.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import threading

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN_SUITES = ("tidy", "unit", "model", "sim", "system", "fuse", "tool", "doca", "uring", "long",
                "rdma", "crash", "fuzz", "bench-smoke")
LONGEST_SECONDS = 300  # For a test whose meson.build sets no limit: it is stopped all the same.
# A limit says what a test takes at most on a machine that it has for itself. One that hangs is
# stopped as surely at three times that, and one whose machine is slow for a minute does not fail.
AT_LEAST_TIMES = 3
LOG_LINES_SHOWN = 120
# Of tests that are not parallel, how many of a suite run at once: a guest is a program that keeps
# one processor busy, and asks the other tests for no more than that.
AT_ONCE = {"rdma": 2}
printing = threading.Lock()


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", what, build], check=True,
                                     stdout=subprocess.PIPE).stdout)


def targets_of(tests, build):
    """What ninja must make for these tests, by file name."""
    wanted = {target for test in tests for target in test["depends"]}
    return sorted({os.path.relpath(name, build) for target in introspect(build, "--targets")
                   if target["id"] in wanted for name in target["filename"]})


def tests_of(build):
    """Meson's tests, in the order of KNOWN_SUITES: the cheapest killers of bugs first."""
    listed = introspect(build, "--tests")
    names = [test["name"] for test in listed]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"two tests are called {', '.join(sorted(twice))}")
    for test in listed:
        # Meson prefixes the project's name when it is a subproject's suite.
        suites = {suite.rpartition(":")[2] for suite in test["suite"]}
        known = [suite for suite in KNOWN_SUITES if suite in suites]
        if len(known) != 1:
            sys.exit(f"{test['name']}: its suite is {sorted(suites)}, and should be one of "
                     f"{', '.join(KNOWN_SUITES)}")
        test["suite"] = known[0]
    return sorted(listed, key=lambda test: (KNOWN_SUITES.index(test["suite"]), -test["priority"]))


def environment_of(test, options):
    environment = dict(os.environ)
    for name, value in test["env"].items():
        # Meson lists what is put before PATH and its like, and not what stands there already.
        before = os.environ.get(name) if name.endswith("PATH") else None
        environment[name] = f"{value}:{before}" if before else value
    if options.slowdown != 1:
        environment["COMCH_TEST_SLOWDOWN"] = f"{options.slowdown:g}"
    if options.case:
        environment["GTEST_FILTER"] = options.case
    return environment


def seconds_for(test, options):
    """Its own timeout, scaled for a slow build or machine; a night's budget may be spent many
    times."""
    budget = float(os.environ.get("COMCH_TEST_BUDGET") or 0)
    own = test["timeout"] if test["timeout"] > 0 else LONGEST_SECONDS
    return own * max(options.slowdown, AT_LEAST_TIMES) + 100 * budget


def run_one(test, options):
    name = re.sub(r"[^\w.-]+", "_", test["name"])
    base = os.path.join(options.logs, name)
    paths = {kind: f"{base}.{kind}" for kind in ("json", "log", "xml")}
    for path in paths.values():
        if os.path.exists(path):
            os.remove(path)
    subprocess.run([sys.executable, os.path.join(HERE, "sandbox.py"), paths["json"], paths["log"],
                    str(seconds_for(test, options)), "--", *test["cmd"]],
                   check=False, stdin=subprocess.DEVNULL, env=environment_of(test, options),
                   cwd=test["workdir"] or options.build)
    with open(paths["log"], encoding="utf-8", errors="replace") as file:
        log = file.read()
    with open(paths["json"], encoding="utf-8") as file:
        result = json.load(file)
    outcome = cases.of_program(result, log, paths["xml"], test["protocol"])
    report(test, outcome, result["seconds"], log, options)


def again(test, case, options):
    seed = os.environ.get("COMCH_TEST_SEED")
    target = ":".join(part for part in (options.stage, test["name"], case) if part)
    return f"{f'COMCH_TEST_SEED={seed} ' if seed else ''}tests/run --again '{target}'"


def told_by_tap(log, case):
    """The first remarks behind the line of a case that is not ok."""
    line = rf"^not ok\b.*{re.escape(case)}.*$"
    found = re.search(rf"({line})(?:\n(?!#).*)*((?:\n#.*)+)", log, re.M) if case else None
    return "".join(found.groups()).split("\n")[:LOG_LINES_SHOWN] if found else []


def excerpt(log, case):
    """The lines of the failed case if the log has them apart, else the end of the log."""
    told = told_by_tap(log, case)
    if told:
        return told
    found = re.search(rf"^\[ RUN      \] {re.escape(case)}$.*?(?=^\[ RUN  |\Z)", log,
                      re.M | re.S) if case else None
    lines = (found.group(0) if found else log).rstrip().splitlines()
    cut = [f"... {len(lines) - LOG_LINES_SHOWN} lines more above, in the log"]
    return (cut if len(lines) > LOG_LINES_SHOWN else []) + lines[-LOG_LINES_SHOWN:]


def report(test, outcome, seconds, log, options):
    word = "FAIL" if outcome.failed else "skip" if not outcome.passed else "ok"
    counts = f"{outcome.passed} passed"
    counts += f", {len(outcome.failed)} failed" if outcome.failed else ""
    counts += f", {len(outcome.skipped)} skipped" if outcome.skipped else ""
    lines = [f"  {word:4} {test['name']:32} {counts} ({seconds:.1f} s)"]
    lines += [f"       skipped {case or test['name']}: {reason}" for case, reason in outcome.skipped]
    for case, why in outcome.failed:
        lines += [f"  ---- {case or test['name']}: {why}",
                  *(f"  | {line}" for line in excerpt(log, case)),
                  f"  ---- again: {again(test, case, options)}"]
    with printing:
        print("\n".join(lines), flush=True)
        with open(options.results, "a", encoding="utf-8") as file:
            json.dump({"stage": options.stage, "test": test["name"], "suite": test["suite"],
                       "seconds": seconds, "passed": outcome.passed, "failed": outcome.failed,
                       "skipped": outcome.skipped,
                       "again": [again(test, case, options) for case, _ in outcome.failed]}, file)
            file.write("\n")


def chosen(tests, options):
    if options.test:
        return [test for test in tests if test["name"] == options.test]
    return [test for test in tests if test["suite"] in options.suite
            and (not options.only or re.search(options.only, test["name"]))]


def run_all(tests, workers, options):
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        for done in [pool.submit(run_one, test, options) for test in tests]:
            done.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--stage", default="")
    parser.add_argument("--results", default=os.devnull)
    parser.add_argument("--logs", default=".")
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--test", help="the one test of this name")
    parser.add_argument("--case", help="only these GoogleTest cases (a filter)")
    parser.add_argument("--only", help="of the suites, tests whose name matches")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--slowdown", type=float, default=1)
    parser.add_argument("--list-suites", action="store_true", help="print those that have tests")
    parser.add_argument("--list-targets", action="store_true", help="print what the suites need")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.logs = os.path.abspath(options.logs)
    os.makedirs(options.logs, exist_ok=True)

    tests = tests_of(options.build)
    if options.list_suites:
        present = {test["suite"] for test in tests}
        print(" ".join(suite for suite in KNOWN_SUITES if suite in present))
        return
    selected = chosen(tests, options)
    if options.list_targets:
        print(" ".join(targets_of(selected, options.build)))
        return
    if options.test and not selected:
        sys.exit(f"no test is called {options.test}; meson knows: "
                 + ", ".join(test["name"] for test in tests))
    run_all([test for test in selected if test["is_parallel"]], options.jobs, options)
    alone = [test for test in selected if not test["is_parallel"]]
    for suite, members in itertools.groupby(alone, key=lambda test: test["suite"]):
        run_all(members, min(AT_ONCE.get(suite, 1), options.jobs), options)


if __name__ == "__main__":
    main()
