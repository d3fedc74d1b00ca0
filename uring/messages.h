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

  // Of a consumer that takes some: room for it beside every completion.
  void keep_immediates() {
    if (immediates_ == nullptr) immediates_ = std::make_unique<Immediate[]>(queues_.slots());
  }

  static std::span<std::byte> bytes_of(const Received& received) {
    if (received.handed_over) [[unlikely]]
      return received.handed_over.bytes;
    if (received.buffer == nullptr) return {};
    return received.buffer->contents().last(received.length);
  }
  // What a completion says of a message (its bytes_of()) beside its result; nothing of it is set
  // yet. One that nobody sees (`seen`) has no place for immediate data, and needs none.
  void describe(Completion& completion, const Received& received, std::span<std::byte> message,
                bool seen = true) {
    completion.producer = received.producer;
    completion.buffer = received.buffer;
    completion.bytes = message.data();
    completion.size = message.size();
    if (received.handed_over) [[unlikely]] {
      completion.flags |= kHandedOver;
      completion.handle = received.handed_over.handle;
    }
    if (!received.immediate.empty() && seen) [[unlikely]]
      keep(completion, received.immediate);
  }
  // All of a completion, of which nothing is set: of one message of a multishot. Member by member,
  // and most messages are no more than data.
  [[gnu::always_inline]] void write(Completion& completion, std::uint64_t user_data,
                                    const Received& received) {
    Buffer* const buffer = received.buffer;
    const std::uint64_t length = buffer == nullptr ? 0 : received.length;
    completion.user_data = user_data;
    completion.res = static_cast<std::int64_t>(length);
    completion.flags = kMore;
    completion.producer = received.producer;
    completion.buffer = buffer;
    completion.bytes = buffer == nullptr ? nullptr : buffer->contents().last(length).data();
    completion.immediate_data = nullptr;
    completion.size = length;
    completion.immediate_size = 0;
    completion.handle = 0;
    if (received.handed_over) [[unlikely]]
      set_handed_over(completion, received.handed_over);
    if (!received.immediate.empty()) [[unlikely]]
      keep(completion, received.immediate);
  }

 private:
  static void set_handed_over(Completion& completion, const HandedOver& message) {
    completion.res = static_cast<std::int64_t>(message.bytes.size());
    completion.flags |= kHandedOver;
    completion.bytes = message.bytes.data();
    completion.size = message.bytes.size();
    completion.handle = message.handle;
  }
  using Immediate = std::array<std::byte, Consumer::kMaxImmediate>;

  [[gnu::noinline]] void keep(Completion& completion, std::span<const std::byte> immediate) {
    Immediate& kept = immediates_[queues_.index(completion)];
    std::memcpy(kept.data(), immediate.data(), immediate.size());
    completion.immediate_data = kept.data();
    completion.immediate_size = static_cast<std::uint32_t>(immediate.size());
  }

  const Queues& queues_;
  std::unique_ptr<Immediate[]> immediates_;
};

}  // namespace comch::uring
