// Numbered messages: what several producers send, each on a thread of its own, and a consumer's
// part in it: each message arrives once, whole, in its producer's order.
//
//   InTheirOrder arrivals(kProducers, message);      // message(producer, n), of numbered()
//   arrivals.configure(*consumer, kDepth);
//   ... until(engine, [&] { return arrivals.count() == kProducers * kMessages; })
//
// Threads: the consumer's engine's. Lifetime: the consumer does not outlive it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "unit/comch/fast_pair.h"

namespace comch::test {

// The n-th of a producer, which its first 8 bytes say; no shorter than those.
inline std::string numbered(std::uint32_t producer, std::uint32_t n, std::size_t size) {
  std::string text = pattern(size, producer * 31 + n);
  text.replace(0, 8, std::to_string(10'000'000 * (producer + 1) + n));
  return text;
}

class InTheirOrder {
 public:
  using Message = std::function<std::string(std::uint32_t producer, std::uint32_t n)>;

  InTheirOrder(std::size_t producers, Message message)
      : message_(std::move(message)), next_(producers) {}

  // Each buffer is posted again as it was.
  void configure(Consumer& to, std::uint32_t depth) {
    to.configure_receive(
          depth, [this](ReceiveTask& task) { take(task); },
          [](ReceiveTask& task) {
            std::ignore = task.buffer()->drop_reference();
            std::ignore = task.free();
          })
        .value();
  }
  std::uint64_t count() const { return count_; }

 private:
  void take(ReceiveTask& task) {
    Buffer& buffer = *task.buffer();
    const std::string text = contents(buffer);
    const auto producer = static_cast<std::uint32_t>(text.at(0) - '1');
    ASSERT_LT(producer, next_.size()) << text.substr(0, 8);
    // Not ASSERT_EQ, which prints both, and they may be long.
    ASSERT_TRUE(text == message_(producer, next_[producer])) << text.substr(0, 8);
    ++next_[producer];
    ++count_;
    buffer.reset_data_length();
    ASSERT_TRUE(task.submit());
  }

  const Message message_;
  std::vector<std::uint32_t> next_;  // Of each producer.
  std::uint64_t count_ = 0;
};

}  // namespace comch::test
