// Packet input: the bytes a fuzzer made up, taken as one packet; and what the tables of FORMAT.md
// say of every packet's header, read with none of the code under test.
//
//   const Packet packet = packet_of(input, sound_packet, {16, 21});
//   require(decode(packet).has_value() == is_sound(packet), "...");
//
// The bytes are exactly the packet's size, so that one byte too far is seen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comch/result.h"
#include "input.h"
#include "wire/bytes.h"
#include "wire/frame.h"

namespace comch::fuzz {

using Packet = std::vector<std::byte>;

// Kinds from `first` to `last`.
struct Kinds {
  std::uint16_t first;
  std::uint16_t last;
};

// Of `size` bytes; 0 where there is none.
inline std::uint64_t number(const Packet& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t n = size; n > 0; --n) {
    if (at + n > bytes.size()) return 0;
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + n - 1]);
  }
  return value;
}

inline std::uint64_t kind_of(const Packet& bytes) { return number(bytes, 6, 2); }

inline bool is_header(const Packet& bytes) {
  const std::uint64_t kind = kind_of(bytes);
  const bool is_kind =
      (kind >= 1 && kind <= 13) || (kind >= 16 && kind <= 21) || (kind >= 32 && kind <= 40);
  return bytes.size() >= 12 && bytes.size() <= 512 && number(bytes, 0, 4) == 0x48434d43 &&
         number(bytes, 4, 2) == 1 && is_kind && number(bytes, 8, 4) == bytes.size();
}

// Of a consumer.
inline bool is_id(std::uint64_t id) { return id != 0 && id != 65'535; }

// A string behind its length, which is from `least` to `most`, at the packet's end; without NUL.
inline bool is_text(const Packet& bytes, std::size_t at, std::size_t least, std::size_t most) {
  const std::uint64_t length = number(bytes, at, 1);
  if (bytes.size() != at + 1 + length || length < least || length > most) return false;
  return std::none_of(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1, bytes.end(),
                      [](std::byte b) { return b == std::byte{}; });
}

// Numbers beside which the limits lie.
inline constexpr std::array<std::uint64_t, 14> kLimits = {
    0,      1,      119,         256,         512,         4096,        8192,
    65'535, 65'536, 1ULL << 24U, 1ULL << 30U, 1ULL << 31U, 1ULL << 47U, 1ULL << 63U};

// Takes a few bytes off the end, of which the header then knows; now and then it ends with a zero,
// as a string does that has lost all it had.
inline void shorten(Packet& packet, std::uint8_t count) {
  packet.resize(packet.size() - std::min<std::size_t>(count % 8U, packet.size() - 12));
  if (count >= 128) packet.back() = std::byte{};
  wire::Writer(std::span(packet).subspan(8)).number(static_cast<std::uint32_t>(packet.size()));
}

// Pairs of a place and what stands there; one number more shortens it.
inline void change_bytes(Packet& packet, std::span<const std::uint8_t> how) {
  if (how.size() % 2 == 1) shorten(packet, how.back());
  for (std::size_t n = 0; n + 1 < how.size() && n < 15; n += 2) {
    packet[how[n] % packet.size()] = std::byte{how[n + 1]};
  }
}

// A number near a limit at a place where one begins.
inline void change_numbers(Packet& packet, std::span<const std::uint8_t> how) {
  for (std::size_t n = 0; n + 2 < how.size() && n < 8; n += 3) {
    const std::size_t at = 12 + 4 * (how[n] % 18U);
    const std::uint64_t value = kLimits[how[n + 1] % kLimits.size()] + how[n + 2] % 5U - 2;
    const std::size_t size = (how[n + 2] & 0x80U) != 0 ? 8 : 4;
    for (std::size_t k = 0; k < size && at + k < packet.size(); ++k) {
      packet[at + k] = static_cast<std::byte>(value >> (8 * k));
    }
  }
}

// A sound header, one kind too few and one too many among them, and whatever behind it.
inline Packet with_header(std::uint8_t which, std::span<const std::uint8_t> body, Kinds kinds) {
  Packet packet(12 + body.size());
  wire::Writer out(packet);
  out.number(std::uint32_t{0x48434d43});
  out.number(std::uint16_t{1});
  out.number(static_cast<std::uint16_t>(kinds.first - 1 + which % (kinds.last - kinds.first + 3)));
  out.number(static_cast<std::uint32_t>(packet.size()));
  std::ranges::copy(std::as_bytes(body), packet.begin() + 12);
  return packet;
}

// `sound(n)`: the n-th of some packets that are as they should be, n any number.
template <class Sound>
Packet packet_of(std::span<const std::uint8_t> made_up, const Sound& sound, Kinds kinds) {
  const auto raw = std::as_bytes(made_up);
  if (made_up.empty() || made_up[0] % 4 == 0) return {raw.begin(), raw.end()};
  const auto which = static_cast<std::uint8_t>(made_up[0] / 4U);
  const std::span<const std::uint8_t> rest = made_up.subspan(1);
  if (made_up[0] % 4 == 3) return with_header(which, rest, kinds);
  Packet packet = sound(which);
  if (made_up[0] % 4 == 1) {
    change_bytes(packet, rest);
  } else {
    change_numbers(packet, rest);
  }
  return packet;
}

// What decode() does not let through it refuses for one of two reasons.
inline void check_refused(const Error& error) {
  require(error.code == Errc::connection_reset || error.code == Errc::unsupported_version,
          "a refused packet has one of two reasons");
}

// What it lets through is byte for byte what encode() makes of it.
template <class Body>
void check_written(const Body& body, std::span<const std::byte> bytes) {
  std::array<std::byte, wire::kMaxPacket> again;
  const std::size_t size = encode(body, again);
  require(size == bytes.size() && std::equal(bytes.begin(), bytes.end(), again.begin()),
          "an accepted packet is one that encode() writes");
}

}  // namespace comch::fuzz
