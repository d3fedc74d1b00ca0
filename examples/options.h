// Options: "--name value" pairs, as much of a command line as the examples need.
//
//   Options options(argc, argv, {"--name", "--count"});
//   std::string name = options.text("--name", "echo");
//   int count = options.number("--count", 5);
//
// Errors: an unknown option, a missing value, or one that should be a number and is none
// ends the program with exit code 2.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

class Options {
 public:
  Options(int argc, char** argv, std::vector<std::string> known)
      : program_(argv[0]), known_(std::move(known)) {
    for (int i = 1; i < argc; i += 2) {
      if (std::ranges::find(known_, argv[i]) == known_.end() || i + 1 == argc) usage();
      values_[argv[i]] = argv[i + 1];
    }
  }

  std::string text(const std::string& name, const std::string& otherwise) const {
    auto value = values_.find(name);
    return value == values_.end() ? otherwise : value->second;
  }

  int number(const std::string& name, int otherwise) const {
    const std::string digits = text(name, std::to_string(otherwise));
    int value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) usage();
    return value;
  }

 private:
  [[noreturn]] void usage() const {
    std::cerr << "usage: " << program_;
    for (const std::string& name : known_) std::cerr << " [" << name << " VALUE]";
    std::cerr << '\n';
    std::exit(2);
  }

  std::string program_;
  std::vector<std::string> known_;
  std::map<std::string, std::string> values_;
};
