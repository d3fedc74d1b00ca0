"""Runs clang-tidy-19 (.clang-tidy) over the project's own sources, in parallel.

    clang_tidy.py BUILD [FILE...] [--quick] [--jobs N]

BUILD is a directory configured with clang, for its compile_commands.json; FILE narrows it to
sources whose path from the root begins so. Prints each finding once; exits non-zero on any.

--quick takes far less time: the analyzer follows small functions alone into their callees,
and sources of a folder are checked together first, one behind the other in one file, for most of
the time goes into headers. A group with a finding, or one whose names meet, is checked again in
halves, down to single sources: what is printed was found in a source on its own.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OURS = ("core", "uring", "fuse", "examples", "tests")
GROUP = 12  # Sources at most that are checked together.


def commands_of(build):
    """The command that compiles each of our sources, as {path: entry of the database}."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    # Of a source that a test compiles, too, the product's command, which comes first.
    by_path = {os.path.realpath(os.path.join(entry["directory"], entry["file"])): entry
               for entry in reversed(entries)}
    return {path: by_path[path] for path in sorted(by_path)
            if os.path.relpath(path, ROOT).split(os.sep)[0] in OURS}


def flags_of(entry):
    """What two sources must share to be compiled as one: all but their own names."""
    words = shlex.split(entry["command"])
    own = {"-o", "-MF", "-MQ", "-c"}
    return tuple(word for before, word in zip([""] + words, words)
                 if word not in own and before not in own)


def libraries_of(path):
    """What it includes of libraries that are all header: where they are, they are most of it."""
    with open(path, encoding="utf-8") as file:
        return sorted(re.findall(r"(?m)^#include <(.*\.hpp)>", file.read()))


def groups_of(commands):
    """Lists of sources of one folder, of one language and one set of flags."""
    def likeness(path):
        return os.path.dirname(path), os.path.splitext(path)[1], flags_of(commands[path])
    for _, alike in itertools.groupby(sorted(commands, key=likeness), likeness):
        alike = sorted(alike, key=libraries_of)
        count = -(-len(alike) // GROUP)
        for n in range(count):
            yield alike[n * len(alike) // count:(n + 1) * len(alike) // count]


SHALLOW = [f"--extra-arg={word}"
           for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


def clang_tidy(path, database, extra):
    done = subprocess.run(["clang-tidy-19", "--quiet", "-p", database, "--warnings-as-errors=*",
                           f"--config-file={os.path.join(ROOT, '.clang-tidy')}",
                           f"--header-filter=(^|/)({'|'.join(OURS)})/", *extra, path],
                          check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    # Of a crash or a file that does not compile, what it said is on standard error.
    return done.returncode, done.stdout or done.stderr


def together(group, entry):
    """Whether the sources of `group`, as one file, have no finding."""
    with tempfile.TemporaryDirectory() as folder:
        joined = os.path.join(folder, "joined" + os.path.splitext(group[0])[1])
        with open(joined, "w", encoding="utf-8") as out:
            for path in group:
                with open(path, encoding="utf-8") as file:
                    out.write(file.read() + "\n")
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as out:
            json.dump([{"directory": entry["directory"], "file": joined,
                        "arguments": [*flags_of(entry), "-c", joined]}], out)
        # A name may hide one of another source, which it does not know when it is compiled alone.
        alone = [f"--extra-arg=-iquote{os.path.dirname(group[0])}", "--extra-arg=-Wno-shadow"]
        return clang_tidy(joined, folder, [*SHALLOW, *alone])[0] == 0


def check(group, commands, build, quick):
    """What clang-tidy says of each source of the group that is not clean."""
    if len(group) > 1:
        if together(group, commands[group[0]]):
            return []
        return [text for half in (group[::2], group[1::2])
                for text in check(half, commands, build, quick)]
    code, text = clang_tidy(group[0], build, SHALLOW if quick else [])
    return [text] if code else []


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    commands = {path: entry for path, entry in commands_of(options.build).items()
                if not options.files
                or os.path.relpath(path, ROOT).startswith(tuple(options.files))}
    if not commands:
        sys.exit("no source to check")
    groups = list(groups_of(commands)) if options.quick else [[path] for path in commands]
    seen, failed = set(), False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for texts in pool.map(lambda group: check(group, commands, options.build, options.quick),
                              groups):
            for text in texts:
                failed = True
                # A header's finding comes again with every source that includes it.
                for finding in re.split(r"(?m)^(?=\S+:\d+:\d+: (?:warning|error))", text):
                    if finding.strip() and finding not in seen:
                        seen.add(finding)
                        print(re.sub(r"(?m)^(\.\./)+", "", finding.rstrip().replace(ROOT + "/", "")),
                              flush=True)
    print(f"{len(commands)} sources checked")
    sys.exit(failed)


if __name__ == "__main__":
    main()
