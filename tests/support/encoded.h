// encoded: a packet's bytes, as its encoder writes them.
//
//   send(socket, wire::encoded(wire::Doorbell{}));
//
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <vector>

#include "wire/frame.h"

namespace comch::wire {

// encode() is that of the packet's own header.
template <class Packet>
std::vector<std::byte> encoded(const Packet& packet) {
  std::vector<std::byte> bytes(kMaxPacket);
  bytes.resize(encode(packet, bytes));
  return bytes;
}

}  // namespace comch::wire
