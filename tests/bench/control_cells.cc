// Control cells: the control path beside what it is measured by.
#include "bench/bare_pingpong.h"
#include "bench/bare_slot_ring.h"
#include "bench/comch_control.h"
#include "bench/many_connections.h"
#include "bench/plan.h"
#include "bench/seqpacket_pair.h"

namespace comch::bench {
namespace {

// For rates: a queue deep enough that neither side waits for the other's next look, of
// messages no longer than needed, so that the ring stays in the second-level cache.
ControlPlan deep(ControlPlan plan) {
  plan.max_message_size = 64;
  plan.queue = 1024;
  return plan;
}

// Far longer than wait() polls before it sleeps, so that every message finds a sleeper.
constexpr Duration kIdle = std::chrono::microseconds(200);

}  // namespace

std::vector<Cell> control_cells(const Options& options) {
  const Duration time = options.cell;
  const ControlPlan at_once{.duration = time};
  const ControlPlan by_task{.duration = time, .sending = Sending::kTask};
  const ControlPlan asleep{.duration = time, .waiting = Waiting::kSleep};
  const ControlPlan by_default{.duration = time, .waiting = Waiting::kDefault};
  const auto cell = [](const char* name, const char* unit, auto measure) {
    return Cell{.name = name, .unit = unit, .placed = true, .measure = measure};
  };
  return {
      cell("round trip 64 B: bare ping-pong", "ns",
           [=](const Pair& pair) { return bare_round_trip_ns(pair, time); }),
      cell("round trip 64 B: comch, try_send", "ns",
           [=](const Pair& pair) { return control_round_trip_ns(pair, at_once); }),
      cell("round trip 64 B: comch, tasks", "ns",
           [=](const Pair& pair) { return control_round_trip_ns(pair, by_task); }),
      cell("round trip 64 B: SEQPACKET, busy", "ns",
           [=](const Pair& pair) { return seqpacket_busy_ns(pair, time); }),
      cell("round trip 64 B: SEQPACKET, sleeping", "ns",
           [=](const Pair& pair) { return seqpacket_sleeping_ns(pair, time); }),
      cell("round trip 64 B: comch, sleeping", "ns",
           [=](const Pair& pair) { return control_round_trip_ns(pair, asleep); }),
      cell("wake and answer 64 B: SEQPACKET", "ns",
           [=](const Pair& pair) { return seqpacket_wake_ns(pair, kIdle, time); }),
      cell("wake and answer 64 B: comch", "ns",
           [=](const Pair& pair) { return control_wake_ns(pair, kIdle, by_default); }),
      cell("round trip 64 B: comch, among idle connections", "ns",
           [=, idle = options.idle_connections](const Pair& pair) {
             return crowded_round_trip_ns(pair, at_once, idle);
           }),
      cell("one way 64 B: bare slot ring", "M msg/s",
           [=](const Pair& pair) { return bare_rate(pair, time); }),
      cell("one way 64 B: comch, try_send", "M msg/s",
           [=](const Pair& pair) { return control_rate(pair, deep(at_once)); }),
      cell("one way 64 B: comch, tasks", "M msg/s",
           [=](const Pair& pair) { return control_rate(pair, deep(by_task)); }),
      cell("one way 64 B: comch, try_send, default queue", "M msg/s",
           [=](const Pair& pair) { return control_rate(pair, at_once); }),
  };
}

std::vector<Goal> control_goals() {
  const std::string bare = "round trip 64 B: bare ping-pong";
  const std::string comch = "round trip 64 B: comch, try_send";
  const std::string tasks = "round trip 64 B: comch, tasks";
  const std::string ring = "one way 64 B: bare slot ring";
  return {
      {"round trip, try_send, to bare", comch, bare, at_most(1.5)},
      {"round trip, tasks, to bare", tasks, bare, at_most(1.5)},
      {"round trip, busy SEQPACKET to comch", "round trip 64 B: SEQPACKET, busy", comch,
       at_least(15)},
      {"sleeping receiver, comch to SEQPACKET", "wake and answer 64 B: comch",
       "wake and answer 64 B: SEQPACKET", at_most(1)},
      {"round trip, among idle connections to alone",
       "round trip 64 B: comch, among idle connections", comch, at_most(1.2)},
      {"rate, try_send, to bare", "one way 64 B: comch, try_send", ring, at_least(0.4)},
      {"rate, tasks, to bare", "one way 64 B: comch, tasks", ring, at_least(0.4)},
  };
}

}  // namespace comch::bench
