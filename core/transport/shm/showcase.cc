// Showcase: see showcase.h.
#include "transport/shm/showcase.h"

namespace comch::transport::shm {

Found Showcase::look_at_other(InLane& lane, Shown& shown) {
  using comch::shm::LaneKind;
  comch::shm::LaneRecord record;
  const comch::shm::Look found = lane.reader.look(record);
  if (found == comch::shm::Look::kNothing) return Found::kNothing;
  const bool in_slot = record.kind == LaneKind::kInline || record.kind == LaneKind::kRow ||
                       record.kind == LaneKind::kImmediate;
  if (found == comch::shm::Look::kBroken || !in_slot) return Found::kBroken;
  shown = {.data = {lane.reader.data_of(record), record.length},
           .immediate = {lane.reader.immediate_of(record), record.immediate},
           .producer = lane.producer()};
  lane.reader.keep(record);
  return Found::kSome;
}

bool Showcase::release(std::size_t count) {
  return rows_.release(count, [](InLane& lane, std::size_t messages) {
    lane.reader.release(static_cast<std::uint32_t>(messages));
    if (lane.reader.flush()) lane.tell();
  });
}

}  // namespace comch::transport::shm
