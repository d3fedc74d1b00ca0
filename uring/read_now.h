// ReadNow: one read by itself of a file whose pages are cached: by a call of its own instead of
// through a ring, whose way there and back costs 0.25 us of 4 KiB and 0.8 of 1 MiB.
//
//   if (now.attempt(transfer, fd)) ...;               // It is over,
//   if (Transfer* t = now.take(res)) done(*t, res);   // as is said here.
//
// It never waits for a disk: what is not cached is left to the ring, and so is every error, for the
// ring to say. After such a miss some reads are not attempted, so that it costs little.
//
// Threads: the ring's. Lifetime: refers to the transfer until it is taken. Errors: none.
// Tests: kernel_io_test.cc.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <utility>

#include "transfer.h"

namespace comch::uring {

class ReadNow {
 public:
  // `fd`: a descriptor of a file not opened with O_DIRECT, whose disk it would wait for.
  bool attempt(Transfer& transfer, int fd) {
    if (over_ != nullptr || transfer.call != Transfer::Call::kRead || transfer.is_stream() ||
        transfer.polling || transfer.cancelled) {
      return false;
    }
    if (unattempted_ != 0) {
      --unattempted_;
      return false;
    }
    const iovec to{.iov_base = transfer.at(), .iov_len = transfer.size()};
    const auto from = static_cast<off_t>(transfer.offset + transfer.done);
    res_ = ::preadv2(fd, &to, 1, from, RWF_NOWAIT);
    if (res_ < 0) {
      unattempted_ = kBehindAMiss;
      return false;
    }
    over_ = &transfer;
    return true;
  }
  Transfer* take(std::int64_t& res) {
    res = res_;
    return std::exchange(over_, nullptr);
  }

 private:
  static constexpr std::uint32_t kBehindAMiss = 32;

  Transfer* over_ = nullptr;
  std::int64_t res_ = 0;
  std::uint32_t unattempted_ = 0;
};

}  // namespace comch::uring
