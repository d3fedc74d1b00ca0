// Arrival: a message that has come to a consumer, with the posted receive it came in.
//
// It stays there until whoever reads has all of it; then the receive is posted again. So the
// daemon never holds more messages than a consumer has posted receives, and a producer whose
// messages nobody reads finds nothing posted.
//
// Threads: the loop's. Lifetime: shared by the queue and the files that read it; may outlive the
// consumer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "comch/consumer.h"

namespace comch::fuse {

class Arrival {
 public:
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  virtual ~Arrival() = default;  // Posts the receive again.

  // Good until the consumer is stopped; then ask again.
  virtual std::span<const std::byte> bytes() const = 0;
  ProducerId producer() const { return producer_; }
  // What came beside the bytes. None from a MsgQ, where immediate data is all there is and so is
  // what bytes() answers.
  std::span<const std::byte> immediate() const { return immediate_; }

 protected:
  explicit Arrival(ProducerId producer, std::span<const std::byte> immediate = {})
      : producer_(producer), immediate_(immediate.begin(), immediate.end()) {}

 private:
  const ProducerId producer_;
  const std::vector<std::byte> immediate_;
};

}  // namespace comch::fuse
