// FileContent: all that is in a file.
//
// Threads: any. Errors: a file that is not there has nothing in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace comch::test {

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace comch::test
