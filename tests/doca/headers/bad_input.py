#!/usr/bin/env python3
"""Writes a C file that lists what tests/doca/bad_input has to try of the C API.

    bad_input.py FUNCTIONS HEADERS EXCEPTIONS OUTPUT DEPFILE

Every setter of FUNCTIONS, and every argument that is a number with the largest value of its type.
EXCEPTIONS has lines of a function, an argument (or `state`, of a setter), and why it is none.
"""

import fnmatch
import os
import re
import sys

sys.dont_write_bytecode = True  # The sources stay as they are.
from declarations import declared, exceptions

# What configures an object. A getter that is called `..._set_...` there is not.
SETTER = re.compile(r"_set_|_register(_|$)|_attach$|_add_dev$|_rm_dev$|_enable_|_disable_|"
                    r"_connect_ctx$|_expand$")


def largest(kind):
    if "union" in kind:
        return "UINT64_MAX", 0  # Its number.
    bits = f"(8 * sizeof({kind}))"
    signed = f"(({kind})-1 < ({kind})1)"
    return f"UINT64_MAX >> (64 - {bits} + {signed})", signed


def main():
    list_path, headers, exceptions_path, output, depfile = sys.argv[1:]
    includes, functions = declared(list_path, headers, output, depfile)
    rules = list(exceptions(exceptions_path, 3))
    used = set()

    def is_excepted(function, what):
        found = [rule for rule in rules
                 if fnmatch.fnmatch(function, rule[0]) and fnmatch.fnmatch(what, rule[1])]
        used.update(found)
        return bool(found)

    setters = [function.name for function in functions
               if SETTER.search(function.name) and not is_excepted(function.name, "state")]
    numbers = [(function.name, argument.name, *largest(argument.kind))
               for function in functions for argument in function.arguments
               if not argument.pointer and not is_excepted(function.name, argument.name)]
    if unused := [rule for rule in rules if rule not in used]:
        sys.exit(f"{exceptions_path}: no such function and argument: {unused}")
    with open(output, "w", encoding="utf-8") as out:
        out.write(f"// Written by {os.path.basename(__file__)}.\n{includes}"
                  '#include "bad_input_list.h"\nconst char* const setters[] = {\n')
        out.writelines(f'    "{name}",\n' for name in setters)
        out.write("};\nconst size_t setter_count = sizeof(setters) / sizeof(*setters);\n"
                  "const struct number_argument number_arguments[] = {\n")
        out.writelines(f'    {{"{function}", "{argument}", {most}, {signed}}},\n'
                       for function, argument, most, signed in numbers)
        out.write("};\nconst size_t number_argument_count =\n"
                  "    sizeof(number_arguments) / sizeof(*number_arguments);\n")


if __name__ == "__main__":
    main()
