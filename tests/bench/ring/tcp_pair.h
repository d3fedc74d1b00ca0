// TcpPair: the two ends of a TCP connection over the loopback, which sends at once.
//
// Threads, lifetime: made before a fork, both processes have both ends. Errors:
// std::system_error.
#pragma once

#include "bench/peers/descriptor_pair.h"

namespace comch::bench {

class TcpPair {
 public:
  TcpPair();
  int client() const { return ends_[0]; }
  int server() const { return ends_[1]; }

 private:
  const DescriptorPair ends_;
};

}  // namespace comch::bench
