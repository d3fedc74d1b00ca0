// Printer: writes received messages to standard output.
//
//   text    the message and a newline                 hello
//   raw     the bytes, nothing between them           hello
//   json    an object a line         {"connection":0,"size":5,"text":"hello"}
//
// A message that is not UTF-8 has "hex" in place of "text".
//
// Threads: one thread.
// Errors: the first failure to write is kept; failed() ends the subcommand with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "comch/connection.h"
#include "tool/complaint.h"

namespace comch::tool {

enum class Format : std::uint8_t { kText, kRaw, kJson };

class Printer {
 public:
  // `tagged` puts "connN " before each message of the text format.
  explicit Printer(Format format, bool tagged = false) : format_(format), tagged_(tagged) {}

  // Writes one message and counts it. What is written is out when this returns: the
  // reader at the other end of a pipe sees each message as it comes.
  void print(ConnectionId from, std::span<const std::byte> message);

  std::uint64_t printed() const { return printed_; }

  // The first failure to write, if there was one.
  bool failed() const { return failure_ != 0; }
  Outcome<> outcome() const;

 private:
  Format format_;
  bool tagged_;
  std::uint64_t printed_ = 0;
  int failure_ = 0;  // errno
};

}  // namespace comch::tool
