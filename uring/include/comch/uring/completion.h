// Completion: how one operation of a Ring ended, as an io_uring_cqe says it of the kernel's.
//
// Results are negative errnos and not comch::Errc, because a loop that handles completions of
// comch and of the kernel side by side has one switch then. to_errno() of result.h is the table.
//
// Threads: the ring's. Lifetime: until Ring::advance() has gone over it, and so are the bytes of
// `immediate()`; those of a message are the buffer's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/buffer.h"
#include "comch/consumer.h"
#include "comch/producer.h"

namespace comch::uring {

// More completions of this operation will follow. (IORING_CQE_F_MORE)
inline constexpr std::uint32_t kMore = 1;
// Of prep_accept_multishot(): who came, or went.
inline constexpr std::uint32_t kArrival = 4;
// The message lies where its producer's process has put it: viewed(), and not contents().
inline constexpr std::uint32_t kView = 8;
// The message was not copied: handed_over() is to be given back.
inline constexpr std::uint32_t kHandedOver = 2;

class Control;
class Source;

struct alignas(64) Completion {
  std::uint64_t user_data = 0;  // The submission's.
  std::int64_t res = 0;         // 64 bits, because a message may be longer than 2 GiB.
  std::uint32_t flags = 0;
  ProducerId producer{};  // Who sent, of a receive.
  union {
    Buffer* buffer = nullptr;  // Of a receive or a hand-over that had begun; yours again, unless
                               // kMore is set. (One that was refused was yours all the time.)
    Connection* connection;    // Of an arrival; null: it is gone.
    Source* source;            // Of a view: where it has come.
  };
  union {
    std::byte* bytes = nullptr;  // The message, or the loan's room; `size` of them.
    const std::byte* view;       // Of a view: the message.
    Control* control;            // Of an arrival: the connection's.
  };
  const std::byte* immediate_data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t immediate_size = 0;
  std::uint32_t handle = 0;  // Of a loan or of a message that was handed over, or consumer().

  // What was received; of a reserve, the room to write to.
  std::span<std::byte> contents() const { return {bytes, size}; }
  // With kView. Its length does not change; the bytes can, if the producer's process breaks the
  // rules: copy out first what you check and then use.
  std::span<const std::byte> viewed() const { return {view, size}; }
  // What came beside the message. Empty: nothing.
  std::span<const std::byte> immediate() const { return {immediate_data, immediate_size}; }
  // Of an arrival: who can be sent to from now on; 0: it is the connection's own.
  ConsumerId consumer() const { return ConsumerId{handle}; }
  // Of a reserve.
  Loan loan(ConsumerId consumer) const {
    return {.room = contents(), .consumer = consumer, .handle = handle};
  }
  // Of a receive whose message was handed over (`bytes` lie outside `buffer`): what
  // Consumer::give_back() wants. A multishot receive gives it back by itself.
  HandedOver handed_over() const {
    return {.bytes = contents(), .producer = producer, .handle = handle};
  }
};
static_assert(sizeof(Completion) == 64, "one cache line each");

}  // namespace comch::uring
