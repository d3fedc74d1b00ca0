// The option --quiet of the programs that run rounds (cell.h).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace comch::bench {

// So many seconds a round waits, or a minute; 0 where the option is not given.
inline void add_quiet_option(CLI::App& app, int& seconds) {
  constexpr int kUsual = 60;
  app.add_option("--quiet", seconds,
                 "Keep only samples whose processors had their cores to themselves, and wait so "
                 "many seconds for them in a round")
      ->expected(0, 1)
      ->default_str(std::to_string(kUsual));
}

}  // namespace comch::bench
