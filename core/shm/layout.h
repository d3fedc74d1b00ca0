// ControlLayout: where things lie in the memory that a client and a server share.
//
//   0         head page: what the region is, the words of both rings
//   4096      bytes of the ring to the server
//   ...       bytes of the ring to the client, page aligned
//
//   auto layout = ControlLayout::make({.max_message = 4080, .to_server_queue = 64,
//                                      .to_client_queue = 64});
//   auto& ring = ring_at(base, layout->to_server.shared);
//   RecordSender sender(ring, base + layout->to_server.data, layout->to_server.capacity, ...);
//
// Both sides compute the layout from the handshake's numbers, and neither reads it from the
// memory: the description in the head page is for people with a hex dump, and never trusted.
// All words share one page, so that a connection costs one TLB entry to poll.
//
// Threads: values. Lifetime: fresh zero memory is a valid region; the maker may describe it
// with write_head() before it sends the descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comch/result.h"
#include "shm/record_ring.h"

namespace comch::shm {

inline constexpr std::uint32_t kPage = 4096;
inline constexpr std::uint32_t kMaxMessage = 65535;  // As Capability's.
inline constexpr std::uint32_t kMaxQueue = 8192;

// One direction.
struct RingPlace {
  std::uint64_t shared = 0;  // Offset of its RingShared.
  std::uint64_t data = 0;    // Offset of its bytes.
  std::uint32_t capacity = 0;
  std::uint32_t queue = 0;  // Messages it holds at most.

  friend bool operator==(const RingPlace&, const RingPlace&) = default;
};

struct ControlLayout {
  struct Sizes {
    std::uint32_t max_message = 0;
    std::uint32_t to_server_queue = 0;  // The server's receive queue.
    std::uint32_t to_client_queue = 0;  // The client's.
  };

  std::uint32_t max_message = 0;
  RingPlace to_server;
  RingPlace to_client;
  std::uint64_t size = 0;  // Of the whole region, in bytes; a multiple of the page.

  // invalid_value: a size is zero or above its limit.
  static Result<ControlLayout> make(const Sizes& sizes);

  friend bool operator==(const ControlLayout&, const ControlLayout&) = default;
};

// The words of the ring at `offset`, as a layout gave it, of a region mapped at `base`.
inline RingShared<>& ring_at(std::byte* base, std::uint64_t offset) {
  return *reinterpret_cast<RingShared<>*>(base + offset);
}

// Describes the region in its head page. Only the maker calls it, once, before the peer has
// the memory; nothing reads it back.
void write_head(std::byte* base, const ControlLayout& layout);

}  // namespace comch::shm
