// argp_help: what -h prints: how to call the program or command, its commands, its options.
//
// Threads: pure functions of the parser.
#pragma once

#include <span>
#include <string>

#include "doca/argp.h"

namespace comch::doca {

// `path` leads from the program to the command in question.
std::string argp_help(const Argp& argp, std::span<const doca_argp_cmd* const> path);

std::string argp_versions();

}  // namespace comch::doca
