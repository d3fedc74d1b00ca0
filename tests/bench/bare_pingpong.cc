// Bare ping-pong: two rings of slots, one message on its way at a time.
#include "bench/bare_pingpong.h"

#include "bench/bare_slot.h"
#include "bench/processes.h"

namespace comch::bench {
namespace {

constexpr std::uint64_t kPingSlots = 64;  // Enough that a slot is not the one just used.

struct Table {
  std::array<BareSlot, kPingSlots> there;
  std::array<BareSlot, kPingSlots> back;
};

void echo(Table& table) {
  Message message{};
  for (std::uint64_t n = 1; message[0] != kLast; ++n) {
    table.there[n % kPingSlots].await(n, message);
    table.back[n % kPingSlots].put(n, message);
  }
}

double probe(Table& table, Duration duration) {
  std::uint64_t n = 0;
  Message message{};
  const auto round_trip = [&] {
    ++n;
    table.there[n % kPingSlots].put(n, message);
    table.back[n % kPingSlots].await(n, message);
  };
  const double ns = median_ns(duration, round_trip);
  message[0] = kLast;
  round_trip();
  return ns;
}

}  // namespace

double bare_round_trip_ns(const Pair& pair, Duration duration) {
  const SharedMemory<Table> table;
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        echo(*table);
      },
      [&] { return probe(*table, duration); });
}

}  // namespace comch::bench
