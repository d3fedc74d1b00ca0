// PollIo: transfers without an io_uring: one call each when poll() says that it would not block.
//
// Regular files are always ready, and so the thread waits for the disk.
//
// Threads: the ring's. Lifetime: the ring's. Errors: negative errnos, as io_uring answers.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>
#include <vector>

#include "transfer.h"

namespace comch::uring {

class PollIo {
 public:
  // `most`: transfers at a time.
  explicit PollIo(std::size_t most);

  bool empty() const { return waiting_.empty(); }
  // `fd`: its descriptor, whatever the transfer says.
  void begin(Transfer& transfer, int fd);
  // False: it is not here. Else it is among the ready() next, and ends with -ECANCELED.
  bool cancel(Transfer& transfer);

  struct Ready {
    Transfer* transfer;
    int fd;
    bool cancelled;
  };
  // Those that would not block; they are not here any more, and valid until the next call.
  std::span<const Ready> take_ready();
  // Of one that is polling, that it is ready is all; nothing is moved.
  static std::int64_t attempt(const Ready& ready);
  // What poll() is to wait for, for all that is left; valid until the next call.
  std::span<const pollfd> descriptors();

 private:
  std::vector<Ready> waiting_;
  std::vector<Ready> ready_;
  std::vector<pollfd> polled_;
};

}  // namespace comch::uring
