"""Declarations: the functions of the C API as its headers declare them."""

import collections
import os
import re
import subprocess

COMPILER = os.environ.get("CC", "cc").split()
FLAGS = ["-std=gnu11", "-DDOCA_ALLOW_EXPERIMENTAL_API", "-DDOCA_ALLOW_DEPRECATED_API"]

# `returns` is a list of words; an argument's `pointer` says that it is an address or a callback.
Function = collections.namedtuple("Function", "name returns arguments")
Argument = collections.namedtuple("Argument", "kind name pointer")


def preprocessed(headers, includes, output, depfile):
    source = output + ".headers.c"  # It stays: the build looks at its time.
    with open(source, "w", encoding="utf-8") as out:
        out.write(includes)
    return subprocess.run([*COMPILER, *FLAGS, "-I", headers, "-E", "-P", "-MMD", "-MT", output,
                           "-MF", depfile, source],
                          check=True, capture_output=True, text=True).stdout


def arguments(text, callbacks):
    for argument in text.split(","):
        argument = " ".join(argument.split())
        if argument in ("void", "..."):
            continue
        kind, name = re.fullmatch(r"(.*?)(\w+)(?:\[\w*\])?", argument).groups()
        kind = kind.strip() + ("*" if argument.endswith("]") else "")
        yield Argument(kind, name, "*" in kind or kind in callbacks)


def declared(list_path, headers, output, depfile):
    """The lines that include what LIST_PATH names, and a Function of each line of it."""
    with open(list_path, encoding="utf-8") as lines:
        listed = [line.split() for line in lines if not line.startswith("#")]
    includes = "".join(f"#include <{header}>\n" for header in dict.fromkeys(h for h, _ in listed))
    text = preprocessed(headers, includes, output, depfile)
    callbacks = set(re.findall(r"typedef[^;]*?\(\s*\*\s*(\w+)\s*\)\s*\(", text))
    functions = []
    for _, name in listed:
        found = re.search(r"\b" + name + r"\s*\(([^;{}]*?)\)\s*[;{_]", text)
        # What is before the name on its line; to look for both at once takes a hundred times as long.
        line = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
        returns = re.search(r"[\w *]*$", line).group()
        functions.append(Function(name, returns.replace("*", " * ").split(),
                                  list(arguments(found.group(1), callbacks))))
    return includes, functions


def exceptions(path, columns):
    """The lines of a file of exceptions, each as so many columns; the last is why."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield tuple(line.strip().split(None, columns - 1))
