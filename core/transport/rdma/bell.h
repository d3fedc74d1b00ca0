// Bell: how somebody asleep is woken by the other machine. Its owner writes the number of its
// sleep, its *episode*, to the other side's memory; there a Ringer sees that it has not rung for
// that one.
//
//   owner    if (bell.due()) line.post(write of bell.next() to their memory)   ... and sleeps
//   ringer   if (ringer.should_ring(word)) post(immediate, which completes a receive there)
//
// No wake-up is lost, for both sides look once more after their word has arrived:
//
//   owner    writes the episode; when that write is *complete*, looks for data again.
//   ringer   posts data; when that write is *complete*, looks at the episode again.
//
// Let F be when the episode is in the ringer's memory, and C the owner's look behind it; P when
// the data is in the owner's memory, and K the ringer's look behind it. F < C and P < K. Either
// P < C, and the owner sees the data; or F < C <= P < K, and the ringer sees the episode.
// A completion is an event of its queue, so that the looks come about while both sleep.
//
// An episode that is still being written may be read as neither the old nor the new; then the
// bell rings once for nothing, and for the right one later.
//
// Threads: each the one that owns it. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/rdma/landing.h"

namespace comch::transport::rdma {

class Bell {
 public:
  // Whether the other side must be told of a new episode: the last one was rung for.
  bool due() const { return !told_ || rung_; }
  std::uint64_t next() {
    told_ = true;
    rung_ = false;
    return ++episode_;
  }
  void rung() { rung_ = true; }
  // It could not be told after all.
  void take_back() { rung_ = true; }

 private:
  std::uint64_t episode_ = 0;
  bool told_ = false;
  bool rung_ = false;
};

class Ringer {
 public:
  // Whether the owner sleeps and was not rung since; the caller rings if so.
  bool should_ring(const std::byte* word) {
    const std::uint64_t episode = landed(word);
    if (episode == rung_for_) return false;
    rung_for_ = episode;
    return true;
  }

 private:
  std::uint64_t rung_for_ = 0;
};

}  // namespace comch::transport::rdma
