// Input: turns a descriptor, usually standard input, into messages.
//
//   Input input(STDIN_FILENO, Input::Unit::kLine, 4080);
//   while (auto message = input.next()) send(*message);   // what is complete so far
//   if (!input.ended()) ... wait until readable, then input.fill();
//
// A line is a message without its newline; an empty line is an empty message; bytes
// after the last newline are a message too. With kWhole everything up to the end is one
// message, empty input an empty one.
//
// Threads: one thread.
// Errors: fill() complains when a message would be longer than the limit, so that input
// without newlines costs no more memory than one message, and when read() fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tool/complaint.h"

namespace comch::tool {

class Input {
 public:
  enum class Unit : std::uint8_t { kLine, kWhole };

  Input(int fd, Unit unit, std::size_t max_message)
      : fd_(fd), unit_(unit), max_message_(max_message) {}

  int fd() const { return fd_; }

  // Reads once. Waits if nothing is there, so ask poll() or readable() first.
  Outcome<> fill();
  // Whether there is something to read now, be it the end.
  bool readable() const;

  // The next complete message, in order.
  std::optional<std::string> next();

  // True when the end was read and every message was taken.
  bool ended() const { return end_seen_ && exhausted(); }

 private:
  // Nothing is left but what another fill() may bring.
  bool exhausted() const;
  Outcome<> check_length() const;

  int fd_;
  Unit unit_;
  std::size_t max_message_;
  std::string pending_;    // What was read; the messages before begin_ are taken.
  std::size_t begin_ = 0;  // An offset, so that taking a line moves no bytes.
  bool end_seen_ = false;
  bool whole_taken_ = false;
};

}  // namespace comch::tool
