// ContextCore: what start(), stop(), ready() and fatal() do and answer in each state.
#include "engine/context_core.h"

#include <gtest/gtest.h>

#include "base/ration.h"
#include "engine/engine.h"
#include "support/log_lines.h"
#include "unit/engine/fake_context.h"

namespace comch::engine {
namespace {

using enum ContextState;
using Changes = std::vector<std::pair<ContextState, ContextState>>;
using Calls = std::vector<std::string>;

struct ContextCoreTest : testing::Test {
  ContextCoreTest() { EXPECT_TRUE(engine->connect(context.core)); }

  void start_slowly() {
    core.at_once = false;
    ASSERT_EQ(core.start(), kStarting);
  }

  std::unique_ptr<Engine> engine = Engine::create().value();
  test::FakeContext context;
  test::FakeContext::Core& core = context.core;
};

TEST_F(ContextCoreTest, StartNeedsAnEngine) {
  test::FakeContext alone;
  EXPECT_EQ(alone.core.start().error().code, Errc::not_connected);
  EXPECT_TRUE(alone.core.calls.empty());
}

TEST_F(ContextCoreTest, StartChecksTheConfigurationFirst) {
  core.configuration = fail(Errc::bad_state, "a setting is missing");
  EXPECT_EQ(core.start().error().code, Errc::bad_state);
  EXPECT_TRUE(core.calls.empty());
  EXPECT_TRUE(core.idle());
}

TEST_F(ContextCoreTest, StartAnswersTheStateReached) {
  EXPECT_EQ(core.start(), kRunning);
  EXPECT_EQ(core.changes, (Changes{{kIdle, kRunning}}));
  EXPECT_EQ(core.start().error().code, Errc::bad_state);
}

TEST_F(ContextCoreTest, AStartInProgressIsFinishedByReady) {
  start_slowly();
  core.ready();
  EXPECT_EQ(core.changes, (Changes{{kIdle, kStarting}, {kStarting, kRunning}}));
}

TEST_F(ContextCoreTest, AFailedStartIsRememberedAndLeavesTheContextIdle) {
  core.at_once = fail(Errc::already_exist, "the name is taken");
  EXPECT_EQ(core.start().error().code, Errc::already_exist);
  EXPECT_TRUE(core.idle());
  EXPECT_TRUE(core.changes.empty());
  EXPECT_EQ(core.failure().error.code, Errc::already_exist);
  EXPECT_EQ(core.failure().text, "the name is taken");
}

TEST_F(ContextCoreTest, StopOfAnIdleContextIsRefused) {
  EXPECT_EQ(core.stop(true).error().code, Errc::bad_state);
  EXPECT_EQ(core.stop(false).error().code, Errc::bad_state);
  EXPECT_TRUE(core.calls.empty());
}

TEST_F(ContextCoreTest, StopWithNothingOutstandingIsIdleAtOnce) {
  ASSERT_TRUE(core.start());
  EXPECT_EQ(core.stop(true), kIdle);
  EXPECT_EQ(core.changes.back(), std::pair(kRunning, kIdle));
  EXPECT_EQ(core.calls, (Calls{"start", "stop", "idle"}));
}

TEST_F(ContextCoreTest, StopWithSomethingOutstandingIsFinishedByProgress) {
  ASSERT_TRUE(core.start());
  core.is_drained = false;
  EXPECT_EQ(core.stop(true), kStopping);
  engine->progress();
  EXPECT_EQ(core.state(), kStopping);
  core.is_drained = true;
  core.request_work();
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(core.changes, (Changes{{kIdle, kRunning}, {kRunning, kStopping}, {kStopping, kIdle}}));
}

TEST_F(ContextCoreTest, StopWhileStartingIsFinishedByProgress) {
  start_slowly();
  EXPECT_EQ(core.stop(true), kStopping);
  EXPECT_TRUE(engine->progress());
  EXPECT_TRUE(core.idle());
}

TEST_F(ContextCoreTest, ASecondStopChangesNothingAndAnAbortHurriesItUp) {
  ASSERT_TRUE(core.start());
  core.is_drained = false;
  ASSERT_TRUE(core.stop(true));
  EXPECT_EQ(core.stop(true), kStopping);
  EXPECT_EQ(core.stop(false), kStopping);
  EXPECT_EQ(core.calls, (Calls{"start", "stop", "abort"}));
  EXPECT_EQ(core.changes.size(), 2u) << "the second stop is no change of state";
}

TEST_F(ContextCoreTest, AFatalErrorStopsWhateverRunsAndSaysWhy) {
  start_slowly();
  core.fatal(Error{Errc::not_found}, "nobody is there");
  EXPECT_EQ(core.state(), kStopping);
  EXPECT_EQ(core.failure().error.code, Errc::not_found);
  EXPECT_EQ(core.calls.back(), "abort");
  EXPECT_TRUE(engine->progress());
  EXPECT_TRUE(core.idle());
  EXPECT_EQ(core.failure().text, "nobody is there") << "idle keeps the reason";
}

TEST_F(ContextCoreTest, AFatalErrorWhileStoppingIsNoSecondChange) {
  ASSERT_TRUE(core.start());
  core.is_drained = false;
  ASSERT_TRUE(core.stop(true));
  core.fatal(Error{Errc::connection_reset}, "the peer is lost");
  EXPECT_EQ(core.changes.size(), 2u);
  EXPECT_EQ(core.failure().error.code, Errc::connection_reset);
}

TEST_F(ContextCoreTest, ANewStartForgetsTheFormerFailure) {
  ASSERT_TRUE(core.start());
  core.fatal(Error{Errc::connection_reset}, "the peer is lost");
  ASSERT_TRUE(engine->progress());
  ASSERT_TRUE(core.start());
  EXPECT_TRUE(core.failure().text.empty());
}

TEST_F(ContextCoreTest, ManyFailuresOfOneSortHideNoOther) {
  const test::LogLines log;
  const auto fail_of = [&](const char* text) {
    ASSERT_TRUE(core.start());
    core.fatal(Error{Errc::connection_reset}, text);
    ASSERT_TRUE(engine->progress());
  };
  for (int i = 0; i < 100; ++i) fail_of("the peer is lost");
  EXPECT_EQ(log.lines.size(), Ration::kLines);
  fail_of("the server is full");
  EXPECT_EQ(log.lines.back(), "the server is full");
}

TEST_F(ContextCoreTest, AStateHandlerMayStopAndStartTheContext) {
  int rounds = 0;
  core.on_state_changed = [&](Context& face, ContextState, ContextState now) {
    if (now == kRunning) {
      EXPECT_EQ(face.stop(), kIdle);
    } else if (now == kIdle && ++rounds < 3) {
      EXPECT_TRUE(face.start());
    }
  };
  EXPECT_EQ(core.start(), kIdle) << "the answer is the state that was reached in the end";
  EXPECT_EQ(rounds, 3);
}

TEST_F(ContextCoreTest, AContextThatIsDestroyedLeavesItsEngine) {
  {
    test::FakeContext other;
    ASSERT_TRUE(engine->connect(other.core));
    ASSERT_TRUE(other.core.start());
    other.core.request_work();
    EXPECT_TRUE(engine->has_contexts());
  }
  EXPECT_FALSE(engine->progress());
}

TEST_F(ContextCoreTest, AnEngineThatGoesCutsItsContextsOffWithoutACallback) {
  ASSERT_TRUE(core.start());
  core.is_drained = false;
  ASSERT_TRUE(core.stop(true));
  core.changes.clear();
  engine.reset();
  EXPECT_TRUE(core.idle());
  EXPECT_TRUE(core.changes.empty());
  EXPECT_EQ(core.calls.back(), "cut off");
  EXPECT_EQ(context.progress_engine(), nullptr);
  EXPECT_EQ(core.start().error().code, Errc::not_connected);
}

}  // namespace
}  // namespace comch::engine
