// PortIds: the ids of one side's consumers and producers on a connection.
//
// Threads: one at a time. Errors: none; an id comes again after four billion.
#pragma once

#include <cstdint>

namespace comch::transport {

class PortIds {
 public:
  // Ids of the two sides' consumers differ in the lowest bit, so that they are unique on the
  // connection.
  explicit PortIds(bool is_server) : consumer_(is_server ? 2 : 1) {}

  std::uint32_t next_consumer() {
    const std::uint32_t id = consumer_;
    consumer_ += consumer_ + 2 == kReserved ? 4 : 2;
    return id;
  }
  // Whether the other side may call a consumer of its own so.
  bool may_be_peers(std::uint32_t consumer) const { return ((consumer ^ consumer_) & 1U) != 0; }
  std::uint32_t next_producer() { return ++producer_; }

 private:
  static constexpr std::uint32_t kReserved = 0xffff;  // The documented C API's "no consumer".

  std::uint32_t consumer_;
  std::uint32_t producer_ = 0;
};

}  // namespace comch::transport
