// Figures that nobody has measured, for tests of what is made of them.
//
// Threads: values.
#pragma once

#include <string>

#include "tool/bench/figures.h"

namespace comch::tool {

// Round trips of 1 to 1000 times `ns`, and a thousand messages in half a second.
inline Figures sample_figures(std::size_t size, const std::string& way, std::uint64_t ns = 1) {
  Figures figures{.size = size, .way = way, .used = {}, .round_trips = {}, .one_way = {}};
  for (std::uint64_t n = 1; n <= 1000; ++n) figures.round_trips.ns.record(n * ns);
  figures.one_way = {.messages = 1000, .seconds = 0.5};
  return figures;
}

}  // namespace comch::tool
