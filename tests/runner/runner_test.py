"""Shows that the runner counts right, and that no way for a test to go wrong looks like success.

Plays meson with a program that lists tests of our own (shell scripts), and reads what
run_suite.py and summary.py make of them.
"""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
REPORT = """<testsuites><testsuite name='S'>
<testcase name='Passes' status='run' result='completed' classname='S'/>
<testcase name='AlsoPasses' status='run' result='completed' classname='S'/>
<testcase name='Filtered' status='notrun' result='suppressed' classname='S'/>
{}</testsuite></testsuites>"""
FAILED = "<testcase name='Fails' status='run' classname='S'><failure message='no'/></testcase>"
SKIPPED = ("<testcase name='Skips' status='run' result='skipped' classname='S'>"
           "<skipped message='a_test.cc:1&#x0A;{}'/></testcase>")


def gtest(cases, code=0):
    """A script that does what a GoogleTest program does with GTEST_OUTPUT."""
    return f'cat >"${{GTEST_OUTPUT#xml:}}" <<"E"\n{REPORT.format(cases)}\nE\nexit {code}'


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.results = self.path("results")
        open(self.results, "w", encoding="utf-8").close()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def script(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(self.path(name), stat.S_IRWXU)
        return self.path(name)

    def run_suite(self, tests, *arguments, **variables):
        """Runs {name: (script, fields of meson)}; gives (printed, {name: result row})."""
        listed = [{"name": name, "suite": ["comch:unit"], "cmd": [self.script(name, text)],
                   "env": {}, "workdir": None, "timeout": 20, "is_parallel": True, "priority": 0,
                   "protocol": "exitcode", **fields} for name, (text, fields) in tests.items()]
        self.script("meson", f"cat <<'E'\n{json.dumps(listed)}\nE")
        self.done = subprocess.run(
            [sys.executable, os.path.join(HERE, "run_suite.py"), self.directory.name,
             "--stage", "gcc", "--results", self.results, "--logs", self.path("logs"),
             *(arguments or ("--suite", "unit"))],
            check=False, capture_output=True, text=True,
            env={**os.environ, "PATH": self.directory.name + ":" + os.environ["PATH"],
                 "COMCH_TEST_SEED": "7", "COMCH_TEST_BUDGET": "", **variables})
        with open(self.results, encoding="utf-8") as file:
            rows = {row["test"]: row for row in map(json.loads, file)}
        return self.done.stdout, rows

    def one(self, text, **fields):
        printed, rows = self.run_suite({"only": (text, fields)})
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        row = rows["only"]
        return row["passed"], [why for _, why in row["failed"]], len(row["skipped"]), printed

    def fails(self, text, words, passed=0, **fields):
        count, failed, _, printed = self.one(text, **fields)
        self.assertEqual((count, len(failed)), (passed, 1), printed)
        self.assertIn(words, failed[0])
        self.assertIn("tests/run --again 'gcc:only", printed)
        return printed

    def summary(self, status=0):
        done = subprocess.run([sys.executable, os.path.join(HERE, "summary.py"), self.results,
                               str(status)], check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()[-1], done.stdout

    def test_a_plain_program_is_one_case(self):
        self.assertEqual(self.one("true")[:3], (1, [], 0))

    def test_gtest_cases_are_counted_and_filtered_ones_are_not(self):
        self.assertEqual(self.one(gtest(""))[:3], (2, [], 0))

    def test_a_failed_case_is_named_with_the_command_that_runs_it_again(self):
        log = "echo '[ RUN      ] S.Passes'; echo quiet; echo '[ RUN      ] S.Fails'; echo loud; "
        printed = self.fails(log + gtest(FAILED, 1), "an expectation failed", passed=2)
        self.assertIn("COMCH_TEST_SEED=7 tests/run --again 'gcc:only:S.Fails'", printed)
        self.assertIn("| loud", printed)
        self.assertNotIn("quiet", printed)

    def test_a_skip_says_why_and_one_that_does_not_is_a_failure(self):
        passed, failed, skipped, printed = self.one(gtest(SKIPPED.format("no device here")))
        self.assertEqual((passed, failed, skipped), (2, [], 1))
        self.assertIn("skipped S.Skips: no device here", printed)
        self.fails(gtest(SKIPPED.format("")), "skipped without a reason", passed=2)
        self.assertIn("skipped only: no kernel", self.one("echo no kernel; exit 77")[3])

    def test_good_cases_do_not_hide_a_bad_end(self):
        self.fails(gtest("", 1), "exit code 1", passed=2)
        self.fails(gtest("").replace("exit 0", "kill -SEGV $$"), "ended by signal 11")

    def test_a_crash_counts_what_had_passed_and_names_what_ran(self):
        text = ("echo '[==========] Running'; echo '[ RUN      ] S.A'; echo '[       OK ] S.A';"
                "echo '[ RUN      ] S.B'; kill -ABRT $$")
        printed = self.fails(text, "ended by signal 6", passed=1)
        self.assertIn("'gcc:only:S.B'", printed)

    def test_a_gtest_program_that_exits_early_is_a_failure(self):
        self.fails("echo '[==========] Running'; exit 0", "without its report")

    def test_a_gtest_program_without_a_test_is_a_failure(self):
        self.fails('echo "<testsuites/>" >"${GTEST_OUTPUT#xml:}"', "ran no test")

    def test_a_program_that_is_not_there_is_a_failure(self):
        self.fails("", "exit code 127", cmd=["/nonexistent/program"])

    def test_tap_lines_are_cases(self):
        self.assertEqual(self.one("echo 'ok 1 - a'; echo 'ok 2 - b # SKIP no'; echo 1..2",
                                  protocol="tap")[:3], (1, [], 1))
        self.fails("echo 'ok 1'; echo 'not ok 2 - b'; exit 1", "not ok", passed=1, protocol="tap")
        self.fails("echo words", "no line says ok", protocol="tap")

    def test_what_a_tap_case_says_of_its_failure_is_shown_and_not_what_others_say(self):
        text = ("echo 'ok - a'; echo '# a took long'; echo 'not ok - b'; echo 'ok - c';"
                "echo '# b is broken'; echo 'ok - d'; echo '# d took long'; exit 1")
        printed = self.fails(text, "not ok", passed=3, protocol="tap")
        self.assertIn("  | not ok - b\n  | # b is broken\n  ---- again", printed)

    def test_a_hang_ends_at_the_timeout_and_says_where(self):
        printed = self.fails("sleep 100 & wait", "still running after", timeout=1)
        self.assertIn("sleep 100", printed)

    def test_a_budget_of_its_own_lengthens_the_timeout(self):
        test = {"only": ("sleep 5", {"timeout": 1})}
        self.assertEqual(self.run_suite(test, COMCH_TEST_BUDGET="0.1")[1]["only"]["passed"], 1)

    def test_what_a_test_leaves_is_a_failure_and_is_taken_away(self):
        pid = self.path("pid")
        self.fails(f"(sleep 100 & echo $! >{pid}); true", "sleep 100")
        with open(pid, encoding="utf-8") as file:
            self.assertFalse(os.path.exists(f"/proc/{file.read().strip()}"))
        self.fails('touch "$TMPDIR/forgotten"', "file tmp/forgotten")
        self.fails('touch "$COMCH_RUNTIME_DIR/echo.sock"', "file run/echo.sock")

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_a_mount_left_is_a_failure_and_is_taken_away(self):
        able = subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True)
        if able.returncode != 0:
            self.skipTest("this root may not mount")
        where = self.path("where")
        self.fails('mkdir "$TMPDIR/m"; mount -t tmpfs none "$TMPDIR/m"; '
                   f'echo "$TMPDIR/m" >{where}', "mount on")
        with open(where, encoding="utf-8") as file:
            mount_point = file.read().strip()
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            self.assertNotIn(f" {mount_point} ", file.read())

    def test_a_test_has_the_environment_meson_gives_it_and_what_was_there(self):
        count, failed, _, printed = self.one('test "$WORD" = hello && command -v true',
                                             env={"WORD": "hello", "PATH": "/nonexistent"})
        self.assertEqual((count, failed), (1, []), printed)

    def test_another_user_gets_to_the_directories_of_a_test(self):
        self.assertEqual(self.one('ls -ld "$TMPDIR/.." | grep -q "^drwxr-xr-x"')[0], 1)

    def test_tests_do_not_share_directories(self):
        printed, rows = self.run_suite({name: ('test -z "$(ls "$TMPDIR" "$COMCH_RUNTIME_DIR" | '
                                               'grep mark)" && touch "$TMPDIR/mark" && '
                                               'sleep 0.3; rm "$TMPDIR/mark"', {})
                                        for name in "abcd"})
        self.assertEqual([row["passed"] for row in rows.values()], [1] * 4, printed)

    def test_tests_that_are_not_parallel_run_alone_but_guests_in_pairs(self):
        meets = "touch {0}/{1}; until [ -e {0}/{2} ]; do sleep 0.01; done"
        alone = f"mkdir {self.path('busy')} && sleep 0.1 && rmdir {self.path('busy')}"
        rows = self.run_suite(
            {"one": (alone, {"is_parallel": False}),
             "another": (alone, {"is_parallel": False}),
             "guest": (meets.format(self.directory.name, "a", "b"),
                       {"is_parallel": False, "suite": ["comch:rdma"]}),
             "other guest": (meets.format(self.directory.name, "b", "a"),
                             {"is_parallel": False, "suite": ["comch:rdma"]})},
            "--suite", "unit", "--suite", "rdma", "--jobs", "8")[1]
        self.assertEqual([row["passed"] for row in rows.values()], [1, 1, 1, 1], rows)

    def test_a_slow_build_gets_more_time_and_says_so(self):
        printed, rows = self.run_suite({"slow": ('sleep 4; test "$COMCH_TEST_SLOWDOWN" = 8',
                                                 {"timeout": 1})},
                                       "--suite", "unit", "--slowdown", "8")
        self.assertEqual(rows["slow"]["passed"], 1, printed)

    def test_a_slow_machine_gets_more_time(self):
        printed, rows = self.run_suite({"slow": ("sleep 1.5", {"timeout": 1})})
        self.assertEqual(rows["slow"]["passed"], 1, printed)

    def test_only_the_suites_named_run_and_an_unknown_suite_is_an_error(self):
        _, rows = self.run_suite({"a": ("true", {}), "b": ("true", {"suite": ["comch:crash"]})})
        self.assertEqual(list(rows), ["a"])
        self.run_suite({"a": ("true", {"suite": ["comch:misc"]})})
        self.assertNotEqual(self.done.returncode, 0)
        self.assertIn("misc", self.done.stderr)

    def test_a_test_that_is_not_there_is_an_error(self):
        self.run_suite({"a": ("true", {})}, "--test", "b")
        self.assertNotEqual(self.done.returncode, 0)

    def test_the_closing_line_is_the_sum(self):
        self.run_suite({"good": (gtest(SKIPPED.format("why")), {}), "plain": ("true", {})})
        self.assertEqual(self.summary()[:2], (0, "3 passed, 0 failed, 1 skipped"))
        self.run_suite({"bad": (gtest(FAILED, 1), {})})
        status, closing, printed = self.summary()
        self.assertEqual((status, closing), (1, "5 passed, 1 failed, 1 skipped"))
        self.assertIn("tests/run --again 'gcc:bad:S.Fails'", printed)

    def test_a_run_that_broke_off_or_ran_nothing_failed(self):
        self.assertEqual(self.summary()[:2], (1, "0 passed, 1 failed, 0 skipped"))
        self.run_suite({"plain": ("true", {})})
        self.assertEqual(self.summary(status=130)[:2], (1, "1 passed, 1 failed, 0 skipped"))


if __name__ == "__main__":
    unittest.main()
