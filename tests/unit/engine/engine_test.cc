// Engine: in which order one progress() works, how often it asks the kernel, how it sleeps.
#include "engine/engine.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <stdexcept>
#include <string>

#include "os/clock.h"
#include "os/syscalls.h"
#include "unit/engine/fake_context.h"

namespace comch::engine {
namespace {

using Calls = std::vector<std::string>;

// Everything an engine can be asked to look at; each writes into one log.
struct FakeWork final : Source, transport::Readiness, transport::Alarm {
  explicit FakeWork(Calls& c) : calls(c) {}
  bool poll() override {
    calls.emplace_back("source");
    return std::exchange(busy, false);
  }
  bool arm() override {
    armed = true;
    ++arms;
    return false;
  }
  bool ready() override { return busy; }
  void disarm() override { armed = false; }
  void relax() override {}
  void on_readable() override {
    calls.emplace_back("kernel");
    event.drain();
  }
  void on_alarm() override { calls.emplace_back("alarm"); }

  Calls& calls;
  bool busy = false;
  bool armed = false;
  int arms = 0;
  os::Event event = os::Event::create().value();
};

struct EngineTest : testing::Test {
  ~EngineTest() override {
    engine->clear_alarm(work);
    engine->unwatch(work.event.fd().get());
    engine->remove(work);
  }

  bool readable() const {
    pollfd look{.fd = engine->event_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, 0) == 1;
  }

  std::unique_ptr<Engine> engine = Engine::create().value();
  Calls calls;
  FakeWork work{calls};
};

TEST_F(EngineTest, ProgressLooksAtMemoryThenAsksTheKernelThenLooksAtWhatThatBrought) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context.core));
  context.core.working = [&] { calls.emplace_back("context"); };
  ASSERT_TRUE(engine->watch(work.event.fd().get(), work));
  work.event.signal();
  engine->set_alarm(work, 0);
  context.core.request_work();
  engine->make_hot(work);
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(calls, (Calls{"context", "source", "kernel", "alarm", "source"}));
}

TEST_F(EngineTest, WhoWasWokenByNewsInMemoryHasThemBeforeTheKernelIsAskedWhyItWoke) {
  ASSERT_TRUE(engine->watch(work.event.fd().get(), work));
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  work.busy = true;
  work.event.signal();
  ASSERT_TRUE(engine->clear_notification());
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(calls, Calls{"source"});
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(calls, (Calls{"source", "source", "kernel", "source"}));
}

TEST_F(EngineTest, WhoWasWokenByNewsInMemoryHasThemBeforeItsSourcesAreDisarmed) {
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  work.busy = true;
  ASSERT_TRUE(engine->clear_notification());
  EXPECT_TRUE(engine->progress());
  EXPECT_TRUE(work.armed) << "the news come first";
  EXPECT_FALSE(engine->progress());
  EXPECT_FALSE(work.armed);
}

TEST_F(EngineTest, NewsThatDoNotEndKeepNoSourceArmed) {
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  ASSERT_TRUE(engine->clear_notification());
  for (int call = 1; call <= 2; ++call) {
    work.busy = true;
    EXPECT_TRUE(engine->progress());
  }
  EXPECT_FALSE(work.armed);
}

TEST_F(EngineTest, WhoWasWokenByNothingDisarmsItsSourcesAtOnce) {
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  ASSERT_TRUE(engine->clear_notification());
  EXPECT_FALSE(engine->progress());
  EXPECT_FALSE(work.armed);
}

// One that was rung is not rung again before it is armed anew.
TEST_F(EngineTest, ARequestBehindOneThatWasTakenBackArmsAnew) {
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  ASSERT_TRUE(engine->clear_notification());
  ASSERT_TRUE(engine->request_notification());
  EXPECT_EQ(work.arms, 2);
  EXPECT_TRUE(work.armed);
  ASSERT_TRUE(engine->clear_notification());
  work.busy = true;
  EXPECT_TRUE(engine->progress());
  ASSERT_TRUE(engine->request_notification());
  EXPECT_EQ(work.arms, 3);
}

