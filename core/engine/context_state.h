// The life of a context, as a table.
//
//           start, in progress         ready             stop or fatal, tasks out
//   kIdle --------------------> kStarting -----> kRunning ---------------------> kStopping
//     | |  start, at once                          ^  |                             |
//     | +------------------------------------------+  | stop, nothing outstanding   | all of it
//     |   <-------------------------------------------+                             | back
//     +--<--------------------------------------------------------------------------+
//
// Servers and producers start at once and never pass through kStarting; clients and
// consumers do. Nothing but advance() decides a state, and advance() knows nothing but
// this table: to read a transition is to read one line below.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "comch/context.h"

namespace comch::engine {

enum class ContextEvent : std::uint8_t { kStart, kReady, kStop, kFatal, kDrained };

inline constexpr std::array kContextStates{ContextState::kIdle, ContextState::kStarting,
                                           ContextState::kRunning, ContextState::kStopping};
inline constexpr std::array kContextEvents{ContextEvent::kStart, ContextEvent::kReady,
                                           ContextEvent::kStop, ContextEvent::kFatal,
                                           ContextEvent::kDrained};

struct Transition {
  ContextState from;
  ContextEvent event;
  ContextState to;
};

inline constexpr std::array kContextTransitions{
    Transition{ContextState::kIdle, ContextEvent::kStart, ContextState::kStarting},
    Transition{ContextState::kIdle, ContextEvent::kReady, ContextState::kRunning},
    Transition{ContextState::kStarting, ContextEvent::kReady, ContextState::kRunning},
    Transition{ContextState::kStarting, ContextEvent::kStop, ContextState::kStopping},
    Transition{ContextState::kStarting, ContextEvent::kFatal, ContextState::kStopping},
    Transition{ContextState::kRunning, ContextEvent::kDrained, ContextState::kIdle},
    Transition{ContextState::kRunning, ContextEvent::kStop, ContextState::kStopping},
    Transition{ContextState::kRunning, ContextEvent::kFatal, ContextState::kStopping},
    Transition{ContextState::kStopping, ContextEvent::kStop, ContextState::kStopping},
    Transition{ContextState::kStopping, ContextEvent::kFatal, ContextState::kStopping},
    Transition{ContextState::kStopping, ContextEvent::kDrained, ContextState::kIdle},
};

// The state after `event`, or nothing when the event has no meaning in `from`; the caller
// turns nothing into Errc::bad_state.
constexpr std::optional<ContextState> advance(ContextState from, ContextEvent event) {
  for (const Transition& line : kContextTransitions) {
    if (line.from == from && line.event == event) return line.to;
  }
  return std::nullopt;
}

static_assert(
    [] {
      for (const Transition& a : kContextTransitions) {
        int lines = 0;
        for (const Transition& b : kContextTransitions) {
          lines += a.from == b.from && a.event == b.event ? 1 : 0;
        }
        if (lines != 1) return false;
      }
      return true;
    }(),
    "two lines claim the same event in the same state");

// A fatal error is never lost on a context that has started.
static_assert([] {
  for (const ContextState state : kContextStates) {
    if (state != ContextState::kIdle &&
        advance(state, ContextEvent::kFatal) != ContextState::kStopping) {
      return false;
    }
  }
  return true;
}());

}  // namespace comch::engine
