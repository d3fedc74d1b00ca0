// Fd: the owner of one file descriptor.
//
// A descriptor is closed when its owner goes, and has one owner: an Fd moves and is
// never copied. errno is as before when a destructor has closed one.
//
//   Fd fd = make_sealed_memfd("ring", size).value();
//   use(fd.get());
//   int raw = fd.release();  // Ours to close from here on.
//
// Threads: a value; not shared.
#pragma once

#include <utility>

#include "comch/result.h"

namespace comch::os {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

  // Gives the descriptor up without closing it.
  [[nodiscard]] int release();

  // A child that is forked from here on does not have what is held now; see inherited.h.
  void close_in_children() const;

  // Closes what is held and holds `fd` instead.
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

// For a descriptor that somebody else has made: reading it never waits from here on.
// operating_system: it is none.
Status set_nonblocking(int fd);

}  // namespace comch::os
