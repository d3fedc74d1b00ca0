"""Reads the tree against the habits of the house; prints what breaks them.

    tidy.py ROOT

Include directions (rooms.py), opening comments, unfinished work, atomics without the name
of their edge, source files without a test of their name, control characters, lengths, and
paths that exist on one machine only. A warning is printed and does not fail.
"""

import os
import re
import sys

import rooms

LINES_WARN, LINES_MAX = 300, 400
LABEL_REACH = 6  # Lines above an atomic access in which its comment may begin.
CODE = (".h", ".cc", ".c", ".py", ".sh")
CXX = (".h", ".cc", ".c")

UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")
MACHINE_PATH = re.compile(r"(?<![\w./-])/(wor[k]/|tmp/buil[d])")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
ATOMIC = re.compile(r"\bmemory_order_\w+|\.(load|fetch_\w+|exchange)\(\)")
EDGE = re.compile(r"\b([A-Z]{3,}|[Ee]dges?|[Rr]elaxed|[Oo]rder(s|ed|ing)?|[Pp]airs?)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+("[^"]+"|<[^>]+>)')


def files_of(root):
    """Every text file of the project, by its path from the root."""
    for top, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__")
                            and not (top == root and name.startswith("build")))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(top, name), root)
            try:
                with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
                    yield path, file.read().split("\n")
            except UnicodeDecodeError:
                pass  # Binary: a fuzzer's corpus.


def is_code(path, lines):
    return path.endswith(CODE) or lines[0].startswith("#!")


def opening(path, lines):
    """The first line that is neither a shebang nor an editor's note must say what this is."""
    first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
    begins = ("//", "/*") if path.endswith(CXX) else ("#", '"""')
    if not first.startswith(begins) or len(first.strip('/*#" ')) < 12:
        yield 1, "opens without a comment that says what it is"


def includes(path, lines):
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line) if path.endswith(CXX) else None
        why = rooms.objection(path, found.group(1)) if found else None
        if why:
            yield number, f"include: {why} in {rooms.room_of(path)}"


def edges(path, lines):
    """An atomic access in shared code has a comment that names the edge it makes or meets."""
    if not path.startswith(("core/shm/", "core/transport/")):
        return
    for number, line in enumerate(lines, 1):
        if not ATOMIC.search(line.partition("//")[0]):
            continue
        near = lines[max(0, number - 1 - LABEL_REACH):number]
        comments = " ".join(text.partition("//")[2] for text in near)
        if not EDGE.search(comments):
            yield number, "an atomic access without a comment that names its edge"


def each_line(_, lines):
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, "unfinished work"
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"
        if CONTROL.search(line):
            yield number, "a control character"


def length(path, lines):
    count = len(lines) - 1
    if is_code(path, lines) and count > LINES_MAX:
        yield count, f"{count} lines; split it (at most {LINES_MAX})"
    elif is_code(path, lines) and count > LINES_WARN:
        yield count, f"warning: {count} lines"


def without_test(files):
    """Core sources, each of which has a test of its name, or a reason in untested.txt."""
    reasons = dict(line.split(": ", 1) for line in files.get("tests/tidy/untested.txt", [])
                   if ": " in line and not line.startswith("#"))
    sources = {os.path.splitext(path)[0]: path for path in sorted(files, reverse=True)
               if re.match(r"core/(?!include/|tool/|doca/include/).*\.(cc|h)$", path)}
    for name, path in sources.items():
        room, test = path.split("/")[1], f"{os.path.basename(name)}_test.cc"
        tests = "tests/doca/" if room == "doca" else f"tests/unit/{room}/"
        tested = any(found.startswith(tests) and os.path.basename(found) == test
                     for found in files)
        if not tested and name not in reasons:
            yield path, 1, f"no {test} under {tests}, and no reason in tests/tidy/untested.txt"
        if tested and name in reasons:
            yield path, 1, "has a test; take it out of tests/tidy/untested.txt"
    for name in reasons:
        if f"{name}.cc" not in files and f"{name}.h" not in files:
            yield "tests/tidy/untested.txt", 1, f"{name} is gone"


def findings(root):
    files = dict(files_of(root))
    for path, lines in files.items():
        checks = [each_line, length]
        if is_code(path, lines):
            checks += [opening, includes, edges]
        for check in checks:
            for number, text in check(path, lines):
                yield path, number, text
    yield from without_test(files)


def main():
    failed = False
    for path, number, text in findings(sys.argv[1]):
        print(f"{path}:{number}: {text}")
        failed |= not text.startswith("warning")
    sys.exit(failed)


if __name__ == "__main__":
    main()
