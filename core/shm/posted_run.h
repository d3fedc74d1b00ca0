// PostedRun: what a consumer says in one word of the buffers it has posted last, so that whoever
// only needs their indexes does not read their descriptors (posted_ring.h): a line moves when a
// producer has used up all that it knew of, and not for every four buffers.
//
//   word   end (32)  length (16)  room (16), from the lowest bit
//
// Rules:
//
//  1. `end` descriptors have been posted so far, and the `length` newest of them are alike: the
//     index of each is its slot in the ring, and each has `room` bytes of room, or more where
//     that is kMostRoom.
//  2. What a word says stays true of every descriptor that nobody has taken, for those do not
//     change. So an old copy is as good as a new one, only shorter.
//  3. A word that says less is correct, too: then descriptors are read.
//  4. The word is written with every post. Who waits for one buffer at a time waits for its
//     descriptor, and looks at the word seldom.
//
// Ordering: POST of posted_ring.h, where the word is stored and loaded.
//
// Threads: values. Errors: none; what a consumer must not say is for the desk (desk.h) to find.
// Tests: posted_run_test.cc, posted_ring_test.cc, lane_model.cc.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace comch::shm {

template <std::unsigned_integral Position = std::uint32_t>
class PostedRun {
 public:
  // More room than a message in a lane's slot can need is not told apart.
  static constexpr std::uint64_t kMostRoom = 112;

  PostedRun() = default;
  // Of a word that anybody may have written: there is never more room than kMostRoom.
  explicit PostedRun(std::uint64_t word)
      : end_(static_cast<Position>(word)),
        begin_(static_cast<Position>(word - (word >> 32U & 0xffffU))),
        room_(static_cast<std::uint32_t>(std::min(word >> 48U, kMostRoom))) {}
  std::uint64_t word() const {
    const std::uint64_t length = std::min<std::uint32_t>(behind(begin_), 0xffff);
    return static_cast<std::uint32_t>(end_) | length << 32U | std::uint64_t{room_} << 48U;
  }

  // One more descriptor is posted; or so many, with their own slots.
  void add(bool has_own_slot, std::uint64_t capacity, std::uint32_t count = 1) {
    const auto room = static_cast<std::uint32_t>(std::min(capacity, kMostRoom));
    if (!has_own_slot || room != room_) [[unlikely]] {
      room_ = room;
      begin_ = static_cast<Position>(end_ + (has_own_slot ? 0U : 1U));
    }
    end_ = static_cast<Position>(end_ + count);
  }

  Position end() const { return end_; }
  std::uint64_t room() const { return room_; }
  // How many descriptors are posted from `position` on.
  std::uint32_t behind(Position position) const { return static_cast<Position>(end_ - position); }
  // Whether that of `position`, which nobody has taken, is one of those that are alike.
  bool covers(Position position) const { return behind(position) - 1U < behind(begin_); }

 private:
  Position end_ = 0;
  Position begin_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace comch::shm
