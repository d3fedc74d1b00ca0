#!/usr/bin/env python3
"""Writes a C file that calls every function of the C API with NULL for each of its pointers.

    null_calls.py FUNCTIONS HEADERS EXCEPTIONS OUTPUT DEPFILE

One call for each pointer argument: that one is NULL, the other pointers point where nothing can
be read, and numbers are 1. So a call comes back only from a function that looks for NULL before
it looks at anything else. It is to answer INVALID_VALUE, or, where it returns no doca_error_t,
NULL or 0. EXCEPTIONS has lines of a function, an argument (or *), what comes instead, and why:
the name of an error; or `skip`, of what needs a real object beside, or is no argument to forget.
"""

import fnmatch
import os
import sys

sys.dont_write_bytecode = True  # The sources stay as they are.
from declarations import declared, exceptions


def body_of(call, returns):
    if "doca_error_t" in returns:
        return f"return (int){call};"
    if "*" in returns:
        return f"return {call} == NULL ? 0 : DOCA_ERROR_UNEXPECTED;"
    if "union" in returns:
        return f"return {call}.u64 == 0 ? 0 : DOCA_ERROR_UNEXPECTED;"
    if returns[-1] == "void":
        return f"{call}; return 0;"
    return f"return {call} == 0 ? 0 : DOCA_ERROR_UNEXPECTED;"


def main():
    list_path, headers, exceptions_path, output, depfile = sys.argv[1:]
    includes, functions = declared(list_path, headers, output, depfile)
    unused = list(exceptions(exceptions_path, 4))
    rules = list(unused)
    calls = []
    for function, returns, takes in functions:
        pointers = [n for n, argument in enumerate(takes) if argument.pointer]
        for null in pointers:
            expected = "DOCA_ERROR_INVALID_VALUE" if "doca_error_t" in returns else "DOCA_SUCCESS"
            name = takes[null].name
            for rule in rules:
                if fnmatch.fnmatch(function, rule[0]) and fnmatch.fnmatch(name, rule[1]):
                    expected = rule[2] if rule[2] == "skip" else "DOCA_" + rule[2]
                    if rule in unused:
                        unused.remove(rule)
                    break
            if expected == "skip":
                continue
            given = []
            for n, (kind, *_) in enumerate(takes):
                if n in pointers:
                    given.append("NULL" if n == null else f"({kind})null_calls_nowhere")
                else:
                    given.append(f"({kind}){{{0 if 'union' in kind or 'struct' in kind else 1}}}")
            call = f"{function}({', '.join(given)})"
            calls.append((function, name, expected, body_of(call, returns)))
    if unused:
        sys.exit(f"{exceptions_path}: no such function and argument: {unused}")
    with open(output, "w", encoding="utf-8") as out:
        out.write(f"// Written by {os.path.basename(__file__)}.\n{includes}#include <stddef.h>\n"
                  '#include "null_calls.h"\nvoid *null_calls_nowhere;\n')
        for n, (*_, body) in enumerate(calls):
            out.write(f"static int call_{n}(void) {{ {body} }}\n")
        out.write("const struct null_call null_calls[] = {\n")
        for n, (function, name, expected, _) in enumerate(calls):
            out.write(f'    {{"{function}", "{name}", {expected}, call_{n}}},\n')
        out.write("};\nconst size_t null_call_count = sizeof(null_calls) / sizeof(*null_calls);\n")


if __name__ == "__main__":
    main()
