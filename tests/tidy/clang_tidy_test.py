"""Tests of clang_tidy.py, over sources of their own."""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import clang_tidy

CLEAN = "int %s(int number) { return 2 * number; }\n"
# Of two such the names meet.
HELPED = "namespace {\nint twice(int number) { return 2 * number; }\n}  // namespace\n\n" \
         "int %s(int number) { return twice(number); }\n"
HALVED = "\ndouble %s(int number) { return number / 2; }\n"
NULL = "int %s(bool given) {\n  int* number = nullptr;\n  int zero = 0;\n" \
       "  if (given) number = &zero;\n  return *number;\n}\n"


class ClangTidyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = os.path.realpath(self.folder.name)
        shutil.copy(os.path.join(clang_tidy.ROOT, ".clang-tidy"), root)
        self.addCleanup(setattr, clang_tidy, "ROOT", clang_tidy.ROOT)
        clang_tidy.ROOT = root

    def run_on(self, sources, *options):
        """What a run prints of these sources, and whether it found them clean."""
        entries = []
        for path, text in sources.items():
            full = os.path.join(clang_tidy.ROOT, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as out:
                out.write(text)
            entries.append({"directory": clang_tidy.ROOT, "file": path,
                            "command": f"clang++-19 -std=c++20 -o {path}.o -c {path}"})
        with open(os.path.join(clang_tidy.ROOT, "compile_commands.json"), "w",
                  encoding="utf-8") as out:
            json.dump(entries, out)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), self.assertRaises(SystemExit) as ended:
            clang_tidy.main([clang_tidy.ROOT, "--jobs", "2", *options])
        return printed.getvalue(), not ended.exception.code

    def test_sources_that_are_checked_together_are_clean_together(self):
        sources = {f"core/{name}.cc": CLEAN % name for name in "abc"}
        self.assertEqual(self.run_on(sources, "--quick"), ("3 sources checked\n", True))

    def test_a_finding_is_named_by_its_own_source_and_line(self):
        sources = {"core/a.cc": CLEAN % "a", "core/b.cc": HALVED % "b", "core/c.cc": CLEAN % "c"}
        for options in ((), ("--quick",)):
            text, clean = self.run_on(sources, *options)
            self.assertFalse(clean)
            self.assertIn("core/b.cc:2:31: error: result of integer division", text)
            self.assertEqual(text.count("error:"), 1, text)

    def test_the_analyzer_looks_at_every_source_of_a_group(self):
        sources = {"core/a.cc": CLEAN % "a", "core/b.cc": NULL % "b"}
        text, clean = self.run_on(sources, "--quick")
        self.assertFalse(clean)
        self.assertIn("core/b.cc:5:10: error: Dereference of null pointer", text)

    def test_sources_whose_names_meet_are_checked_alone(self):
        sources = {"core/a.cc": HELPED % "a", "core/b.cc": HELPED % "b"}
        self.assertEqual(self.run_on(sources, "--quick"), ("2 sources checked\n", True))
        sources["core/c.cc"] = HALVED % "c"
        text, clean = self.run_on(sources, "--quick")
        self.assertFalse(clean)
        self.assertIn("core/c.cc:2:31: error:", text)

    def test_what_does_not_compile_is_not_clean(self):
        text, clean = self.run_on({"core/a.cc": CLEAN % "a", "core/b.cc": "int b() {\n"}, "--quick")
        self.assertFalse(clean)
        self.assertIn("core/b.cc:", text)


if __name__ == "__main__":
    unittest.main()
