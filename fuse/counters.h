// Counters: named numbers of an object, and the files that show them.
//
//   stats/tx_msgs ...   one number per file
//   stats.json          all of them at once
//
// Threads: the loop's.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "comch/connection.h"

namespace comch::fuse {

class Directory;
struct Services;

struct Counter {
  const char* name;
  std::uint64_t value;
};
using Counters = std::vector<Counter>;

// What a connection counts besides the engine.
struct ConnectionExtras {
  std::uint64_t in_flight = 0;         // Sends that wait for room.
  std::uint64_t messages_dropped = 0;  // Read in part, then closed.
  std::uint64_t empty_skipped = 0;     // Empty messages `recv` could not show.
};
Counters connection_counters(const ConnectionCounters& engine, const ConnectionExtras& extras);

// Adds `more` to `sum`, name by name; both are lists of the same kind, or `sum` is empty.
void add(Counters& sum, const Counters& more);

// Takes `less`, of the same kind or empty, from `counters`; what was begun anew is 0.
void subtract(Counters& counters, const Counters& less);

// Puts stats/ and stats.json into `directory`. `all` is asked at every read.
void add_counter_files(Services& services, Directory& directory,
                       const std::function<Counters()>& all);

}  // namespace comch::fuse
