// InLane: see in_lane.h.
#include "transport/shm/in_lane.h"

#include <utility>

#include "transport/shm/doorbell.h"

namespace comch::transport::shm {

using comch::shm::LaneLayout;

Result<std::unique_ptr<InLane>> InLane::make(const wire::Lane& lane, std::uint32_t depth,
                                             std::uint32_t immediate_max, bool viewed,
                                             bool own_membarrier, std::span<os::Fd> fds,
                                             Allowances& allowances) {
  if (fds.size() != 2) return fail(Errc::connection_reset, "a lane without its descriptors");
  auto descriptor = allowances.descriptors.take(1);
  if (!descriptor) return fail(Errc::full, kNoDescriptors);
  const Result<LaneLayout> layout = LaneLayout::make({.depth = depth,
                                                      .slots = lane.slots,
                                                      .immediate_max = immediate_max,
                                                      .bounce_size = lane.bounce_size,
                                                      .handles = lane.handles,
                                                      .viewed = viewed});
  if (!layout) return fail(Errc::connection_reset, "a lane of impossible size");
  const Result<std::uint64_t> size = os::sealed_size(fds[0]);
  if (!size) return std::unexpected(size.error());
  if (*size != layout->size) return fail(Errc::connection_reset, "a lane of another size");
  const Result<MappedShare> share = take_mapped(allowances, *size, 1);
  if (!share) return std::unexpected(share.error());
  Result<os::Mapping> mapping = os::Mapping::map(fds[0], *size);
  if (!mapping) return std::unexpected(mapping.error());
  mapping->free_elsewhere(*share);
  return std::make_unique<InLane>(lane.producer, *layout,
                                  Parts{.mapping = std::move(*mapping),
                                        .ringer = std::move(fds[1]),
                                        .descriptor = std::move(descriptor)},
                                  own_membarrier);
}

InLane::InLane(std::uint32_t producer, const LaneLayout& layout, Parts parts, bool own_membarrier)
    : reader(comch::shm::lane_at(parts.mapping.bytes().data()),
             parts.mapping.bytes().data() + layout.slots,
             parts.mapping.bytes().data() + layout.side, layout.shape),
      producer_(producer),
      slots_(layout.shape.slots),
      parts_(std::move(parts)),
      bounce_(parts_.mapping.bytes().data() + layout.bounce),
      space_ringer_(comch::shm::lane_at(parts_.mapping.bytes().data()).space_bell,
                    !own_membarrier) {
  if (layout.returns_slots != 0) {
    returns_.emplace(parts_.mapping.bytes().data() + layout.returns, layout.returns_slots);
    held_.resize(layout.returns_slots);
  }
}

bool InLane::accept(std::uint32_t handle, PeerMap& map) {
  if (handle >= held_.size() || held_[handle] != nullptr || !returns_->accept()) return false;
  held_[handle] = &map;
  ++map.holds;
  return true;
}

bool InLane::give_back(std::uint32_t handle, const std::byte* at) {
  if (handle >= held_.size() || held_[handle] == nullptr || !held_[handle]->contains(at)) {
    return false;
  }
  --std::exchange(held_[handle], nullptr)->holds;
  returns_->give_back(handle);
  tell();
  return true;
}

void InLane::leave_to(PeerMaps& maps) const {
  for (std::uint32_t handle = 0; handle < held_.size(); ++handle) {
    if (held_[handle] != nullptr) maps.keep(producer_, handle, *held_[handle]);
  }
}

void InLane::hear_ends(std::uint64_t ends) {
  if (!reader.ready()) {
    ends_passed_ = ends;
    return;
  }
  heeded = true;
  // The ends behind those of a mark wait for the next one: each lane has but one.
  if (mark_.ends <= ends_passed_) mark_ = {.ends = ends, .position = reader.position()};
}

// What is begun and not finished, as a job, is not taken: the position stays where it is.
void InLane::look_for_passed(std::uint64_t ends) {
  if (mark_.ends <= ends_passed_ || reader.position() - mark_.position < slots_) return;
  ends_passed_ = mark_.ends;
  if (ends_passed_ == ends) {
    heeded = ended;
  } else {
    mark_ = {.ends = ends, .position = reader.position()};
  }
}

void InLane::tell() {
  if (space_ringer_.should_ring()) ring(space_ringer_, parts_.ringer);
}

}  // namespace comch::transport::shm
