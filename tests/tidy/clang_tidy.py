"""Runs clang-tidy-19 (.clang-tidy) over the project's own sources, in parallel.

    clang_tidy.py BUILD [FILE...] [--shallow] [--jobs N]

BUILD is a directory configured with clang, for its compile_commands.json; FILE narrows it to
sources whose path from the root begins so. --shallow: the analyzer follows small functions alone
into their callees, which takes half the time. Prints each finding once; exits non-zero on any.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OURS = ("core", "uring", "fuse", "examples", "tests")


def sources_of(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = {os.path.realpath(os.path.join(entry["directory"], entry["file"]))
             for entry in commands}
    inside = {path: os.path.relpath(path, ROOT).split(os.sep)[0] for path in paths}
    return sorted(path for path, top in inside.items() if top in OURS)


SHALLOW = [f"--extra-arg={word}"
           for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


def check(path, build, shallow):
    done = subprocess.run(["clang-tidy-19", "--quiet", "-p", build, "--warnings-as-errors=*",
                           f"--header-filter=(^|/)({'|'.join(OURS)})/",
                           *(SHALLOW if shallow else []), path],
                          check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    # Of a crash or a file that does not compile, what it said is on standard error.
    return done.returncode, done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--shallow", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    sources = [path for path in sources_of(options.build)
               if not options.files
               or os.path.relpath(path, ROOT).startswith(tuple(options.files))]
    if not sources:
        sys.exit("no source to check")
    seen, failed = set(), False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for code, text in pool.map(lambda path: check(path, options.build, options.shallow), sources):
            failed |= code != 0
            # A header's finding comes again with every source that includes it.
            for finding in re.split(r"(?m)^(?=\S+:\d+:\d+: (?:warning|error))", text):
                if finding.strip() and finding not in seen:
                    seen.add(finding)
                    print(re.sub(r"(?m)^(\.\./)+", "", finding.rstrip().replace(ROOT + "/", "")),
                          flush=True)
    print(f"{len(sources)} sources checked")
    sys.exit(failed)


if __name__ == "__main__":
    main()
