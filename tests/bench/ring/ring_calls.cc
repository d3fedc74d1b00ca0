// Ring calls: round trips between two looks at the counters.
#include "bench/ring/ring_calls.h"

#include "bench/fast/ring_lane.h"
#include "bench/peers/roles.h"
#include "bench/processes.h"
#include "bench/syscall_counter.h"
#include "support/counting_allocator.h"

namespace comch::bench {
namespace {

constexpr Workload kMessages{Shape::kRoundTrip, 64};
constexpr std::uint64_t kWarmUp = 10'000;  // Round trips after which nothing is new any more.
using Lane = RingLane<256>;

struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t looks = 0;
  std::uint64_t other_calls = 0;
};

Counts count(Lane::Sender& sender, Lane::Receiver& receiver, std::uint64_t round_trips) {
  const auto exchange = [&](std::uint64_t times) {
    for (std::uint64_t n = 0; n < times; ++n) {
      sender.send();
      receiver.receive();
    }
  };
  exchange(kWarmUp);
  const SyscallCounter calls;
  const std::uint64_t looks_before = calls.looks();
  const std::uint64_t others_before = calls.others();
  const auto allocations_before = test::allocations();
  exchange(round_trips);
  return {.allocations = test::allocations().made - allocations_before.made,
          .looks = calls.looks() - looks_before,
          .other_calls = calls.others() - others_before};
}

}  // namespace

Facts ring_calls(std::uint64_t round_trips) {
  const Lane there(kMessages);
  const Lane back(kMessages);
  const SharedMemory<Counts> counts;
  ask(
      any_pair(),
      [&](const Gate& ready) {
        ready.open();
        Lane::Receiver receiver(there);
        Lane::Sender sender(back);
        echo(receiver, sender);
      },
      [&] {
        Lane::Sender sender(there);
        Lane::Receiver receiver(back);
        *counts = count(sender, receiver, round_trips);
        sender.send_last();
        receiver.receive();
        return 0.0;
      });
  const auto per_message = [&](std::uint64_t value) {
    return static_cast<double>(value) / (2 * static_cast<double>(round_trips));
  };
  return {{.name = "allocations",
           .value = per_message(counts->allocations),
           .unit = "per message",
           .expected = 0},
          {.name = "system calls but looks at the kernel",
           .value = per_message(counts->other_calls),
           .unit = "per message",
           .expected = 0},
          {.name = "looks at the kernel (by the clock)",
           .value = per_message(counts->looks),
           .unit = "per message"}};
}

}  // namespace comch::bench
