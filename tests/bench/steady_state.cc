// Steady state: round trips between two looks at the counters.
#include "bench/steady_state.h"

#include <array>
#include <utility>

#include "bench/control_client.h"
#include "bench/control_server.h"
#include "bench/processes.h"
#include "bench/syscall_counter.h"
#include "support/counting_allocator.h"

namespace comch::bench {
namespace {

constexpr std::uint64_t kWarmUp = 10'000;  // Round trips after which nothing is new any more.

struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t looks = 0;
  std::uint64_t other_calls = 0;
};

Counts count(ControlClient& client, std::uint64_t round_trips) {
  for (std::uint64_t i = 0; i < kWarmUp; ++i) client.round_trip();
  const SyscallCounter calls;
  const std::uint64_t looks_before = calls.looks();
  const std::uint64_t others_before = calls.others();
  const auto allocations_before = test::allocations();
  for (std::uint64_t i = 0; i < round_trips; ++i) client.round_trip();
  return {.allocations = test::allocations().made - allocations_before.made,
          .looks = calls.looks() - looks_before,
          .other_calls = calls.others() - others_before};
}

Counts count(Sending sending, std::uint64_t round_trips) {
  const ControlPlan plan{.sending = sending};
  const std::string name = fresh_server_name();
  const SharedMemory<Counts> counts;
  ask(
      any_pair(),
      [&](const Gate& ready) {
        ControlServer server(plan, name);
        ready.open();
        server.serve();
      },
      [&] {
        ControlClient client(plan, name);
        *counts = count(client, round_trips);
        return 0.0;
      });
  return *counts;
}

}  // namespace

Facts steady_state(std::uint64_t round_trips) {
  Facts facts;
  const double messages = 2 * static_cast<double>(round_trips);  // There and back.
  for (const auto& [sending, how] :
       std::array{std::pair(Sending::kTrySend, "try_send"), std::pair(Sending::kTask, "task")}) {
    const Counts counts = count(sending, round_trips);
    const auto add = [&](const char* what, std::uint64_t value, std::optional<double> expected) {
      facts.push_back({.name = std::string(what) + ", " + how,
                       .value = static_cast<double>(value) / messages,
                       .unit = "per message",
                       .expected = expected});
    };
    add("allocations", counts.allocations, 0);
    add("system calls but looks at the kernel", counts.other_calls, 0);
    add("looks at the kernel (by the clock)", counts.looks, std::nullopt);
  }
  return facts;
}

}  // namespace comch::bench
