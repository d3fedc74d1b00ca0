// NamelessFile: a file of known bytes that has no name any more; it is written, and so it is
// cached.
//
// Threads: a value. Errors: the test's.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

namespace comch::test {

class NamelessFile {
 public:
  explicit NamelessFile(std::span<const std::byte> bytes) {
    EXPECT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file_.get()), bytes.size());
    EXPECT_EQ(std::fflush(file_.get()), 0);
  }
  explicit NamelessFile(std::string_view text) : NamelessFile(std::as_bytes(std::span(text))) {}

  int fd() const { return ::fileno(file_.get()); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file_{std::tmpfile()};
};

}  // namespace comch::test
