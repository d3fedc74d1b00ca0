"""Plants each fault in a tree of its own and shows that tidy.py finds it, and only it."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OPENING = "// A file that says what it is.\n"
CLEAN = {
    "core/shm/ring.h": OPENING + '#include <atomic>\n#include "base/limits.h"\n'
                       "// DATA: meets the release in push().\n"
                       "tail.load(std::memory_order_acquire);\n",
    "core/base/limits.h": OPENING + "#include <cstdint>\n",
    "core/os/fd.cc": OPENING + '#include <unistd.h>\n#include "base/limits.h"\n',
    "core/comch/server.cc": OPENING + '#include "transport/shm/carrier.h"\n#include <toml++/toml.h>\n',
    "core/tool/main.cc": OPENING + "#include <comch/server.h>\n#include <CLI/CLI.hpp>\n"
                         '#include "options.h"\n',
    "core/include/comch/server.h": OPENING + '#include <vector>\n#include "comch/result.h"\n',
    "tests/unit/shm/ring_test.cc": OPENING + '#include "shm/ring.h"\n#include <sys/mman.h>\n',
    "tests/unit/os/fd_test.cc": OPENING,
    "tests/unit/comch/server_test.cc": OPENING,
    "tests/tidy/untested.txt": "# Reasons.\ncore/base/limits: constants only\n",
    "tests/run": "#!/bin/sh\n# Runs the tests of this tree.\n",
    "README.md": "Words.\n",
}


class TidyTest(unittest.TestCase):
    def tidy(self, changes):
        """The exit status and the lines tidy.py prints for the clean tree with `changes`."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **changes}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                if text is not None:
                    with open(os.path.join(root, path), "w", encoding="utf-8", newline="") as file:
                        file.write(text)
            done = subprocess.run([sys.executable, os.path.join(HERE, "tidy.py"), root],
                                  check=False, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def finds(self, path, text, words):
        status, lines = self.tidy({path: text})
        self.assertEqual(status, 1, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"{path}:"), lines)
        self.assertIn(words, lines[0])

    def includes(self, path, include):
        self.finds(path, CLEAN[path] + f"#include {include}\n", "out of bounds")

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(self.tidy({}), (0, []))

    def test_an_include_against_the_arrow(self):
        self.includes("core/base/limits.h", '"os/fd.h"')
        self.includes("core/base/limits.h", '"comch/server.h"')
        self.includes("core/shm/ring.h", '"wire/handshake.h"')
        self.includes("core/os/fd.cc", '"shm/ring.h"')
        self.includes("core/comch/server.cc", '"tool/options.h"')

    def test_an_engine_that_knows_a_carrier_and_a_carrier_that_knows_its_engine(self):
        test = {"tests/unit/engine/a_test.cc": OPENING, "tests/unit/transport/a_test.cc": OPENING}
        for path, include in (("core/engine/a.cc", "transport/shm/carrier.h"),
                              ("core/transport/shm/a.cc", "engine/engine.h"),
                              ("core/transport/rdma/a.cc", "transport/shm/carrier.h")):
            status, lines = self.tidy({**test, "core/engine/a.cc": OPENING,
                                       "core/transport/shm/a.cc": OPENING,
                                       "core/transport/rdma/a.cc": OPENING,
                                       path: OPENING + f'#include "{include}"\n'})
            self.assertEqual((status, len(lines)), (1, 1), lines)
            self.assertIn(f"{path}:2: include: {include} is out of bounds", lines[0])

    def test_a_public_header_that_includes_anything_private(self):
        self.includes("core/include/comch/server.h", '"base/limits.h"')
        self.includes("core/include/comch/server.h", "<fmt/format.h>")

    def test_a_user_of_the_public_api_that_reaches_inside(self):
        self.includes("core/tool/main.cc", '"engine/engine.h"')
        for path in ("fuse/main.cc", "examples/ping.cc"):
            self.finds(path, OPENING + '#include "base/limits.h"\n', "out of bounds")

    def test_a_system_header_outside_os(self):
        for path in ("core/shm/ring.h", "core/comch/server.cc", "core/include/comch/server.h"):
            self.finds(path, CLEAN[path] + "#include <sys/mman.h>\n", "system header")
            self.finds(path, CLEAN[path] + "#  include <unistd.h>\n", "system header")

    def test_a_library_outside_its_room(self):
        self.includes("core/shm/ring.h", "<toml++/toml.h>")
        self.includes("core/comch/server.cc", "<infiniband/verbs.h>")

    def test_a_file_without_an_opening_comment(self):
        self.finds("core/base/limits.h", "#include <cstdint>\n", "opens without")
        self.finds("core/base/limits.h", "// limits.h\n", "opens without")
        self.finds("tests/run", "#!/bin/sh\ntrue\n", "opens without")
        self.finds("tests/a.py", "import os\n", "opens without")

    def test_unfinished_work(self):
        for word in ("TO" "DO", "FIX" "ME", "X" "XX"):
            self.finds("README.md", f"Words.\n{word}: more words.\n", "unfinished")

    def test_an_atomic_access_without_its_edge(self):
        access = "tail.store(1, std::memory_order_release);\n"
        for unsaid in ("", "// Says the number.\n", OPENING + "// DATA: too far up.\n" + "\n" * 7):
            self.finds("core/shm/ring.h", OPENING + unsaid + access, "names its edge")
        for access in ("flag.compare_exchange_weak(old, 1,\n  std::memory_order_acquire);\n",
                       "std::atomic_thread_fence(std::memory_order_seq_cst);\n",
                       "flag.load();\n"):
            self.finds("core/shm/ring.h", OPENING + access, "names its edge")

    def test_a_source_without_a_test_of_its_name(self):
        self.finds("core/shm/lane.h", OPENING, "no lane_test.cc under tests/unit/shm/")
        self.finds("core/os/ring.cc", OPENING, "no ring_test.cc under tests/unit/os/")

    def test_a_reason_that_is_no_longer_needed(self):
        self.finds("tests/tidy/untested.txt", "core/base/limits: why\ncore/base/gone: why\n", "gone")
        status, lines = self.tidy({"tests/unit/base/limits_test.cc": OPENING})
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn("take it out", lines[0])

    def test_control_characters(self):
        for text in ("a\x07b", "a\u202eb", "\ufeffa", "a\x85b", "a\u200bb", "line\r"):
            self.finds("README.md", text + "\n", "control character")

    def test_a_path_of_one_machine(self):
        for path in ("/wor" "k/main", "/tmp/buil" "d-x"):
            self.finds("README.md", f"See {path} there.\n", "path of one machine")
        self.assertEqual(self.tidy({"README.md": "net" "work/x and a/wor" "k/b\n"})[0], 0)

    def test_a_long_file_is_a_warning_and_a_longer_one_a_fault(self):
        text = CLEAN["core/base/limits.h"]
        status, lines = self.tidy({"core/base/limits.h": text + "\n" * 350})
        self.assertEqual((status, len(lines)), (0, 1), lines)
        self.assertIn("warning: 352 lines", lines[0])
        self.finds("core/base/limits.h", text + "\n" * 450, "split it")

    def test_what_is_built_is_not_read(self):
        self.assertEqual(self.tidy({"build/x.h": "no opening\n", ".git/x.h": "no opening\n"}),
                         (0, []))


if __name__ == "__main__":
    unittest.main()
