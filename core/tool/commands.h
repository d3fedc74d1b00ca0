// Commands: the subcommands of `comch`, one file each.
//
// An add_ function describes its options to CLI11 and, when the command line names it,
// leaves in `chosen` what is to be done. The options live in the closure.
//
// Threads: one thread.
// Errors: a Command answers the Complaint that main() prints.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

using Command = std::function<Outcome<>()>;

void add_ls(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_stat(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_send(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_recv(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_connect(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_listen(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_bench(CLI::App& app, const CommonOptions& common, Command& chosen);
void add_bench_peer(CLI::App& app, const CommonOptions& common, Command& chosen);

}  // namespace comch::tool
