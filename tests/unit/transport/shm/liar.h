// Liar: the other end of a handshake, as a bare socket that says whatever a test likes.
//
// Threads: one. Lifetime: values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "os/packet.h"
#include "os/slow_close.h"
#include "support/deadline.h"
#include "support/encoded.h"
#include "wire/handshake.h"

namespace comch::test {

template <class Packet>
Status say_packet(const os::Fd& socket, const Packet& packet, std::span<const int> fds = {}) {
  return os::send(socket, wire::encoded(packet), fds);
}

inline Status say_bytes(const os::Fd& socket, std::string_view bytes) {
  return os::send(socket, std::as_bytes(std::span(bytes)));
}

// The addresses of large memory that was shown are in use until it is unmapped, and so is its
// maker's share of them.
inline bool all_is_unmapped() {
  return eventually([] { return os::slow_jobs() == 0; });
}

// What the other side said, or nothing when it said nothing (yet) that can be read.
struct Heard {
  std::optional<wire::Packet> packet;
  os::Packet raw;
};
inline Heard hear(const os::Fd& socket) {
  std::array<std::byte, wire::kMaxPacket> buffer;
  Heard heard;
  Result<os::Packet> packet = os::receive(socket, buffer);
  if (!packet) return heard;
  heard.raw = std::move(*packet);
  const Result<wire::Packet> said = wire::decode(std::span(buffer).first(heard.raw.size));
  if (said) heard.packet = *said;
  return heard;
}

inline std::optional<Errc> hear_refusal(const os::Fd& socket) {
  const Heard heard = hear(socket);
  if (!heard.packet || !std::holds_alternative<wire::Refusal>(*heard.packet)) return std::nullopt;
  return std::get<wire::Refusal>(*heard.packet).code;
}

}  // namespace comch::test
