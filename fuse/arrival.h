// Arrival: a message that has come to a consumer, with the posted receive it came in.
//
// It stays there until whoever reads has all of it; then the receive is posted again. So the
// daemon never holds more messages than a consumer has posted receives, and a producer whose
// messages nobody reads finds nothing posted.
//
// Threads: the loop's. Lifetime: shared by the queue and the files that read it; may outlive the
// consumer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "comch/consumer.h"

namespace comch::fuse {

// Some bytes of a message; or the errno that says why it cannot be read.
using Part = std::expected<std::span<const std::byte>, int>;

inline Part part_of(std::span<const std::byte> bytes, std::size_t offset, std::size_t most) {
  return bytes.subspan(offset, std::min(most, bytes.size() - offset));
}

class Arrival {
 public:
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  virtual ~Arrival() = default;  // Posts the receive again.

  virtual std::size_t size() const = 0;
  // At most so many bytes, from one of them on. Good until a part of any arrival is asked for, or
  // the consumer is stopped. An errno: its memory has failed.
  virtual Part part(std::size_t offset, std::size_t most) const = 0;
  ProducerId producer() const { return producer_; }
  // What came beside the bytes. None from a MsgQ, where immediate data is all there is and so is
  // what part() answers.
  std::span<const std::byte> immediate() const { return immediate_; }

 protected:
  explicit Arrival(ProducerId producer, std::span<const std::byte> immediate = {})
      : producer_(producer), immediate_(immediate.begin(), immediate.end()) {}

 private:
  const ProducerId producer_;
  const std::vector<std::byte> immediate_;
};

}  // namespace comch::fuse
