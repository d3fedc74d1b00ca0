// Arrivals: when the messages of one ring came into it: by the word of the sender, who stamps each
// with its clock, and within what this side knows.
//
//   sender.push(message, stamp_at(now));                       // sender: the machine's clock
//   arrivals.look(receiver.stamp(), now);                      // receiver: the first in the ring
//   if (arrivals.first() < another.first()) ...
//   arrivals.pop();                                            // and it is taken out
//
// A sender can lie by little. No message is younger than the moment it is looked at, nor older
// than the one before it; and as the ring holds a queue of messages, none can have come before
// the one that many ahead of it was taken. So a liar comes ahead of others with no more messages
// than a full queue would have held ahead of theirs.
//
// Threads: the receiver's. Errors: none; every stamp is some moment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace comch::shm {

// 40 bits of a clock in units of 64 ns: finer than two processes can follow each other, and half
// of a turn, which is how long a message may wait and be told from one of the future, is 9 hours.
inline constexpr unsigned kStampBits = 40;
inline constexpr unsigned kStampUnitBits = 6;
inline constexpr std::uint64_t kStampMask = (std::uint64_t{1} << kStampBits) - 1;

constexpr std::uint64_t stamp_at(std::uint64_t time_ns) {
  return (time_ns >> kStampUnitBits) & kStampMask;
}

// The moment that `stamp` means, seen at `now_ns`; what it says of the future is now.
constexpr std::uint64_t time_of(std::uint64_t stamp, std::uint64_t now_ns) {
  const std::uint64_t age = (stamp_at(now_ns) - stamp) & kStampMask;
  const std::uint64_t age_ns = age << kStampUnitBits;
  return age > kStampMask / 2 || age_ns > now_ns ? now_ns : now_ns - age_ns;
}

class Arrivals {
 public:
  // Of a ring that holds `queue` messages at most, and is empty at `now_ns`.
  Arrivals(std::uint32_t queue, std::uint64_t now_ns) : last_(now_ns), taken_ns_(queue, now_ns) {}

  // The first message in the ring has this stamp. Looking again finds the same.
  void look(std::uint64_t stamp, std::uint64_t now_ns) {
    looked_ns_ = now_ns;
    const std::uint64_t earliest = std::max(last_, taken_ns_[next_]);
    first_ = std::clamp(time_of(stamp, now_ns), earliest, std::max(earliest, now_ns));
  }

  // Of the message that was looked at.
  std::uint64_t first() const { return first_; }

  // It was taken, at the earliest when it was looked at.
  void pop() {
    last_ = first_;
    taken_ns_[next_] = looked_ns_;
    next_ = (next_ + 1) % taken_ns_.size();
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t last_;  // Of the message before it.
  std::uint64_t looked_ns_ = 0;
  std::vector<std::uint64_t> taken_ns_;  // When the last messages of a queue were.
  std::size_t next_ = 0;                 // Where the one lies that was a whole queue ago.
};

}  // namespace comch::shm
