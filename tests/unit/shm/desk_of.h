// DeskOf: a desk over a posted ring, for the tests of both.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "shm/desk.h"

namespace comch::shm {

// A ring for a depth of 32 and a desk with four seats. Descriptor n has the offset n.
template <class Machine>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which they are made.
struct DeskOf {
  static constexpr std::uint32_t kDepth = 32;
  static constexpr std::uint32_t kSlots = posted_slots(kDepth);
  static constexpr std::uint64_t kMap = 1U << 20U;

  void post(std::uint32_t count) {
    for (; count != 0; --count, ++posted) {
      writer.post(static_cast<std::uint16_t>(posted), posted, 1);
    }
    writer.publish();
  }

  SeatId attach() {
    SeatId seat = ~0U;
    EXPECT_EQ(desk.try_attach(seat, [this] { ++barriers; }), Attach::kAttached);
    return seat;
  }

  // The offsets of what a take of up to `count` gives.
  std::vector<std::uint64_t> take(SeatId seat, std::size_t count = 1) {
    std::array<Posted, 64> out;
    std::vector<std::uint64_t> offsets;
    const std::size_t taken = desk.take(seat, std::span(out).first(count));
    for (std::size_t n = 0; n < taken; ++n) {
      EXPECT_EQ(out[n].index, static_cast<std::uint16_t>(out[n].offset));
      offsets.push_back(out[n].offset);
    }
    return offsets;
  }

  std::set<std::uint64_t> take_all(SeatId seat) {
    std::set<std::uint64_t> all;
    for (auto one = take(seat); !one.empty(); one = take(seat)) {
      EXPECT_TRUE(all.insert(one[0]).second) << one[0] << " was taken twice";
    }
    return all;
  }

  static Posted descriptor(std::uint64_t n) {
    return {.offset = n, .capacity = 1, .index = static_cast<std::uint16_t>(n)};
  }

  alignas(kCacheLine) std::array<std::byte, kSlots * kPostedSize> ring{};
  std::array<Stash<Machine>, 4> stashes{};
  alignas(kCacheLine) std::array<std::byte, 8> run{};
  PostedWriter<> writer{run.data(), ring.data(), kSlots};
  Desk<Machine> desk{PostedReader<Machine>(run.data(), ring.data(), kSlots, kMap), kDepth, stashes};
  std::uint64_t posted = 0;
  int barriers = 0;
};

using Offsets = std::vector<std::uint64_t>;

}  // namespace comch::shm
