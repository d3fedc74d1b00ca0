// ArgpFile: the options in a JSON file.
//
//   {"doca_general_flags": {"log-level": 60}, "doca_program_flags": {"text": "a", "count": 3}}
//
// An option that may be given many times has an array of values.
//
// Threads: a pure function of the file.
#pragma once

#include <doca_argp.h>

#include <expected>
#include <string>
#include <vector>

namespace comch::doca {

struct ArgpFlag {
  std::string name;     // The long one.
  doca_argp_type type;  // What the value is; UNKNOWN: none of the types.
  std::string text;     // The value: of a STRING without quotes, of others as in the file.
  bool in_array = false;
};

struct ArgpFile {
  std::vector<ArgpFlag> general;
  std::vector<ArgpFlag> program;
  bool has_dpdk = false;  // Words for DPDK, which are not read.
};

// Otherwise a sentence about what is wrong.
std::expected<ArgpFile, std::string> read_argp_file(const std::string& path);

}  // namespace comch::doca
