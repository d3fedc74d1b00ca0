// Cell: one figure of the table, measured again and again.
//
//   cells.push_back({.name = "round trip, bare", .unit = "ns", .placed = true,
//                    .measure = [](const Pair& pair) { return bare_round_trip_ns(pair, ...); }});
//   run_rounds(cells, {.count = 8});
//
// A round measures every cell once, so that what changes on the machine in the meantime
// changes all of them alike. A sample of a cell that is placed is kept only when its processors
// were as far apart behind it as before it; it is tried a few times per round. While all processors
// share a core a round waits, 5 s in all. Of a quiet run it is kept only when nobody else computed
// on their cores (quiet.h), and a line took as long between them as for the first one of the round;
// a round waits for that, too, as long as it is told.
//
// Threads: cells fork; one thread. Errors: a cell that throws is skipped from then on, and
// its reason is printed.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/placement.h"
#include "bench/sample.h"

namespace comch::bench {

// Thrown by a cell for which this machine, or this build, lacks something.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Cell {
  std::string name;
  std::string unit;
  bool placed = false;  // Gets two processors, near ones if there are any; else picks its own.
  std::function<double(const Pair&)> measure;

  Samples samples = {};
  int dropped = 0;           // Tries whose pair was not found, or did not stay where it was.
  std::string skipped = {};  // Why there is nothing to see.
  bool failed = false;       // And that it is not because something is lacking.
};

struct Rounds {
  int count = 8;
  bool placed = true;  // False: any processors will do. For trying the benchmark itself.
  // Not 0: only samples that no neighbour of a processor disturbed, for which a round waits so
  // long.
  std::chrono::seconds quiet{0};
};

void run_rounds(std::vector<Cell>& cells, const Rounds& rounds);

}  // namespace comch::bench
