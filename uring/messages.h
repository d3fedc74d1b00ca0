// Messages: what completions say of the messages that consumers took in, and their immediate data,
// which a consumer keeps until it is polled again and a completion needs for longer.
//
//   messages.keep_immediates();                    // Once; it allocates.
//   messages.describe(completion, received);
//
// Threads: the ring's. Lifetime: the ring's. Errors: std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "comch/consumer.h"
#include "comch/uring/queues.h"

namespace comch::uring {

class Messages {
 public:
  explicit Messages(const Queues& queues) : queues_(queues) {}

  // Room for it beside every completion: a consumer that takes none may be told to take some
  // whenever it is idle. It is not written to, and so pages that nobody uses cost nothing.
  void keep_immediates() {
    if (immediates_ == nullptr)
      immediates_ = std::make_unique_for_overwrite<Immediate[]>(queues_.slots());
  }

  static std::span<std::byte> bytes_of(const Received& received) {
    if (received.handed_over) [[unlikely]]
      return received.handed_over.bytes;
    return in_buffer(received);
  }
  // Of a completion that a consumer has written: its immediate data.
  [[gnu::noinline]] void keep(Completion& completion) { keep(completion, completion.immediate()); }
  // What a completion says of a message, of which it is known how it ended; nothing of it is set
  // yet. One that nobody sees (`seen`) has no place for immediate data, and needs none.
  void describe(Completion& completion, const Received& received, bool seen = true) {
    const std::span<std::byte> message = in_buffer(received);
    completion.producer = received.producer;
    completion.buffer = received.buffer;
    completion.bytes = message.data();
    completion.size = message.size();
    // Most messages are no more than data.
    if ((received.handed_over.bytes.size() | received.immediate.size()) != 0) [[unlikely]]
      describe_more(completion, received, seen);
  }

 private:
  static std::span<std::byte> in_buffer(const Received& received) {
    if (received.buffer == nullptr) [[unlikely]]
      return {};
    return received.buffer->contents().last(received.length);
  }
  using Immediate = std::array<std::byte, Consumer::kMaxImmediate>;

  [[gnu::noinline]] void describe_more(Completion& completion, const Received& received,
                                       bool seen) {
    if (received.handed_over) {
      completion.flags |= kHandedOver;
      completion.bytes = received.handed_over.bytes.data();
      completion.size = received.handed_over.bytes.size();
      completion.handle = received.handed_over.handle;
    }
    if (!received.immediate.empty() && seen) keep(completion, received.immediate);
  }
  void keep(Completion& completion, std::span<const std::byte> immediate) {
    Immediate& kept = immediates_[queues_.index(completion)];
    std::memcpy(kept.data(), immediate.data(), immediate.size());
    completion.immediate_data = kept.data();
    completion.immediate_size = static_cast<std::uint32_t>(immediate.size());
  }

  const Queues& queues_;
  std::unique_ptr<Immediate[]> immediates_;
};

}  // namespace comch::uring
