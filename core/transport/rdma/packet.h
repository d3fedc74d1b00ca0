// Packet: what one SEND of the control path carries: a header with the sender's counts of freed
// receives, and a body.
//
//   kMessage  a message of the application's
//   kLetter   a packet of the fast path (R: consumers and producers to each other)
//   kCredit   nothing: the counts are what it is for
//   kHandshake, kRefusal, kGoodbye   a packet of wire/
//
// Threads: pure functions. FORMAT.md has the bytes. Errors: read() answers nothing for what no
// correct peer writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace comch::transport::rdma {

enum class PacketKind : std::uint8_t { kMessage = 1, kLetter, kCredit, kHandshake, kGoodbye };

// Each has receives of its own, so that messages that nobody takes hold nothing else up.
enum class PacketClass : std::uint8_t { kMessages, kLetters, kControl };
inline constexpr std::size_t kClasses = 3;

constexpr PacketClass class_of(PacketKind kind) {
  switch (kind) {
    case PacketKind::kMessage:
      return PacketClass::kMessages;
    case PacketKind::kLetter:
      return PacketClass::kLetters;
    default:
      return PacketClass::kControl;
  }
}

struct PacketHeader {
  PacketKind kind = PacketKind::kCredit;
  std::array<std::uint32_t, kClasses> freed{};  // By class.
};

inline constexpr std::size_t kPacketHeader = 16;

void write(const PacketHeader& header, std::span<std::byte, kPacketHeader> out);
std::optional<PacketHeader> read_header(std::span<const std::byte> packet);

}  // namespace comch::transport::rdma
