// PostedLayout and LaneLayout: arithmetic over limits small enough that no sum wraps.
#include "shm/fast_layout.h"

#include <algorithm>
#include <bit>

namespace comch::shm {
namespace {

// Two lines: some processors fetch lines in pairs, and what one side polls must not share
// a pair with what the other writes.
constexpr std::uint64_t kPair = 2 * std::uint64_t{kCacheLine};
static_assert(sizeof(PostedShared<>) <= kPair && sizeof(LaneShared<>) <= kPair);

constexpr std::uint64_t aligned(std::uint64_t offset, std::uint64_t to) {
  return (offset + to - 1) & ~(to - 1);
}

}  // namespace

Result<PostedLayout> PostedLayout::make(std::uint32_t depth) {
  if (depth == 0 || depth > kMaxDepth) {
    return fail(Errc::invalid_value, "number of posted buffers outside its limits");
  }
  PostedLayout layout;
  layout.ring = kPair;
  layout.slots = posted_slots(depth);
  layout.size = aligned(layout.ring + std::uint64_t{layout.slots} * kPostedSize, kPage);
  return layout;
}

Result<LaneLayout> LaneLayout::make(const Sizes& sizes) {
  if (sizes.depth == 0 || sizes.depth > kMaxDepth || sizes.slots > kMaxLaneSlots ||
      sizes.immediate_max > kMaxImmediate || sizes.bounce_size > kMaxBounce ||
      sizes.handles > kMaxLaneSlots) {
    return fail(Errc::invalid_value, "a size of the lane is outside its limits");
  }
  LaneLayout layout;
  LaneShape& shape = layout.shape;
  // At least two: a lane that is full and a lane that is empty differ then.
  const std::uint32_t wanted = std::max(std::bit_ceil(sizes.depth), 2U);
  shape.slots = sizes.slots == 0 ? wanted : std::clamp(std::bit_floor(sizes.slots), 2U, wanted);
  shape.indexes = posted_slots(sizes.depth);
  shape.immediate_max = sizes.immediate_max;
  if (sizes.immediate_max > kAlwaysInSlot) {
    shape.side_stride = static_cast<std::uint32_t>(aligned(sizes.immediate_max, kCacheLine));
  }
  shape.bounce_size = sizes.bounce_size;
  shape.head_credit = shape.slots < sizes.depth || sizes.bounce_size != 0 || sizes.viewed;
  layout.returns = kPair;
  layout.returns_slots = sizes.handles == 0 ? 0 : std::bit_ceil(sizes.handles);
  layout.slots = aligned(layout.returns + std::uint64_t{layout.returns_slots} * 8, kPage);
  layout.side = layout.slots + std::uint64_t{shape.slots} * kLaneSlot;
  layout.bounce = aligned(layout.side + std::uint64_t{shape.slots} * shape.side_stride, kPage);
  layout.size = aligned(layout.bounce + sizes.bounce_size, kPage);
  return layout;
}

}  // namespace comch::shm
