// Report: figures as a table for people, and as JSON for programs.
//
// Threads: free functions without state.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/bench/figures.h"
#include "tool/bench/options.h"

namespace comch::tool {

// One line that says what is measured, and the heads of the columns.
std::string table_head(const BenchOptions& options);
std::string table_row(const Figures& figures);

// Everything: what was asked for, and `results`, an object for each row.
nlohmann::ordered_json bench_json(const BenchOptions& options, const std::vector<Figures>& rows);

}  // namespace comch::tool
