// ContextState: every event in every state, against a table written a second time.
#include "engine/context_state.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::engine {
namespace {

constexpr std::optional<ContextState> kNothing;
constexpr std::optional kToIdle = ContextState::kIdle;
constexpr std::optional kToStarting = ContextState::kStarting;
constexpr std::optional kToRunning = ContextState::kRunning;
constexpr std::optional kToStopping = ContextState::kStopping;

// Rows are states, columns events, in the order of their declarations.
constexpr std::array<std::array<std::optional<ContextState>, 5>, 4> kExpected{{
    // start     ready     stop       fatal      drained
    {kToStarting, kToRunning, kNothing, kNothing, kNothing},     // idle
    {kNothing, kToRunning, kToStopping, kToStopping, kNothing},  // starting
    {kNothing, kNothing, kToStopping, kToStopping, kToIdle},     // running
    {kNothing, kNothing, kToStopping, kToStopping, kToIdle},     // stopping
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
