// Frame: the header in front of every packet, which says what it is and how long.
//
//   return write_frame(Kind::kDoorbell, out, [](Writer&) {});
//
//   Result<Frame> frame = read_frame(packet);
//   switch (frame->kind) ... Reader in(frame->body);
//
// Threads: pure functions. FORMAT.md has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/result.h"
#include "wire/bytes.h"

namespace comch::wire {

inline constexpr std::size_t kMaxPacket = 512;  // Room for any packet.
inline constexpr std::uint16_t kVersion = 1;    // The layout of all packets.

// The first five are in handshake.h, the next eight in fast_packet.h, from kCall on in
// remote_handshake.h, the last in rdma_packet.h.
enum class Kind : std::uint16_t {
  kHello = 1,
  kWelcome = 2,
  kRefusal = 3,
  kDoorbell = 4,
  kGoodbye = 5,
  kConsumer = 6,
  kConsumerEnd = 7,
  kAccepted = 8,
  kLane = 9,
  kLaneEnd = 10,
  kMap = 11,
  kMapEnd = 12,
  kFile = 13,
  kCall = 16,
  kAnswer = 17,
  kRemoteHello = 18,
  kChallenge = 19,
  kProof = 20,
  kRemoteWelcome = 21,
  kRdmaConsumer = 32,
  kRdmaAccepted = 33,
  kRdmaLane = 34,
  kRdmaLaneReady = 35,
  kRdmaLaneEnd = 36,
  kRdmaLaneOver = 37,
  kRdmaConsumerEnd = 38,
  kRdmaConsumerDone = 39,
  kRdmaRefused = 40,
};

inline constexpr std::uint32_t kMagic = 0x48434D43;  // "CMCH", read as bytes.
inline constexpr std::size_t kHeaderSize = 12;
inline constexpr std::size_t kSizeField = 8;  // Where in the header the size stands.

struct Frame {
  Kind kind{};
  std::span<const std::byte> body;
};

// unsupported_version: it is ours, in a layout we do not know. connection_reset: no correct
// peer writes this.
Result<Frame> read_frame(std::span<const std::byte> bytes);

// The same of a packet in a field that is filled up with zeros.
Result<Frame> read_padded_frame(std::span<const std::byte> field);

// Writes the header and what `body` writes behind it; answers the size of the packet, or 0
// when it did not fit. The header needs the size, which is known last.
template <class Body>
std::size_t write_frame(Kind kind, std::span<std::byte> out, Body&& body) {
  Writer writer(out);
  writer.number(kMagic);
  writer.number(kVersion);
  writer.number(static_cast<std::uint16_t>(kind));
  writer.number(std::uint32_t{0});
  body(writer);
  const std::size_t size = writer.written();
  if (size == 0) return 0;
  Writer(out.subspan(kSizeField)).number(static_cast<std::uint32_t>(size));
  return size;
}

}  // namespace comch::wire
