// Batch: small messages that go into a lane together: as rows where they are alike, and in as few
// looks at the consumer's desk as it allows. publish() of the outlet exposes them.
//
//   Batch batch(outlet, seat, {.memory = memory, .small = bytes, .indexes = indexes});
//   Batch::Put put = batch.put_alone(count, data);
//   if (put.siblings) put = batch.put_beside_others(count, data, put);
//
// `data(n)` is the n-th message; an empty one is one that has more to it, and ends the batch, as
// one does that is too long. Where both sides copy long ones, these are too long, too.
//
// Threads: the producer's. Lifetime: the lane's; refers to the outlet and the seat. Errors: what a
// message that ends a batch has the matter with, OutLane::put() says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/prefetch.h"
#include "shm/lane_writer.h"
#include "shm/posted_ring.h"
#include "transport/shm/outlet.h"
#include "transport/shm/seat.h"

namespace comch::transport::shm {

class Batch {
 public:
  using Bytes = std::span<const std::byte>;
  using Posted = comch::shm::Posted;
  static constexpr std::uint64_t kInSlot = comch::shm::kLanePayload;  // Bytes of the longest there.
  // A run of the posted ring promises no more, whatever a consumer writes there.
  static_assert(comch::shm::PostedRun<>::kMostRoom == kInSlot);

  struct Options {
    std::span<std::byte> memory;  // Of the consumer; empty: not mapped.
    std::size_t small = 0;        // Bytes of the longest message that is put.
    std::uint32_t indexes = 0;    // Of its posted buffers, a power of two.
  };
  Batch(Outlet& outlet, Seat& seat, const Options& options)
      : out_(outlet), seat_(seat), options_(options) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  struct Put {
    std::size_t messages = 0;
    bool full = false;      // Nothing is posted for the next one, or the lane has no room.
    bool siblings = false;  // The desk is not this producer's alone any more.
  };
  // Of the only producer at the desk, whose hand is empty.
  template <class Data>
  [[gnu::always_inline]] Put put_alone(std::size_t count, Data data);
  // Of one of several, behind what it has put already. Something may be left in its hand.
  template <class Data>
  [[gnu::noinline]] Put put_beside_others(std::size_t count, Data data, Put done);
  // To a consumer that looks at messages where they lie.
  template <class Data>
  Put put_viewed(std::size_t count, Data data);

  // The next message is likely to go into `next`, and to be as long as this one.
  void expect_to_write(const Posted& next, std::size_t length) const {
    if (length <= kInSlot || next.capacity < length) return;
    prefetch_for_write(options_.memory.data() + next.offset, length);
  }

 private:
  using Walk = comch::shm::LaneWriter<>::Walk;
  struct Tally {
    std::size_t messages = 0;
    std::size_t direct = 0;
    std::uint64_t bytes = 0;
  };
  [[gnu::always_inline]] bool put_into(Walk& walk, const Posted& posted, Bytes message,
                                       Tally& tally) const;
  template <class Data>
  [[gnu::always_inline]] std::size_t put_in_a_row(Walk& walk, std::span<const Posted> taken,
                                                  Data data, Tally& tally) const;
  // Of so many messages, those that the lane has room for.
  std::size_t at_most(std::size_t messages) {
    return std::min<std::size_t>(messages, out_.writer.room());
  }
  void count(const Tally& tally);

