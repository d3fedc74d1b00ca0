#!/usr/bin/env python3
"""Holds the C API against the list of documented functions.

    functions.py LIST HEADERS SOURCES README LIBRARY...

Each function of LIST is declared by the header that the list names, alone, and is in one of the
libraries; nothing else is. Each that a source of SOURCES answers NOT_SUPPORTED is in README's
table, and the table names no other.
"""

import fnmatch
import os
import re
import subprocess
import sys
import tempfile

COMPILER = os.environ.get("CC", "cc").split()
FLAGS = ["-std=gnu11", "-DDOCA_ALLOW_EXPERIMENTAL_API", "-DDOCA_ALLOW_DEPRECATED_API", "-Werror"]
# Behind macros: callbacks of 2.5 had other types under the same name.
BEHIND_MACROS = re.compile(r"_2_5$")
REFUSES = re.compile(r"Errc::not_supported|only_on_(cpu|dpa)\(\)|require_fast_path|tell_fast_limit|"
                     r"set_datapath_on_dpa\(")
# Answered by the engine: what these ask for is refused there, or by what they share.
BY_THE_ENGINE = {"doca_buf_chain_list", "doca_buf_chain_list_tail", "doca_mmap_export_pci",
                 "doca_mmap_export_rdma", "doca_mmap_create_from_export",
                 "doca_mmap_set_dmabuf_memrange", "doca_comch_server_create",
                 "doca_comch_client_create", "doca_devinfo_rep_create_list"}


def listed(path):
    """{header: [function]}"""
    functions = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                header, function = line.split()
                functions.setdefault(header, []).append(function)
    return functions


def link(functions, headers, libraries, scratch):
    """Compiles one file for each header and links all of them: what is missing, the tools say."""
    objects = []
    for header, names in functions.items():
        source = os.path.join(scratch, header + ".c")
        table = "".join(f"  (any_function *)&{name},\n" for name in names)
        with open(source, "w", encoding="utf-8") as out:
            out.write(f"#include <{header}>\ntypedef void any_function(void);\n"
                      f"any_function *const from_{header[:-2]}[] = {{\n{table}}};\n")
        objects.append(source[:-1] + "o")
        subprocess.run([*COMPILER, *FLAGS, "-I", headers, "-c", source, "-o", objects[-1]],
                       check=True)
    main = os.path.join(scratch, "main.c")
    with open(main, "w", encoding="utf-8") as out:
        out.write("int main(void) { return 0; }\n")
    places = {os.path.dirname(library) for library in libraries}
    paths = [f"-Wl,-rpath,{place}" for place in places]
    subprocess.run([*COMPILER, *FLAGS, main, *objects, *libraries, *paths,
                    "-Wl,--unresolved-symbols=ignore-in-shared-libs",
                    "-o", os.path.join(scratch, "all")], check=True)


def exported(libraries):
    for library in libraries:
        names = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                               capture_output=True, text=True).stdout
        yield from re.findall(r" T (doca_\w+)$", names, re.MULTILINE)


def bodies(sources):
    """(function, text) of each function of the C API that a source defines."""
    start = re.compile(r"^[\w:]+[\w: *]*?\b(doca_\w+)\([^;{]*\)\s*\{", re.MULTILINE)
    for name in sorted(os.listdir(sources)):
        if name.endswith(".cc"):
            with open(os.path.join(sources, name), encoding="utf-8") as file:
                text = file.read()
            for found in start.finditer(text):
                end = text.find("\n}\n", found.end())
                one_line = text.find("}\n", found.end())
                if "\n" not in text[found.end():one_line]:
                    end = one_line
                yield found.group(1), text[found.end():end]


def table(readme):
    """The names and patterns in the first column of the table of NOT_SUPPORTED."""
    with open(readme, encoding="utf-8") as file:
        part = file.read().split("## What answers NOT_SUPPORTED", 1)[1].split("\n## ", 1)[0]
    for row in re.findall(r"^\| (.*?) \|", part, re.MULTILINE):
        yield from re.findall(r"`([\w*]+)`", row)


def main():
    list_path, headers, sources, readme, *libraries = sys.argv[1:]
    functions = listed(list_path)
    names = {name for group in functions.values() for name in group}
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        try:
            link(functions, headers, libraries, scratch)
        except subprocess.CalledProcessError:
            failed.append("a function of the list is not declared, or in no library; see above")
    failed += [f"{name} is exported, and in no document" for name in exported(libraries)
               if name not in names and not BEHIND_MACROS.search(name)]
    patterns = list(table(readme))
    refused = {name for name, text in bodies(sources) if REFUSES.search(text)} & names
    failed += [f"{name} answers NOT_SUPPORTED and is not in the table of {readme}"
               for name in sorted(refused | BY_THE_ENGINE)
               if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    failed += [f"the table of {readme} names {pattern}, which there is not"
               for pattern in patterns if not fnmatch.filter(names, pattern)]
    for line in failed:
        print(line)
    print(f"{len(names)} functions, {len(refused | BY_THE_ENGINE)} with NOT_SUPPORTED")
    return 1 if failed or len(names) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
