// ArgpWords: the words of a command line, understood: which options, with what values, and which
// commands, in their order. Nothing is called and nothing is converted yet.
//
// Threads: pure functions of the parser and the words.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "doca/argp.h"

namespace comch::doca {

// An option with its value, or a command.
struct ArgpGiven {
  const doca_argp_param* param = nullptr;
  const doca_argp_cmd* cmd = nullptr;
  std::string text;
};

struct ArgpWords {
  std::vector<ArgpGiven> given;
  std::vector<const doca_argp_cmd*> path;  // From the program to the last command.

  bool has(const doca_argp_param& param) const;
};

// The options that every program has, as parameters without a callback.
struct ArgpGeneral {
  doca_argp_param help;
  doca_argp_param version;
  doca_argp_param log_level;
  doca_argp_param sdk_log_level;
  doca_argp_param json;

  std::vector<const doca_argp_param*> all() const {
    return {&help, &version, &log_level, &sdk_log_level, &json};
  }
};
const ArgpGeneral& argp_general();

// The parameter that `--name` (or `-name`) means below `path`; null: none.
const doca_argp_param* find_param(std::span<const doca_argp_cmd* const> path,
                                  std::string doca_argp_param::* kind, std::string_view name);

// What is wrong, in a sentence for people.
struct ArgpMistake {
  std::string sentence;
};

std::expected<ArgpWords, ArgpMistake> read_words(const Argp& argp, std::span<char* const> words);

}  // namespace comch::doca