TEST_F(EngineTest, WhoWasWokenByTheKernelAloneHearsOfItAtOnce) {
  ASSERT_TRUE(engine->watch(work.event.fd().get(), work));
  engine->make_hot(work);
  ASSERT_TRUE(engine->request_notification());
  work.event.signal();
  ASSERT_TRUE(engine->clear_notification());
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(calls, (Calls{"source", "kernel", "source"}));
}

TEST_F(EngineTest, AnIdleEngineDoesNothing) {
  EXPECT_FALSE(engine->progress());
  EXPECT_FALSE(engine->wait(std::chrono::milliseconds(1), {}));
  ASSERT_TRUE(engine->request_notification());
  EXPECT_FALSE(readable());
}

TEST_F(EngineTest, AContextThatAsksForWorkWhileWorkingHasItInTheNextCall) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context.core));
  context.core.working = [&] { context.core.request_work(); };
  context.core.request_work();
  engine->progress();
  EXPECT_EQ(context.core.calls, Calls{"work"});
  engine->progress();
  EXPECT_EQ(context.core.calls, (Calls{"work", "work"}));
}

TEST_F(EngineTest, ProgressInsideACallbackAnswersFalse) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context.core));
  bool inner = true;
  bool waited = true;
  context.core.working = [&] {
    inner = engine->progress();
    waited = engine->wait(std::chrono::hours(1), {});
  };
  context.core.request_work();
  engine->progress();
  EXPECT_FALSE(inner);
  EXPECT_FALSE(waited);
}

TEST_F(EngineTest, AnExceptionThatLeavesACallbackLeavesAnEngineThatWorks) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context.core));
  int calls = 0;
  context.core.working = [&] {
    if (++calls == 1) throw std::runtime_error("once");
  };
  context.core.request_work();
  EXPECT_THROW(engine->progress(), std::runtime_error);
  context.core.request_work();
  engine->progress();
  EXPECT_EQ(calls, 2);
}

// Each line: what happens, before or behind the request for a notification.
TEST_F(EngineTest, EveryKindOfNewsMakesTheDescriptorReadableBeforeOrAfterTheRequest) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context.core));
  ASSERT_TRUE(engine->watch(work.event.fd().get(), work));
  const std::vector<std::pair<const char*, std::function<void()>>> news{
      {"a descriptor", [&] { work.event.signal(); }},
      {"an alarm", [&] { engine->set_alarm(work, 0); }},
      {"a context", [&] { context.core.request_work(); }},
      {"a source",
       [&] {
         work.busy = true;
         engine->make_hot(work);
       }},
  };
  for (const auto& [what, happens] : news) {
    happens();
    EXPECT_TRUE(engine->request_notification());
    EXPECT_TRUE(readable()) << what << " before the request";
    EXPECT_TRUE(engine->clear_notification());
    while (engine->progress()) {
    }
    EXPECT_TRUE(engine->request_notification());
    EXPECT_FALSE(readable()) << what << " is over";
    happens();
    EXPECT_TRUE(readable()) << what << " after the request";
    EXPECT_TRUE(engine->clear_notification());
    while (engine->progress()) {
    }
  }
}

TEST_F(EngineTest, WaitSleepsUntilAnAlarmIsDue) {
  const std::uint64_t start = engine->now_ns();
  engine->set_alarm(work, start + 5'000'000);
  EXPECT_TRUE(engine->wait(std::chrono::hours(1), {}));
  EXPECT_GE(engine->now_ns() - start, 5'000'000u);
  EXPECT_EQ(calls, Calls{"alarm"});
}

TEST_F(EngineTest, AnEarlierAlarmMovesTheWakeUpForward) {
  FakeWork later(calls);
  engine->set_alarm(later, engine->now_ns() + 3'600'000'000'000);
  EXPECT_TRUE(engine->request_notification());
  EXPECT_FALSE(readable());
  engine->set_alarm(work, 0);
  EXPECT_TRUE(readable());
  engine->clear_alarm(later);
}

