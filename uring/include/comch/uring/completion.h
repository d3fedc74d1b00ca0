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
inline constexpr std::uint32_t kHandedOver = Incoming::kHandedOver;
// The bits of `flags` from here on are the ring's own.
inline constexpr std::uint32_t kFlagBits = 8;

class Control;
class Source;

// What has come is where a consumer writes it (Incoming). Of others:
//   user_data         the submission's
//   res               64 bits, because a message may be longer than 2 GiB
//   producer          who sent, of a receive
//   buffer            of a receive or a hand-over that had begun: yours again, unless kMore is set.
//                     (One that was refused was yours all the time.)
//   bytes, size       the message, or the loan's room: contents()
//   immediate()       lasts as long as the completion
//   handle            of a loan or of a message that was handed over
struct Completion : Incoming {
  // With kView. Its length does not change; the bytes can, if the producer's process breaks the
  // rules: copy out first what you check and then use.
  std::span<const std::byte> viewed() const { return {view, size}; }
  // Of a view: where it has come.
  Source* source() const { return static_cast<Source*>(owner); }
  // Of an arrival; null: it is gone.
  Connection* connection() const { return static_cast<Connection*>(owner); }
  // Of an arrival: the connection's.
  Control* control() const { return static_cast<Control*>(subject); }
  // Of an arrival: who can be sent to from now on; 0: it is the connection's own.
  ConsumerId consumer() const { return ConsumerId{handle}; }
  // Of a reserve.
  Loan loan(ConsumerId consumer) const {
    return {.room = contents(), .consumer = consumer, .handle = handle};
  }
};
static_assert(sizeof(Completion) == sizeof(Incoming), "a consumer writes a row of them");

}  // namespace comch::uring
