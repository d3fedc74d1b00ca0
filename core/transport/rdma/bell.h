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
// all of the data is in the owner's memory, who takes no part of it for anything, and K the
// ringer's look behind it. F < C and P < K. Either P < C, and the owner sees the data; or
// F < C <= P < K, and the ringer sees the episode.
// A completion is an event of its queue, so that the looks come about while both sleep.
//
// Only data is a reason to look: an episode's own write completes, too, and two who sleep, one for
// data and one for room, would ring each other for ever. LooksDue says whether data was among what
// has completed.
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

// The ringer's looks K that are still to come, by the positions of its work requests, from 1.
class LooksDue {
 public:
  // The request at `position`, the last one so far, carries data.
  void sent(std::uint64_t position) {
    if (first_ == 0) first_ = position;
    last_ = position;
  }
  // Requests up to `done` are complete. True: some of them carried data, and the caller looks now.
  bool take(std::uint64_t done) {
    if (first_ == 0 || done < first_) return false;
    first_ = done < last_ ? done + 1 : 0;
    return true;
  }

 private:
  std::uint64_t first_ = 0;  // No data before it is without its look; 0: none at all is.
  std::uint64_t last_ = 0;
};

}  // namespace comch::transport::rdma
