// Fact: a figure that is counted rather than timed, and needs no rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace comch::bench {

struct Fact {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> expected = {};  // Printed beside it where there is a promise.
};

using Facts = std::vector<Fact>;

}  // namespace comch::bench
