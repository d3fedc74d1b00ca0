// What ChildProcess, Gate and run_program promise.
#include "support/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "support/process_counters.h"

namespace comch::test {
namespace {

Deadline soon() { return Deadline(std::chrono::milliseconds(50)); }

TEST(ChildProcessTest, EndsWithTheValueOfItsBody) {
  EXPECT_EQ(ChildProcess::run([] { return 7; }).wait(), Exit::with(7));
}

TEST(ChildProcessTest, SaysThatAnExpectationFailedInTheChild) {
  ChildProcess child = ChildProcess::run([] {
    ::close(STDOUT_FILENO);  // The planted failure is not for the log of this test.
    ADD_FAILURE() << "planted";
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(ChildProcess::kExpectationFailed));
}

TEST(ChildProcessTest, SaysThatTheBodyThrew) {
  ChildProcess child = ChildProcess::run([]() -> int {
    ::close(STDERR_FILENO);
    throw std::runtime_error("planted");
  });
  EXPECT_EQ(child.wait(), Exit::with(ChildProcess::kThrew));
}

TEST(ChildProcessTest, WaitEndsAtItsDeadlineAndKillAtTheSignal) {
  ChildProcess child = ChildProcess::run([] { return ::pause(); });
  EXPECT_EQ(child.wait(soon()), std::nullopt);
  child.kill(SIGKILL);
  EXPECT_EQ(child.wait(), Exit::by_signal(SIGKILL));
  EXPECT_EQ(child.wait(), Exit::by_signal(SIGKILL)) << "the answer can be had twice";
}

TEST(ChildProcessTest, AProgramCanBeInterruptedWhereTheTestsCannot) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
    const auto before = std::signal(signal, SIG_IGN);
    const std::string itself = "ulimit -c 0; kill -s " + std::to_string(signal) + " $$";
    ChildProcess program = ChildProcess::exec({"sh", "-c", itself});
    std::signal(signal, before);
    EXPECT_EQ(program.wait(), Exit::by_signal(signal));
  }
}

TEST(ChildProcessTest, DoesNotOutliveItsObject) {
  {
    const ChildProcess child = ChildProcess::run([] { return ::pause(); });
  }
  EXPECT_TRUE(children().empty());
}

TEST(ChildProcessTest, TheFormerChildEndsWhenAnotherTakesItsPlace) {
  ChildProcess child = ChildProcess::run([] { return ::pause(); });
  const pid_t former = child.pid();
  child = ChildProcess::run([] { return 3; });
  EXPECT_TRUE(open_descriptors(former).empty());
  EXPECT_EQ(child.wait(), Exit::with(3));
}

TEST(ChildProcessTest, DiesWithItsParent) {
  Gate ended;
  ChildProcess parent = ChildProcess::run([&] {
    ChildProcess grandchild = ChildProcess::run([] { return ::pause(); });
    ended.open();
    return ::pause();
  });
  ASSERT_TRUE(ended.wait());
  const std::vector<pid_t> grandchildren = children(parent.pid());
  ASSERT_EQ(grandchildren.size(), 1U);
  parent.kill(SIGKILL);
  EXPECT_EQ(parent.wait(), Exit::by_signal(SIGKILL));
  EXPECT_TRUE(eventually([&] { return open_descriptors(grandchildren[0]).empty(); }));
}

TEST(GateTest, EachOpenLetsOneWaitThrough) {
  Gate gate;
  EXPECT_FALSE(gate.wait(soon()));
  ChildProcess child = ChildProcess::run([&] {
    gate.open();
    gate.open();
    return 0;
  });
  EXPECT_TRUE(gate.wait());
  EXPECT_TRUE(gate.wait());
  EXPECT_FALSE(gate.wait(soon()));
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST(RunProgramTest, GivesOutputAndExitOfAProgram) {
  const auto result = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, Exit::with(3));
  EXPECT_EQ(result->output, "out\nerr\n");
}

TEST(RunProgramTest, KillsAProgramThatOutstaysItsDeadline) {
  EXPECT_FALSE(run_program({"sh", "-c", "exec sleep 100"}, soon()));
  EXPECT_TRUE(children().empty());
}

TEST(RunProgramTest, AProgramThatIsNotThereIsExit127) {
  const auto result = run_program({"/nonexistent/program"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, Exit::with(127));
}

}  // namespace
}  // namespace comch::test
