// Transfer: bytes on their way between memory and a file or socket: what the kernel is asked for,
// and how far it is.
//
//   free -> asked for (Transfers::start) -> in the kernel, maybe several times -> over -> free
//
// Threads: the ring's. Lifetime: the ring's, who has as many as Options::transfers for each
// direction. Errors: `res`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/uring/submission.h"
#include "staging.h"

namespace comch::uring {

struct Transfer {
  enum class Call : std::uint8_t { kRead, kReceive, kWrite, kSend };

  bool reads() const { return call == Call::kRead || call == Call::kReceive; }
  // There is no offset to come back to: what was taken is taken, and the order counts.
  bool is_stream() const { return offset == kPosition; }
  // The next call's.
  std::byte* at() const { return bytes + done; }
  std::uint64_t size() const {
    const std::uint64_t end = direct && reads() ? Staging::round_up(length) : length;
    return end - done < kMost ? end - done : kMost;
  }
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;  // The kernel takes 2 GiB.

  Call call = Call::kRead;
  bool fixed_file = false;
  bool all = false;        // Of a receive: until `length` are there.
  bool polling = false;    // The kernel is asked to say when the descriptor is ready.
  bool cancelled = false;  // It is not continued.
  bool in_kernel = false;
  bool direct = false;  // Bytes go through `staging`, as O_DIRECT wants them.
  bool lent = false;    // There is a loan.
  int fd = -1;          // Or a number of register_file().
  int flags = 0;        // Of a receive.
  std::byte* bytes = nullptr;
  std::uint64_t length = 0;
  std::uint64_t offset = kPosition;
  std::uint64_t done = 0;
  std::int64_t res = 0;  // When it is over.

  Operation* op = nullptr;
  Transfer* next = nullptr;  // In the list it is in.
  Loan loan;                 // What is read goes there,
  Staging staging;           // or here.
  Received received;         // What is written, if it was posted for.
  std::array<std::byte, Consumer::kMaxImmediate> immediate;
};

// Transfers in a line.
class TransferList {
 public:
  bool empty() const { return first_ == nullptr; }
  Transfer* front() const { return first_; }
  void push_back(Transfer& transfer) {
    transfer.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &transfer;
    last_ = &transfer;
  }
  Transfer* pop_front() {
    Transfer* const transfer = first_;
    if (transfer != nullptr) first_ = transfer->next;
    return transfer;
  }

 private:
  Transfer* first_ = nullptr;
  Transfer* last_ = nullptr;  // Means something while there is a first one.
};

}  // namespace comch::uring
