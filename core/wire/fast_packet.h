// FastPacket: what two processes say to each other about consumers and producers.
//
// On the connection's socket, from the process that has a consumer:
//
//   Consumer      here is one: its posted ring, the socket to reach it by (its *line*), and
//                 the memory it posts from where the peer may map it
//   ConsumerEnd   it is gone
//
// On the consumer's line, from the process that has producers:
//
//   Accepted      the Consumer was understood; its producers know of it
//   Lane          a producer begins to send: its lane, and a socket to ring it by
//   LaneEnd       that producer sends no more; what it has sent is still to be read
//   Map           memory that jobs and hand-overs may speak of from here on
//   MapEnd        nothing that is sent from here on speaks of it, or of that file
//   File          a file that readings may speak of from here on
//
// Doorbell (handshake.h) travels on lines and on producers' sockets. decode_fast() lets
// through what is within the limits below; what it *means* is the carrier's question.
//
// Threads: pure functions. FORMAT.md has every byte. Tests: fast_packet_test.cc, wire_fuzz.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "comch/result.h"
#include "wire/frame.h"

namespace comch::wire {

inline constexpr std::uint32_t kMaxPosted = 8192;    // Buffers of one consumer.
inline constexpr std::uint32_t kMaxImmediate = 256;  // Bytes.
inline constexpr std::uint64_t kMaxMap = std::uint64_t{1} << 47U;

// How data comes into the posted buffers; or, of a consumer that posts none, is looked at where it
// lies in the lane.
enum class Way : std::uint8_t { kMapped = 1, kStaged = 2, kCma = 3, kView = 4 };

// Travels with: the posted ring's memfd, the line, and with kMapped the map's memfd.
struct Consumer {
  std::uint32_t id = 0;  // Never 0 and never 0xffff.
  std::uint32_t depth = 0;
  std::uint32_t immediate_max = 0;
  Way way = Way::kStaged;
  bool membarrier = false;
  std::uint64_t map_offset = 0;   // kMapped: of the map in its memfd, whole pages.
  std::uint64_t map_size = 0;     // 0: it takes immediate data alone; always of kView.
  std::uint64_t map_address = 0;  // kCma: where the map is, in the consumer's process.

  friend bool operator==(const Consumer&, const Consumer&) = default;
};

struct ConsumerEnd {
  std::uint32_t id = 0;
  friend bool operator==(const ConsumerEnd&, const ConsumerEnd&) = default;
};

struct Accepted {
  bool membarrier = false;
  friend bool operator==(const Accepted&, const Accepted&) = default;
};

// Travels with: the lane's memfd, and the socket to ring the producer by.
struct Lane {
  std::uint32_t producer = 0;
  std::uint32_t slots = 0;  // At most so many; 0: as many as the depth asks for.
  std::uint32_t handles = 0;
  std::uint64_t bounce_size = 0;

  friend bool operator==(const Lane&, const Lane&) = default;
};

struct LaneEnd {
  std::uint32_t producer = 0;
  friend bool operator==(const LaneEnd&, const LaneEnd&) = default;
};

// Travels with: the memfd.
struct Map {
  std::uint32_t number = 0;
  std::uint64_t offset = 0;  // Whole pages.
  std::uint64_t size = 0;

  friend bool operator==(const Map&, const Map&) = default;
};

// Not in versions 1 and 2.
struct MapEnd {
  std::uint32_t number = 0;
  friend bool operator==(const MapEnd&, const MapEnd&) = default;
};

// Travels with: the file. Not in versions 1 to 3.
struct File {
  std::uint32_t number = 0;  // Of those that maps have, too.
  friend bool operator==(const File&, const File&) = default;
};

using FastPacket = std::variant<Consumer, ConsumerEnd, Accepted, Lane, LaneEnd, Map, MapEnd, File>;

// As encode() and decode() of handshake.h.
std::size_t encode(const FastPacket& packet, std::span<std::byte> out);
Result<FastPacket> decode_fast(std::span<const std::byte> bytes);

// Whether the packet is one of the above; it may be nonsense all the same.
bool is_fast(std::span<const std::byte> bytes);

}  // namespace comch::wire
