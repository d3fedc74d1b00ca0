// FormatExample: the worked examples of FORMAT.md, read back as bytes, so that a test can hold
// the code against them. FORMAT_FILE is the path of the document.
//
//   EXPECT_EQ(documented("Hello"), encoded(hello));
//
// Threads: pure functions. Errors: an example that is not there, or whose offsets do not add up,
// fails the test.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace comch::test {

// The example behind `<!-- example: name -->`. Each line: offset, bytes in hex, two spaces,
// what they mean.
inline std::vector<std::byte> documented(std::string_view name) {
  std::vector<std::byte> bytes;
  std::ifstream file(FORMAT_FILE);
  const std::string begin = "<!-- example: " + std::string(name) + " -->";
  std::string line;
  while (std::getline(file, line) && line != begin) continue;
  EXPECT_EQ(line, begin) << FORMAT_FILE;
  while (std::getline(file, line) && line != "<!-- end -->") {
    if (line.empty() || line.starts_with("```")) continue;
    std::istringstream words(line.substr(0, line.find("  ", 6)));
    std::string offset;
    words >> offset;
    EXPECT_EQ(std::stoul(offset, nullptr, 16), bytes.size()) << line;
    for (std::string hex; words >> hex;) {
      bytes.push_back(static_cast<std::byte>(std::stoul(hex, nullptr, 16)));
    }
  }
  return bytes;
}

}  // namespace comch::test
