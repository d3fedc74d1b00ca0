// Operation: what a Ring knows of one thing it is to do: what a Submission says of it, and how far
// it is. This is here so that Submission's calls are inline, and nothing to use by itself.
//
// Threads: the ring's. Lifetime: the ring's. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/buffer.h"

namespace comch::uring {

struct alignas(64) Operation {
  enum class Op : std::uint8_t {
    kNop,
    kSend,
    kPostRecv,
    kPool,
    kShow,
    kReserve,
    kCommit,
    kAbandon,
    kHandOver,
    kSendFile,
    kSendSocket,
    kDeliver,  // What of one of these two is left when the bytes are read.
    kRecvFile,
    kRecvSocket,
    kWriteFile,
    kWriteSocket,
    kCtrlSend,
    kCtrlRecv,
    kAccept,
    kTimeout,
    kCancel,
    kReadByBoth,  // What kSendFile is while the other side reads, too.
  };
  // kFree (also prepared, and not submitted) -> kHeld (not begun: behind a link or a drain) ->
  // kWaiting (begun, waits for room or time) -> kRunning (the other side's to end) -> kFree; any
  // may be skipped.
  enum class State : std::uint8_t { kFree, kHeld, kWaiting, kRunning };
  union Data {
    const std::byte* bytes;
    std::byte* room;
    Buffer* buffer;
    Buffer* const* pool;
    std::uint64_t number;  // An offset, or flags.
  };

  static constexpr std::uint16_t kTooMuch = 0xffff;  // Immediate data for any consumer.
  // Of `flags`, beside the application's: a file that both sides could not have all of.
  static constexpr std::uint8_t kAlone = 128;

  // Of those that may have some.
  std::span<const std::byte> immediate() const { return {immediate_data, immediate_size}; }

  std::uint64_t user_data = 0;
  // Side by side, because a prep_...() sets them in one store.
  Op op = Op::kNop;
  State state = State::kFree;
  std::uint16_t immediate_size = 0;  // At most kTooMuch.
  std::uint8_t flags = 0;
  bool cancelled = false;  // While kHeld: it will not begin.
  std::uint16_t age = 0;   // Cancels that are held back and were submitted ahead of it.
  void* end = nullptr;     // Destination, Source or Control.
  Data what{.bytes = nullptr};
  std::uint64_t amount = 0;  // Bytes, buffers, nanoseconds, or the user_data of a cancel.
  union {
    const std::byte* immediate_data = nullptr;  // Of nothing, when the size is 0.
    std::uint64_t at;  // Of bytes to be written; of a post without a buffer: Pool::begun then.
  };
  std::uint32_t handle = 0;   // Of a loan; a descriptor, and then its transfer.
  std::uint32_t chained = 0;  // The operation behind its link, by index + 1; 0: none.
  Operation* next = nullptr;  // In the list it is in.
};
static_assert(sizeof(Operation) == 64, "one cache line each");

}  // namespace comch::uring
