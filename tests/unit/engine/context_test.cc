// Context: the public face says what stands behind it.
#include "comch/context.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "unit/engine/fake_context.h"

namespace comch {
namespace {

TEST(ContextTest, EveryStateHasItsWord) {
  EXPECT_EQ(name(ContextState::kIdle), "idle");
  EXPECT_EQ(name(ContextState::kStarting), "starting");
  EXPECT_EQ(name(ContextState::kRunning), "running");
  EXPECT_EQ(name(ContextState::kStopping), "stopping");
}

TEST(ContextTest, UserDataIsHandedBackUnchanged) {
  test::FakeContext context;
  EXPECT_EQ(context.user_data().value, 0u);
  context.set_user_data({.pointer = &context});
  EXPECT_EQ(context.user_data().pointer, &context);
}

TEST(ContextTest, TheFaceTellsTheLifeOfTheContext) {
  auto engine = engine::Engine::create().value();
  test::FakeContext context;
  EXPECT_EQ(context.progress_engine(), nullptr);
  ASSERT_TRUE(static_cast<ProgressEngine&>(*engine).connect(context));
  EXPECT_EQ(context.progress_engine(), engine.get());
  EXPECT_EQ(context.start(), ContextState::kRunning);
  context.core.task_submitted();
  EXPECT_EQ(context.tasks_in_flight(), 1u);
  EXPECT_EQ(engine->tasks_in_flight(), 1u);
  context.core.is_drained = false;
  EXPECT_EQ(context.stop(), ContextState::kStopping);
  EXPECT_EQ(context.abort(), ContextState::kStopping);
  EXPECT_EQ(context.core.calls.back(), "abort");
  EXPECT_EQ(context.state(), ContextState::kStopping);
  EXPECT_TRUE(context.failure().text.empty());
}

}  // namespace
}  // namespace comch