// The timer has gone off and been heard; that it was set to this very moment is history.
TEST_F(EngineTest, AnAlarmThatIsDueWhenTheLastOneWasWakesToo) {
  for (int time = 1; time <= 2; ++time) {
    engine->set_alarm(work, 1);
    EXPECT_TRUE(engine->request_notification());
    ASSERT_TRUE(readable()) << "time " << time;
    EXPECT_TRUE(engine->clear_notification());
    EXPECT_TRUE(engine->progress());
    EXPECT_EQ(calls, Calls(static_cast<std::size_t>(time), "alarm"));
  }
}

// A clock that moves only when the test says so, and how often the kernel was asked.
std::uint64_t test_clock_ns = 0;
int looks = 0;
const os::Syscalls& with_test_clock() {
  static const os::Syscalls table = [] {
    os::Syscalls rigged = os::kKernel;
    rigged.clock_gettime = [](clockid_t, timespec* now) {
      *now = {.tv_sec = static_cast<time_t>(test_clock_ns / 1'000'000'000),
              .tv_nsec = static_cast<long>(test_clock_ns % 1'000'000'000)};
      return 0;
    };
    rigged.epoll_wait = [](int fd, epoll_event* events, int count, int timeout_ms) {
      ++looks;
      return os::kKernel.epoll_wait(fd, events, count, timeout_ms);
    };
    rigged.epoll_pwait2 = [](int fd, epoll_event* events, int count, const timespec* timeout) {
      ++looks;
      return os::kKernel.epoll_pwait2(fd, events, count, timeout);
    };
    return rigged;
  }();
  return table;
}

struct EngineClockTest : EngineTest {
  void SetUp() override { ASSERT_TRUE(engine->watch(work.event.fd().get(), work)); }

  void loop(int count, std::uint64_t apart_ns) {
    for (int n = 0; n < count; ++n) {
      test_clock_ns += apart_ns;
      engine->progress();
    }
  }
  // Calls of progress(), `apart_ns` from each other, until the kernel's news was told.
  int calls_until_told(std::uint64_t apart_ns) {
    calls.clear();
    work.event.signal();
    int n = 0;
    for (; calls.empty() && n < 1'000'000; ++n) loop(1, apart_ns);
    return n;
  }
  os::ScopedSyscalls rigged{with_test_clock()};
};

TEST_F(EngineClockTest, ABusyLoopAsksAKernelWithoutNewsAboutEveryHundredMicroseconds) {
  loop(100'000, 10);
  const int before = looks;
  loop(100'000, 10);
  EXPECT_LE(looks - before, 10);
  EXPECT_LT(calls_until_told(10) * 10, 101'000);
}

TEST_F(EngineClockTest, ABusyLoopAsksAKernelWithNewsAboutEveryTwentyMicroseconds) {
  loop(100'000, 10);
  calls_until_told(10);
  for (int n = 0; n < 10; ++n) EXPECT_LT(calls_until_told(10) * 10, 2 * 20'000 + 10);
}

TEST_F(EngineClockTest, ASlowLoopAsksTheKernelEveryTime) {
  for (const std::uint64_t apart_ns : {1'000'000U, 100'000U}) {
    loop(100, apart_ns);
    EXPECT_EQ(calls_until_told(apart_ns), 1) << apart_ns;
  }
}

// As one that copies a megabyte in each, of which a look at every call would be a twentieth.
TEST_F(EngineClockTest, ALoopOfSomeTensOfMicrosecondsAsksAKernelWithoutNewsNotEveryTime) {
  loop(100, 30'000);
  const int before = looks;
  loop(100, 30'000);
  EXPECT_LE(looks - before, 30);
  EXPECT_LT(calls_until_told(30'000) * 30, 2 * 100 + 30);
  EXPECT_EQ(calls_until_told(30'000), 1) << "which has news";
}

TEST_F(EngineClockTest, ABusyLoopThatBecomesSlowSoonAsksTheKernelEveryTime) {
  loop(100'000, 10);
  EXPECT_LE(calls_until_told(10'000'000), 100) << "a second, of a program that draws frames";
  EXPECT_EQ(calls_until_told(10'000'000), 1);
}

}  // namespace
}  // namespace comch::engine
