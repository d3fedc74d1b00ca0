// OptionValues: what an option of the command line takes, and the line about what it does not.
//
//   takes_count(command->add_option("--count", options->count, "End after so many messages"));
//   add_choice<To>(*command, "--to", options->to, "Who gets the lines", kWords);
//
// CLI11's own checks answer with the limits of a double, or with half a sentence.
//
// Threads: one thread. Errors: CLI11 throws the line, and main() prints it.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace comch::tool {

// A whole number above 0, which its help calls `type`.
CLI::Option* takes_count(CLI::Option* option, const char* type = "N");

// A time of 0 seconds or more, with or without a point.
CLI::Option* takes_seconds(CLI::Option* option);
// The same between limits. CLI::Range takes what is no number.
CLI::Option* takes_seconds(CLI::Option* option, double least, double most);

// An option whose value is one of some words, which live as long as the program.
template <class T>
CLI::Option* add_choice(CLI::App& command, const char* flag, T& value, const char* help,
                        const std::map<std::string, T>& words) {
  std::string names;
  for (const auto& [word, meaning] : words) names += (names.empty() ? "" : "|") + word;
  return command
      .add_option_function<std::string>(
          flag, [&value, &words](const std::string& word) { value = words.at(word); }, help)
      ->type_name(names)
      ->check([words, names](const std::string& word) {
        return words.contains(word) ? std::string()
                                    : fmt::format("\"{}\" is none of {}", word, names);
      });
}

}  // namespace comch::tool
