// ProgressEngine: the public calls, as progress_engine.h promises them.
#include "comch/progress_engine.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <string>

#include "unit/engine/fake_context.h"
#include "unit/os/rigged_syscalls.h"

namespace comch {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct ProgressEngineTest : testing::Test {
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
};

TEST_F(ProgressEngineTest, AContextHasOneEngineAndOnlyWhileIdle) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context));
  EXPECT_EQ(engine->connect(context).error().code, Errc::not_permitted);
  auto other = ProgressEngine::create().value();
  EXPECT_EQ(other->connect(context).error().code, Errc::not_permitted);
}

TEST_F(ProgressEngineTest, AnEngineWithContextsIsNotDestroyed) {
  {
    test::FakeContext context;
    ASSERT_TRUE(engine->connect(context));
    EXPECT_EQ(ProgressEngine::destroy(engine).error().code, Errc::in_use);
    EXPECT_NE(engine, nullptr);
  }
  EXPECT_TRUE(ProgressEngine::destroy(engine));
  EXPECT_EQ(engine, nullptr);
  EXPECT_EQ(ProgressEngine::destroy(engine).error().code, Errc::invalid_value);
}

TEST_F(ProgressEngineTest, AContextMayMoveToAnotherEngineWhenItsOwnIsGone) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context));
  ASSERT_TRUE(context.start());
  engine.reset();
  auto other = ProgressEngine::create().value();
  EXPECT_TRUE(other->connect(context));
  EXPECT_EQ(context.start(), ContextState::kRunning);
}

TEST_F(ProgressEngineTest, WhatACallbackPutsOffIsDoneAtTheEndOfItsProgress) {
  EXPECT_EQ(engine->after_progress([] { FAIL(); }).error().code, Errc::bad_state);
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context));
  ASSERT_TRUE(context.start());
  std::string order;
  context.core.working = [&] {
    order += "callback ";
    const auto again = [&] {
      EXPECT_EQ(engine->after_progress([] { FAIL(); }).error().code, Errc::bad_state);
      order += "first ";
    };
    EXPECT_TRUE(engine->after_progress(again));
    EXPECT_TRUE(engine->after_progress([&] { order += "second"; }));
    order += "returned ";
  };
  context.core.request_work();
  engine->progress();
  EXPECT_EQ(order, "callback returned first second");
  context.core.working = [] {};
  context.core.request_work();
  engine->progress();
  EXPECT_EQ(order, "callback returned first second") << "once";
}

TEST_F(ProgressEngineTest, WaitReturnsWhenTheTimeIsOver) {
  const auto start = Clock::now();
  EXPECT_FALSE(engine->wait(20ms));
  EXPECT_GE(Clock::now() - start, 20ms);
  EXPECT_FALSE(engine->wait(0ms, 0ms));
  EXPECT_FALSE(engine->wait(-1ms, -1ms)) << "a time that has passed already";
}

TEST_F(ProgressEngineTest, WaitReturnsAtOnceWhenThereIsSomethingToDo) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context));
  context.core.has_news = true;
  context.core.request_work();
  EXPECT_TRUE(engine->wait(1h));
}

TEST_F(ProgressEngineTest, ProgressTakesARequestBack) {
  test::FakeContext context;
  ASSERT_TRUE(engine->connect(context));
  ASSERT_TRUE(engine->request_notification());
  engine->progress();
  context.core.request_work();
  pollfd look{.fd = engine->event_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&look, 1, 0), 0) << "nobody asked for it any more";
  ASSERT_TRUE(engine->request_notification());
  EXPECT_EQ(::poll(&look, 1, 0), 1);
  EXPECT_TRUE(engine->clear_notification());
}

TEST_F(ProgressEngineTest, TasksInFlightAreThoseOfAllContexts) {
  test::FakeContext first;
  test::FakeContext second;
  ASSERT_TRUE(engine->connect(first));
  ASSERT_TRUE(engine->connect(second));
  first.core.task_submitted();
  second.core.task_submitted();
  second.core.task_submitted();
  EXPECT_EQ(engine->tasks_in_flight(), 3u);
  second.core.task_completed();
  EXPECT_EQ(engine->tasks_in_flight(), 2u);
}

TEST_F(ProgressEngineTest, AnEngineThatCannotBeMadeSaysSoWhicheverCallFails) {
  for (std::uint64_t nth = 1;; ++nth) {
    test::RiggedSyscalls rig({.nth = nth, .sys = EMFILE});
    const auto refused = ProgressEngine::create();
    if (!rig.reached()) break;
    ASSERT_FALSE(refused) << "call " << nth;
    EXPECT_EQ(refused.error().code, Errc::operating_system);
    EXPECT_EQ(refused.error().sys, EMFILE);
  }
}

}  // namespace
}  // namespace comch
