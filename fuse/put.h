// Put: one message that is written piece by piece, from the open of a `put` to its close.
//
//   Result<std::size_t> taken = put->write(bytes, is_first_in_line);    // again: not a single one
//   Status sent = put->finish(is_first_in_line);      // again: call it when there is room
//
// Threads: the loop's. Lifetime: outlived by its outbox. One that is destroyed before it
// is finished sends nothing more, and says so to the other side if it had begun.
#pragma once

#include <cstddef>
#include <span>

#include "comch/result.h"

namespace comch::fuse {

class Put {
 public:
  Put() = default;
  Put(const Put&) = delete;
  Put& operator=(const Put&) = delete;
  virtual ~Put() = default;

  // Takes bytes, and answers how many; those that are left are to be written again.
  // again: none now. too_big: the message cannot be so long. Others: see Outbox::send().
  virtual Result<std::size_t> write(std::span<const std::byte> bytes, bool is_first_in_line) = 0;
  // All is written. again: not all of it is sent; everything that was taken is kept.
  virtual Status finish(bool is_first_in_line) = 0;

  virtual std::size_t size() const = 0;  // Taken so far.
  virtual std::size_t kept() const = 0;  // Of that, not sent yet.
  // Parts of it are on their way, and nothing else may be sent before the last.
  virtual bool has_begun() const { return false; }
  // Whether write() would take something.
  virtual bool has_room() const { return true; }
};

}  // namespace comch::fuse