  Outlet& out_;
  Seat& seat_;
  const Options options_;
};

// A message put into its slot, or into the posted buffer. Answers false when it does not fit.
inline bool Batch::put_into(Walk& walk, const Posted& posted, Bytes message, Tally& tally) const {
  if (message.size() - 1 >= options_.small || message.size() > posted.capacity) [[unlikely]]
    return false;
  if (message.size() <= kInSlot) [[likely]] {
    walk.put_inline(posted.index, message);
  } else {
    std::memcpy(options_.memory.data() + posted.offset, message.data(), message.size());
    walk.put_direct(posted.index, message.size());
    ++tally.direct;
  }
  tally.bytes += message.size();
  ++tally.messages;
  return true;
}

// The next messages, into the first ones of `taken`: those that are alike as a row, if the indexes
// follow one another as those of a row do. None: the next does not fit.
template <class Data>
[[gnu::always_inline]] inline std::size_t Batch::put_in_a_row(Walk& walk,
                                                              std::span<const Posted> taken,
                                                              Data data, Tally& tally) const {
  const Posted& first = taken.front();
  const Bytes message = data(0);
  if (message.size() - 1 >= std::min(first.capacity, kInSlot)) [[unlikely]]
    return put_into(walk, first, message, tally) ? 1 : 0;
  const auto follows = [&](std::size_t n) {
    return taken[n].capacity == first.capacity &&
           taken[n].index == ((first.index + n) & (options_.indexes - 1));
  };
  std::size_t some = 1;
  while (some != taken.size() && follows(some)) ++some;
  const std::size_t put = walk.put_alike(first.index, some, data);
  tally.bytes += put * message.size();
  tally.messages += put;
  return put;
}

inline void Batch::count(const Tally& tally) {
  out_.counters.bytes += tally.bytes;
  out_.counters.in_slot += tally.messages - tally.direct;
  out_.counters.mapped += tally.direct;
}

template <class Data>
[[gnu::always_inline]] inline Batch::Put Batch::put_alone(std::size_t count, Data data) {
  using comch::shm::RunTake;
  Tally tally;
  auto taken = RunTake::kDone;
  while (taken == RunTake::kDone && tally.messages != count && out_.writer.room() != 0) {
    const std::size_t most = at_most(count - tally.messages);
    taken = out_.consumer.desk.use_run(most, [&](auto slots, std::size_t some, std::uint64_t room) {
      // In locals, for what a lambda refers to is written back for each message.
      const std::size_t first = tally.messages;
      std::size_t done = 0;
      std::uint64_t bytes = 0;
      for (Walk walk(out_.writer); done != some;) {
        const auto next = [&](std::size_t n) { return data(first + done + n); };
        const std::size_t length = next(0).size();
        if (length - 1 >= room) [[unlikely]]
          break;
        const std::size_t put = walk.put_alike(slots[done], some - done, next);
        bytes += put * length;
        done += put;
      }
      tally.messages += done;
      tally.bytes += bytes;
      return done;
    });
  }
  bool refused = false;
  if (taken == RunTake::kOther) {
    const std::size_t most = at_most(count - tally.messages);
    Walk walk(out_.writer);
    std::size_t length = 0;
    const auto use = [&](const Posted& posted) {
      const Bytes message = data(tally.messages);
      length = message.size();
      refused = !put_into(walk, posted, message, tally);
      return !refused;
    };
    const auto expect = [&](const Posted& next) { expect_to_write(next, length); };
    out_.consumer.desk.use_alone(most, use, expect);
  }
  this->count(tally);
  return {.messages = tally.messages,
          .full = tally.messages != count && !refused,
          .siblings = taken == RunTake::kSiblings};
}

template <class Data>
[[gnu::noinline]] Batch::Put Batch::put_beside_others(std::size_t count, Data data, Put done) {
  Tally tally;
  bool refused = false;
  while (!refused && done.messages + tally.messages != count) {
    const std::size_t most = at_most(count - done.messages - tally.messages);
    if (most == 0) break;
    if (seat_.hand_empty()) seat_.take_ahead(most);
    std::span<const Posted> hand = seat_.hand();
    if (hand.empty()) break;
    hand = hand.first(std::min(hand.size(), most));
    Walk walk(out_.writer);
    std::size_t used = 0;
    while (!refused && used != hand.size()) {
      const auto next = [&](std::size_t n) { return data(done.messages + tally.messages + n); };
      const std::size_t put = put_in_a_row(walk, hand.subspan(used), next, tally);
      used += put;
      refused = put == 0;
    }
    seat_.use(used);
  }
  this->count(tally);
  const std::size_t messages = done.messages + tally.messages;
  return {.messages = messages, .full = messages != count && !refused};
}

template <class Data>
Batch::Put Batch::put_viewed(std::size_t count, Data data) {
  const std::size_t most = at_most(count);
  Tally tally;
  for (Walk walk(out_.writer); tally.messages != most;) {
    const auto next = [&](std::size_t n) { return data(tally.messages + n); };
    const std::size_t length = next(0).size();
    if (length - 1 >= kInSlot) break;
    const std::size_t put = walk.put_alike(0, most - tally.messages, next);
    tally.bytes += put * length;
    tally.messages += put;
  }
  this->count(tally);
  return {.messages = tally.messages, .full = tally.messages == most && most != count};
}

}  // namespace comch::transport::shm
