// ContextState: every event in every state, against a table written a second time.
#include "engine/context_state.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::engine {
namespace {

constexpr std::optional<ContextState> kNothing;
constexpr std::optional kIdle = ContextState::kIdle;
constexpr std::optional kStarting = ContextState::kStarting;
constexpr std::optional kRunning = ContextState::kRunning;
constexpr std::optional kStopping = ContextState::kStopping;

// Rows are states, columns events, in the order of their declarations.
constexpr std::array<std::array<std::optional<ContextState>, 5>, 4> kExpected{{
    // start     ready     stop       fatal      drained
    {kStarting, kRunning, kNothing, kNothing, kNothing},   // idle
    {kNothing, kRunning, kStopping, kStopping, kNothing},  // starting
    {kNothing, kNothing, kStopping, kStopping, kIdle},     // running
    {kNothing, kNothing, kStopping, kStopping, kIdle},     // stopping
}};

TEST(ContextStateTest, EveryEventInEveryStateLeadsWhereTheTableSays) {
  for (const ContextState from : kContextStates) {
    for (const ContextEvent event : kContextEvents) {
      const auto row = static_cast<std::size_t>(from);
      const auto column = static_cast<std::size_t>(event);
      EXPECT_EQ(advance(from, event), kExpected[row][column])
          << "state " << row << ", event " << column;
    }
  }
}

TEST(ContextStateTest, EveryStateCanReachIdle) {
  for (const ContextState from : kContextStates) {
    ContextState state = from;
    for (const ContextEvent event : {ContextEvent::kStop, ContextEvent::kDrained}) {
      state = advance(state, event).value_or(state);
    }
    EXPECT_EQ(state, ContextState::kIdle);
  }
}

}  // namespace
}  // namespace comch::engine
