// VerbsBaseline: what the RDMA stack itself makes of the way that a bench has just measured, by the
// programs of the perftest package: ib_write_lat, ib_send_lat, ib_write_bw.
//
//   const VerbsBaseline baseline("10.0.0.2");
//   if (auto verbs = baseline.measure(figures)) print(ratio_to(*verbs, figures));
//
// Threads: a value; one measurement at a time.
// Errors: nothing, where a program is missing or did not get through.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tool/bench/figures.h"

namespace comch::tool {

struct VerbsFigures {
  double write_half_us = 0;  // Typical, there or back.
  double send_half_us = 0;
  double write_bytes_per_second = 0;
};

// comch's figures by those: of times less is better, of bytes more.
struct VerbsRatio {
  std::size_t size = 0;
  double to_write_latency = 0;
  double to_send_latency = 0;
  double to_write_bandwidth = 0;
};

class VerbsBaseline {
 public:
  // The machine's address that its own servers listen on.
  explicit VerbsBaseline(std::string address) : address_(std::move(address)) {}
  // Of the size of comch's figures, and about as many messages.
  std::optional<VerbsFigures> measure(const Figures& comch) const;

 private:
  std::string address_;
};

VerbsRatio ratio_to(const VerbsFigures& verbs, const Figures& figures);

// The number in `column` (from 0) of the row for `size` of what such a program prints.
std::optional<double> perftest_column(std::string_view output, std::size_t size,
                                      std::size_t column);

std::string table_row(const VerbsRatio& ratio);
nlohmann::ordered_json to_json(const VerbsRatio& ratio);

}  // namespace comch::tool
