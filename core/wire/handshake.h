// Handshake: the packets that a client and a server exchange over their SEQPACKET socket.
//
//   client                       server
//     Hello        ---------->            who I am, what I speak, how much I take
//                  <----------   Welcome  with one memfd: the region of both rings
//                           or   Refusal  why not; then the socket ends
//     Doorbell     <---------->           look at the rings
//     Goodbye      <---------->           the last packet: nothing comes behind it
//
// encode() writes a packet, decode() reads one. What decode() lets through is within the
// limits below; whether it is *acceptable* (the name is mine, the sizes agree) is the
// carrier's question. Descriptors travel beside a packet and are the carrier's too.
//
// Threads: pure functions. FORMAT.md has every byte, with an example that handshake_test.cc
// holds against this code. Tests: handshake_test.cc, wire_fuzz.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "comch/result.h"
#include "wire/frame.h"

namespace comch::wire {

inline constexpr std::size_t kMaxName = 119;  // Without NUL; as Capability's.
inline constexpr std::size_t kMaxRepresentor = 16;
inline constexpr std::size_t kMaxReason = 255;
inline constexpr std::uint32_t kMaxMessage = 65535;
inline constexpr std::uint32_t kMaxQueue = 8192;
// What a connection may speak: 1; 2, in which a server may ask for stamps; 3, in which producers
// say that a memory map has ended; or 4, in which they show files. Packets are laid out alike in
// all.
inline constexpr std::uint16_t kNewestVersion = 4;
inline constexpr std::uint32_t kMinRing = 4096;  // A ring's capacity, a power of two.
inline constexpr std::uint32_t kMaxRing = 1U << 30U;

// On whose behalf a client acts, when it is not its own: believed only from root or from the
// same user, which is the carrier's to check.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  friend bool operator==(const Identity&, const Identity&) = default;
};

// The client's first packet. Written in the layout of its min_version, so that an old server
// can read what a new client offers.
struct Hello {
  std::uint16_t min_version = kVersion;
  std::uint16_t max_version = kNewestVersion;
  std::uint32_t max_message_size = 0;  // 1 .. kMaxMessage
  std::uint32_t recv_queue_size = 0;   // 1 .. kMaxQueue; the client's
  bool membarrier = false;             // My process has registered; bells may be relaxed.
  std::optional<Identity> acting;
  std::string representor;  // PCI address; may be empty.
  std::string name;         // Of the server, never empty.

  friend bool operator==(const Hello&, const Hello&) = default;
};

// The server's consent. Travels with exactly one memfd.
struct Welcome {
  std::uint16_t version = kNewestVersion;  // The one both speak from here on.
  std::uint32_t recv_queue_size = 0;       // 1 .. kMaxQueue; the server's
  bool membarrier = false;
  bool stamped = false;  // Messages to the server say when they were sent; not in version 1.
  std::uint64_t connection_id = 0;
  std::uint32_t to_server_capacity = 0;  // The rings in the memfd, to check one's layout by.
  std::uint32_t to_client_capacity = 0;

  friend bool operator==(const Welcome&, const Welcome&) = default;
};

// The server's refusal.
struct Refusal {
  Errc code = Errc::unknown;
  std::string reason;  // For people; show it through printable().

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// "Look at the rings." Carries nothing, so that losing one of two is no loss.
struct Doorbell {
  friend bool operator==(const Doorbell&, const Doorbell&) = default;
};

// The sender will write nothing more.
struct Goodbye {
  bool orderly = true;  // It has read and delivered all it promised.

  friend bool operator==(const Goodbye&, const Goodbye&) = default;
};

using Packet = std::variant<Hello, Welcome, Refusal, Doorbell, Goodbye>;

// Writes the packet to the front of `out` (kMaxPacket always suffices) and answers its size;
// 0 when a field is outside its limits or `out` is too small: the caller's mistake, and
// nothing to send.
std::size_t encode(const Hello& hello, std::span<std::byte> out);
std::size_t encode(const Welcome& welcome, std::span<std::byte> out);
std::size_t encode(const Refusal& refusal, std::span<std::byte> out);
std::size_t encode(const Doorbell& doorbell, std::span<std::byte> out);
std::size_t encode(const Goodbye& goodbye, std::span<std::byte> out);

// Reads one whole packet.
//
// unsupported_version: it is ours, in a layout we do not know; answer with a Refusal.
// connection_reset:    no correct peer writes this: wrong magic, size, kind, a field outside
//                      its limits, bytes left over.
Result<Packet> decode(std::span<const std::byte> bytes);

// The version to speak with the sender of `hello`.
//
// unsupported_version: there is none.
Result<std::uint16_t> choose_version(const Hello& hello);

// A peer's text, fit for a log or a terminal: what is not printable ASCII becomes \xNN, and a
// backslash is doubled.
std::string printable(std::string_view text);

}  // namespace comch::wire
