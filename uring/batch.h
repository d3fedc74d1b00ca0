// Batch: sends of one destination in the form that a producer takes them in, a few at a time.
//
//   const auto sent = producer.send(consumer, batch.of(some));       // At most kBatch.
//   const std::size_t sent = producer.try_send(consumer, Batch::plain_run(prepared, end));
//
// Threads: the ring's. Lifetime: the answer is good until the next call. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/producer.h"
#include "comch/uring/operation.h"
#include "order.h"

namespace comch::uring {

// Picked: what Producer::send() publishes at once costs no less when there is more of it.
inline constexpr std::size_t kBatch = 64;

class Batch {
 public:
  // Immediate data, which few messages have, is written only where there is some, or was.
  template <class Ops>
  std::span<const Outgoing> of(Ops some) {
    assert(some.size() <= kBatch);
    std::uint32_t immediates = 0;
    for (std::size_t n = 0; n < some.size(); ++n) {
      const Operation& op = operation(some[n]);
      immediates |= op.immediate_size;
      messages_[n].data = {op.what.bytes, op.amount};
    }
    if (immediates != 0 || has_immediates_) [[unlikely]]
      add_immediates(some, immediates != 0);
    return std::span(messages_).first(some.size());
  }

  // Of the sends to `end` that `prepared` begins with, those of data alone, where they lie.
  static OutgoingRecords plain_run(std::span<const Operation> prepared, const void* end) {
    std::size_t count = 0;
    for (const Operation& op : prepared) {
      if (!is_of_run(op, end) || op.immediate_size != 0) break;
      ++count;
    }
    const Operation& first = prepared.front();
    return {.data = &first.what.bytes,
            .size = &first.amount,
            .stride = sizeof(Operation),
            .count = count};
  }
  // All of them, but at most kBatch.
  static std::span<const Operation> run(std::span<const Operation> prepared, const void* end) {
    const std::size_t most = std::min(prepared.size(), kBatch);
    std::size_t count = 0;
    while (count != most && is_of_run(prepared[count], end)) ++count;
    return prepared.first(count);
  }
  // A send to `end` that nothing of its own holds back.
  static bool is_of_run(const Operation& op, const void* end) {
    return op.op == Operation::Op::kSend && op.end == end && Order::is_plain(op);
  }

  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): it is an element, and no temporary.
  static const Operation& operation(const Operation& op) { return op; }
  static const Operation& operation(const Operation* op) { return *op; }

 private:
  template <class Ops>
  [[gnu::noinline]] void add_immediates(Ops some, bool has_some) {
    for (Outgoing& message : messages_) message.immediate = {};
    if (has_some) {
      for (std::size_t n = 0; n < some.size(); ++n) {
        messages_[n].immediate = operation(some[n]).immediate();
      }
    }
    has_immediates_ = has_some;
  }

  std::array<Outgoing, kBatch> messages_{};
  bool has_immediates_ = false;  // The last batch.
};

}  // namespace comch::uring
