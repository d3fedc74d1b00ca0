// Report: figures as a table for people, and as JSON for programs.
//
// Threads: free functions without state.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/bench/figures.h"
#include "tool/bench/options.h"
#include "tool/bench/ratio.h"

namespace comch::tool {

// One line that says what is measured, and the heads of the columns.
std::string table_head(const BenchOptions& options);
std::string table_row(const Figures& figures);
std::string table_row(const Ratio& ratio);

// Everything: what was asked for, `results`, an object for each row, and `ratios` of a comparison.
nlohmann::ordered_json bench_json(const BenchOptions& options, const std::vector<Figures>& rows,
                                  const std::vector<Ratio>& ratios = {});

}  // namespace comch::tool
