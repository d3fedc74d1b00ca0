// OutLane: loans, many at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/shm/out_lane.h"

namespace comch::transport::shm {

template <class Lend>
Outcome OutLane::reserve_some(std::size_t most, Lend lend) {
  if (const Outcome checked = check({}); checked != Outcome::kSent) return checked;
  most = std::min<std::size_t>(most, loans_.left());
  if (most == 0) return Outcome::kBusy;
  unprepare();
  std::array<Posted, Loans::kMost> posted;
  const std::size_t taken = seat_.take(std::span(posted).first(most));
  if (taken == 0) return nothing();
  std::size_t count = 0;
  for (; count != taken && posted[count].capacity != 0; ++count) {
    const std::uint32_t slot = *loans_.free();
    loans_.lend(slot, posted[count]);
    lend(slot, memory_.subspan(posted[count].offset, posted[count].capacity));
  }
  for (std::size_t n = taken; n != count; --n) keep(posted[n - 1]);
  return count != 0 ? Outcome::kSent : Outcome::kTooLong;
}

template <class Fill>
std::size_t OutLane::commit_some(std::size_t count, Fill fill) {
  // What lines up behind another, or has to ask for its slot, goes by itself.
  if (check({}) != Outcome::kSent || !under_way_.empty() || layout_.shape.head_credit) return 0;
  unprepare();
  std::size_t done = 0;
  std::uint64_t bytes = 0;
  comch::shm::LaneWriter<>::Walk walk(out_.writer);
  for (; done != count; ++done) {
    const auto [slot, length] = Filled(fill(done));
    if (length == 0) break;
    walk.put_direct(loans_.end(slot).index, length);
    bytes += length;
  }
  out_.counters.bytes += bytes;
  out_.counters.loaned += done;
  return done;
}

}  // namespace comch::transport::shm
