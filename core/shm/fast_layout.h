// FastLayout: where things lie in the two memories of the fast path.
//
//   PostedLayout, one per consumer, made by it:
//     0      PostedShared
//     128    descriptors, 16 bytes each
//
//   LaneLayout, one per producer and consumer, made by the producer:
//     0      LaneShared
//     128    returns ring, 8 bytes a slot
//     ...    slots, page aligned; side area; bounce area, page aligned
//
// Both sides compute them from numbers that they have agreed on, and neither reads them from
// the memory. The maker's descriptor is sealed, and its size is compared with `size`.
//
// Threads: values. Lifetime: fresh zero memory is valid for both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comch/result.h"
#include "shm/lane.h"
#include "shm/layout.h"
#include "shm/posted_ring.h"

namespace comch::shm {

inline constexpr std::uint32_t kMaxLaneSlots = 8192;
inline constexpr std::uint64_t kMaxBounce = std::uint64_t{1} << 30U;

struct PostedLayout {
  std::uint64_t ring = 0;   // Offset of the descriptors.
  std::uint32_t slots = 0;  // Of them.
  std::uint64_t size = 0;   // Of the memory; a multiple of the page.

  // invalid_value: `depth`, what the consumer posts at most, is 0 or above kMaxDepth.
  static Result<PostedLayout> make(std::uint32_t depth);

  friend bool operator==(const PostedLayout&, const PostedLayout&) = default;
};

struct LaneLayout {
  struct Sizes {
    std::uint32_t depth = 0;          // The consumer's.
    std::uint32_t slots = 0;          // At most so many; 0: as many as the depth asks for.
    std::uint32_t immediate_max = 0;  // The consumer's.
    std::uint64_t bounce_size = 0;    // 0: nothing is staged.
    std::uint32_t handles = 0;        // Buffers handed over at a time; 0: none ever.
    bool viewed = false;  // Messages are looked at in their slots, and use up no buffer.
  };

  LaneShape shape;
  std::uint64_t returns = 0;  // Offset of the returns ring.
  std::uint32_t returns_slots = 0;
  std::uint64_t slots = 0;  // Offsets.
  std::uint64_t side = 0;
  std::uint64_t bounce = 0;
  std::uint64_t size = 0;  // Of the memory; a multiple of the page.

  // invalid_value: a size is above its limit, or the depth is 0.
  static Result<LaneLayout> make(const Sizes& sizes);

  friend bool operator==(const LaneLayout&, const LaneLayout&) = default;
};

// The words at the beginning of memory mapped at `base`.
inline PostedShared<>& posted_at(std::byte* base) {
  return *reinterpret_cast<PostedShared<>*>(base);
}
inline std::byte* posted_run_at(std::byte* base) { return base + offsetof(PostedShared<>, run); }
inline LaneShared<>& lane_at(std::byte* base) { return *reinterpret_cast<LaneShared<>*>(base); }

}  // namespace comch::shm
