// LyingConsumer: a PeerConsumer that is a correct one most of the time, and now and then writes
// anything into all that both sides share.
//
// Threads: one. Lifetime: the hub and the chance outlive it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "unit/transport/shm/peer_consumer.h"

namespace comch::test {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <class T, std::size_t kCount>
  T any_of(const std::array<T, kCount>& values) {
    return values[below(kCount)];
  }
  // What a word may become: something else altogether, or nearly the same.
  std::uint64_t lie(std::uint64_t word) {
    switch (below(8)) {
      case 0:
        return random_();
      case 1:
        return 0;
      case 2:
        return ~std::uint64_t{0};
      case 3:
        return word + 1;
      case 4:
        return word - 1;
      case 5:
        return word ^ random_() << 48U;
      case 6:
        return word ^ random_() << 32U;
      default:
        return word ^ std::uint64_t{1} << below(64);
    }
  }

 private:
  std::mt19937_64 random_;
};

// Of messages, and of rooms that are posted.
constexpr std::array<std::size_t, 12> kLengths{0,   1,    8,    64,   112,    113,
                                               500, 4096, 8191, 8192, 30'000, PeerConsumer::kMap};

class LyingConsumer : public PeerConsumer {
 public:
  LyingConsumer(transport::shm::Hub& hub, std::uint32_t id, wire::Way way, Chance& chance)
      : PeerConsumer(hub, id, way), chance_(chance), lies_seldom_(1 + chance.below(200)) {}

  // Behind the slots of a lane without a bounce area lies nothing.
  std::span<std::byte> padding() const {
    const shm::LaneLayout& all = lane_layout;
    if (all.shape.bounce_size != 0) return {};
    return lane_memory.bytes().subspan(all.side +
                                       std::uint64_t{all.shape.slots} * all.shape.side_stride);
  }

  void tell_a_lie_seldom() {
    if (chance_.below(lies_seldom_) == 0) tell_a_lie();
  }
  // What a correct consumer does; and one that is wrong by its words alone.
  void post_any() {
    if (chance_.below(lies_seldom_) == 0) {
      return post(static_cast<std::uint16_t>(chance_.below(0x1'0000)), chance_.below(kMap),
                  chance_.any_of(kLengths));
    }
    if (unposted_.size() == kDepth && chance_.below(2) == 0) {
      post_all();  // A run.
      return unposted_.clear();
    }
    for (; !unposted_.empty(); unposted_.pop_back()) {
      const std::uint16_t index = unposted_.back();
      post(index, index * kRoom, kRoom);
    }
  }
  void read() {
    shm::LaneRecord record;
    if (reader->look(record) != shm::Look::kMessage) return;
    reader->pop(record);
    const bool is_posted = record.index < kDepth && !std::ranges::count(unposted_, record.index);
    if (is_posted && record.kind != shm::LaneKind::kStaged) unposted_.push_back(record.index);
  }

 private:
  static constexpr std::uint64_t kRoom = kMap / kDepth;

  void tell_a_lie() {
    if (chance_.below(3) == 0) return change(shm::posted_run_at(posted.bytes().data()));
    const std::span<std::byte> lane_bytes = lane_memory.bytes();
    const std::span<std::byte> where = chance_.below(2) == 0
                                           ? posted.bytes()
                                           : lane_bytes.first(lane_bytes.size() - padding().size());
    // Most of what matters lies ahead.
    const std::size_t bytes = chance_.any_of(std::array<std::size_t, 3>{128, 512, where.size()});
    change(where.data() + chance_.below(bytes / 8) * 8);
  }
  void change(std::byte* at) {
    const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(at));
    word.store(chance_.lie(word.load()));
  }

  Chance& chance_;
  const std::uint64_t lies_seldom_;  // One in so many.
  std::vector<std::uint16_t> unposted_{0, 1, 2, 3};
};

}  // namespace comch::test
