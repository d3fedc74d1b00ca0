// PeerFile: a file that a peer has sent, to be read as far as that takes no waiting.
//
//   if (is_regular_file(fd)) file = PeerFile(std::move(fd), uid);
//   if (file.read(into, offset)) ...          // All of it was in the page cache, and is there.
//
// Whoever is behind a file may leave each question unanswered, and no close() of it may end
// (slow_close.h). So nothing is asked here that its file system would be asked, and it is closed on
// a thread of its own.
//
// Threads: a value. Errors: none. Tests: peer_file_test.cc, packet_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "os/fd.h"
#include "os/slow_close.h"

namespace comch::os {

// By what the kernel knows without asking anybody. Where it does not say, because a filter of
// system calls forbids it, nothing speaks against it.
bool is_regular_file(const Fd& fd);

// Whether it is one that this process may read, and does through the page cache.
bool is_cached_file(const Fd& fd);

// Reads the bytes at `offset` of a file. False: not all of them are there, or some would have to be
// waited for.
bool read_cached(const Fd& fd, std::span<std::byte> into, std::uint64_t offset);

class PeerFile {
 public:
  PeerFile() = default;
  PeerFile(Fd fd, Sender sender) : fd_(std::move(fd)), sender_(sender) {}
  PeerFile(PeerFile&&) noexcept = default;
  PeerFile& operator=(PeerFile&& other) noexcept {
    close();
    fd_ = std::move(other.fd_);
    sender_ = other.sender_;
    return *this;
  }
  ~PeerFile() { close(); }

  explicit operator bool() const { return static_cast<bool>(fd_); }
  bool read(std::span<std::byte> into, std::uint64_t offset) const {
    return fd_ && read_cached(fd_, into, offset);
  }

 private:
  void close();

  Fd fd_;
  Sender sender_;
};

}  // namespace comch::os
