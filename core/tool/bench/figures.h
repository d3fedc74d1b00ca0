// Figures: what a benchmark finds out about one size and one way.
//
// Threads: values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tool/bench/histogram.h"

namespace comch::tool {

// Message there, message back, one at a time.
struct RoundTrips {
  Histogram ns;
};

// Messages one way, as many as the other end takes, until the last one is received.
struct OneWay {
  std::uint64_t messages = 0;
  double seconds = 0;
  double messages_per_second() const {
    return seconds > 0 ? static_cast<double>(messages) / seconds : 0;
  }
};

// How many messages were really moved in a way: what comch's own counters say.
struct Used {
  std::string way;
  std::uint64_t messages = 0;
};

struct Figures {
  std::size_t size = 0;
  std::string way;         // As it was asked for; or "control", "doca", and "c++" beside that.
  std::vector<Used> used;  // The most used first; empty for the control path and the C API.
  RoundTrips round_trips;
  OneWay one_way;

  double bytes_per_second() const {
    return one_way.messages_per_second() * static_cast<double>(size);
  }

  // Another round of the same.
  void add(const Figures& round) {
    round_trips.ns.add(round.round_trips.ns);
    one_way.messages += round.one_way.messages;
    one_way.seconds += round.one_way.seconds;
    for (const Used& more : round.used) {
      const auto same = std::ranges::find(used, more.way, &Used::way);
      if (same == used.end()) {
        used.push_back(more);
      } else {
        same->messages += more.messages;
      }
    }
    std::ranges::sort(used, std::ranges::greater(), &Used::messages);
  }
};

// What a reader of these figures has to know; empty when nothing.
inline std::string note_of(const std::vector<Figures>& rows) {
  const bool passed = std::ranges::any_of(
      rows, [](const Figures& row) { return row.way == "loan" || row.way == "hand-over"; });
  return passed ? "loan and hand-over copy nothing: their bytes change hands where they are" : "";
}

}  // namespace comch::tool
