// Framing: many messages in one stream of bytes, as recv.framed and send.framed carry them.
//
//   "5\nhello" "0\n" "7\ngoodbye"
//
// A frame is its length in decimal digits, a newline, and that many bytes. Nothing
// separates frames. The server's own recv puts the connection's name in front:
// "conn3 5\nhello".
//
//   Frame frame = next_frame(input, max_message_size);
//   if (frame.kind == Frame::Kind::kWhole) use(frame.message), skip(frame.size);
//
// Threads: pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace comch::fuse {

// What the front of a stream of bytes is.
struct Frame {
  enum class Kind : std::uint8_t {
    kWhole,       // A frame of `size` bytes that carries `message`.
    kIncomplete,  // The beginning of one; `size` more bytes at least are needed.
    kMalformed,   // No frame begins like this.
    kTooLong,     // A frame, but of a message longer than allowed.
  };
  Kind kind;
  std::size_t size;
  std::span<const std::byte> message;
};

Frame next_frame(std::span<const std::byte> input, std::size_t max_message_size);

// The line in front of a message. `connection` may be empty.
std::string frame_header(std::string_view connection, std::size_t message_size);

}  // namespace comch::fuse
