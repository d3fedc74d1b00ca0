// DescriptorPair: the two ends of a pipe or of a socket pair, closed with it.
//
// Threads, lifetime: made before a fork, both processes have both ends. Errors:
// std::system_error of who makes one.
#pragma once

#include <unistd.h>

#include <array>
#include <utility>

namespace comch::bench {

class DescriptorPair {
 public:
  explicit DescriptorPair(std::array<int, 2> ends) : ends_(ends) {}
  ~DescriptorPair() {
    for (const int end : ends_) ::close(end);
  }
  DescriptorPair(const DescriptorPair&) = delete;
  DescriptorPair& operator=(const DescriptorPair&) = delete;

  int operator[](std::size_t end) const { return ends_[end]; }

 private:
  std::array<int, 2> ends_;
};

}  // namespace comch::bench
