// ConsumerPort: taking messages out of lanes. Everything a producer says is held against what
// this side knows: the table of posted buffers, the maps it was shown, the sizes it agreed to.
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/copy.h"
#include "base/say.h"
#include "transport/shm/consumer_port.h"

namespace comch::transport::shm {

using comch::shm::ChunkJob;
using comch::shm::JobState;
using comch::shm::LaneKind;
using comch::shm::LaneRecord;
using comch::shm::PostedTable;

namespace {

// What the message needs of the posted buffer: a hand-over stays where it is. A chunk behind a
// staged message's first needs room for all of the message: its index may be another buffer's by
// now, if another lane of the process has used it up.
std::uint64_t room_for(const InLane& lane, const LaneRecord& record) {
  if (record.kind == LaneKind::kHandOver) return 0;
  return record.kind == LaneKind::kStagedNext ? lane.staged_total : record.length;
}

Passage passage_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::kInline:
    case LaneKind::kRow:
      return Passage::kInline;
    case LaneKind::kDirect:
      return Passage::kDirect;
    case LaneKind::kStaged:
    case LaneKind::kStagedNext:
      return Passage::kStaged;
    case LaneKind::kJob:
      return Passage::kCooperative;
    case LaneKind::kHandOver:
      return Passage::kHandOver;
    case LaneKind::kImmediate:
      break;
  }
  return Passage::kNone;
}

}  // namespace

ConsumerPort::Step ConsumerPort::take_other(InLane& lane, Arrival& arrival) {
  LaneRecord record;
  const comch::shm::Look found = lane.reader.look(record);
  if (found == comch::shm::Look::kNothing) return Step::kNothing;
  if (found == comch::shm::Look::kBroken) return Step::kBroken;
  const PostedTable::Entry* const entry = table_.find(record.index, room_for(lane, record));
  if (entry == nullptr) [[unlikely]]
    return Step::kBroken;
  std::byte* const to = entry->capacity() != 0 ? memory_.data() + entry->offset : nullptr;
  arrival.handed = {};
  arrival.length = record.length;
  switch (record.kind) {
    case LaneKind::kImmediate:
    case LaneKind::kDirect:
      break;
    case LaneKind::kInline:
    case LaneKind::kRow:
      lane.reader.copy_data(to, record);
      break;
    case LaneKind::kStaged:
    case LaneKind::kStagedNext: {
      const Step step = take_staged(lane, record, to);
      if (step != Step::kArrival) return step;
      arrival.length = lane.staged;
      break;
    }
    case LaneKind::kJob: {
      const Step step = take_job(lane, record, to);
      if (step != Step::kArrival) return step;
      break;
    }
    case LaneKind::kHandOver: {
      const Step step = take_hand_over(lane, record, arrival);
      if (step != Step::kArrival) return step;
      break;
    }
  }
  // A staged message's came with its first chunk, and is there already.
  if (record.kind != LaneKind::kStagedNext) take_immediate(lane, record, entry->name());
  arrival.index = entry->name();
  arrival.passage = passage_of(record.kind);
  arrival.producer = lane.producer();
  arrival.immediate = {immediates_.data() + std::size_t{arrival.index} * immediate_max_,
                       immediate_sizes_[arrival.index]};
  lane.reader.pop(record);
  table_.complete(record.index);
  return Step::kArrival;
}

void ConsumerPort::take_immediate(const InLane& lane, const LaneRecord& record,
                                  std::uint16_t name) {
  immediate_sizes_[name] = static_cast<std::uint16_t>(record.immediate);
  if (record.immediate == 0) return;
  lane.reader.copy_immediate(immediates_.data() + std::size_t{name} * immediate_max_, record);
}

// One chunk. The last one is left for take() to pop.
ConsumerPort::Step ConsumerPort::take_staged(InLane& lane, const LaneRecord& record,
                                             std::byte* to) {
  if (to == nullptr) return Step::kBroken;  // A post without a buffer has no room for a chunk.
  if (record.kind == LaneKind::kStaged) {
    lane.staged_total = record.length;
    lane.staged = 0;
    lane.staged_index = record.index;
    take_immediate(lane, record, entries_[record.index].name());
  }
  const comch::shm::Range chunk = record.chunk();
  std::memcpy(to + lane.staged, lane.bounce(chunk.offset), chunk.length);
  lane.staged += chunk.length;
  lane.staged_open = lane.reader.left_behind(record) != 0;
  if (!lane.staged_open) return Step::kArrival;
  lane.reader.pop(record);
  // The producer may wait for this very piece of its bounce area.
  if (lane.reader.flush()) lane.tell();
  return Step::kPart;
}

ConsumerPort::Step ConsumerPort::take_job(InLane& lane, const LaneRecord& record, std::byte* to) {
  constexpr int kChunks = 16;  // Of one call, so that other lanes have their turn.
  const os::Window* const map = map_of(record.map());
  if (map == nullptr) return Step::kBroken;
  const std::span<const std::byte> source = map->bytes();
  const Range range{record.source().offset, record.source().length};
  if (!contains(source.size(), range)) return Step::kBroken;
  if (!lane.job) {
    lane.job.emplace(lane.reader.job(record));
    lane.job_record = record;
  } else if (record != lane.job_record) {
    return Step::kBroken;  // Its chunks are those of the message that was begun.
  }
  int copied = 0;
  ChunkJob<>::Chunk chunk;
  for (; copied < kChunks && lane.job->claim(chunk); ++copied) {
    copy_part(to + chunk.offset, source.data() + range.offset + chunk.offset, chunk.length,
              record.length);
    lane.job->copied();
  }
  lane.job_waits = copied < kChunks;
  switch (lane.job->state()) {
    case JobState::kFinished:
      lane.job.reset();
      lane.job_waits = false;
      lane.tell();
      return Step::kArrival;
    case JobState::kBroken:
      return Step::kBroken;
    case JobState::kPending:
      break;
  }
  return copied != 0 ? Step::kPart : Step::kNothing;
}

ConsumerPort::Step ConsumerPort::take_hand_over(InLane& lane, const LaneRecord& record,
                                                Arrival& arrival) {
  const os::Window* const map = map_of(record.map());
  if (map == nullptr) return Step::kBroken;
  const std::span<std::byte> source = map->bytes();
  const Range range{record.source().offset, record.source().length};
  if (range.length == 0 || !contains(source.size(), range)) return Step::kBroken;
  if (!lane.accept(record.handle())) return Step::kBroken;
  arrival.handed = source.subspan(range.offset, range.length);
  arrival.handle = record.handle();
  arrival.length = 0;
  return Step::kArrival;
}

// --- Looking at messages where they lie ---------------------------------------------------

ConsumerPort::Step ConsumerPort::view_other(InLane& lane, Shown& shown) {
  LaneRecord record;
  const comch::shm::Look found = lane.reader.look(record);
  if (found == comch::shm::Look::kNothing) return Step::kNothing;
  const bool in_slot = record.kind == LaneKind::kInline || record.kind == LaneKind::kRow ||
                       record.kind == LaneKind::kImmediate;
  if (found == comch::shm::Look::kBroken || !in_slot) return Step::kBroken;
  shown = {.data = {lane.reader.data_of(record), record.length},
           .immediate = {lane.reader.immediate_of(record), record.immediate},
           .producer = lane.producer()};
  lane.reader.keep(record);
  return Step::kArrival;
}

bool ConsumerPort::release(std::size_t count) {
  return shown_.release(count, [](InLane& lane, std::size_t messages) {
    lane.reader.release(static_cast<std::uint32_t>(messages));
    if (lane.reader.flush()) lane.tell();
  });
}

// --- The end of a lane --------------------------------------------------------------------

// A lane that has ended, and is empty now, or is broken.
void ConsumerPort::settle(InLane& lane, Step step) {
  if (step == Step::kBroken) {
    if (std::exchange(lane.shut, true)) return;
    say(LogLevel::kWarning,
        "producer {} wrote nonsense into its lane to consumer {}; its process "
        "is cut off",
        lane.producer(), id_);
    return lose(Error{Errc::connection_reset, 0, "a producer wrote nonsense into its lane"});
  }
  sweep_ = true;
}

// The buffer of a message that its producer has not finished is posted again: it is whole but for
// bytes nobody was promised.
void ConsumerPort::sweep() {
  sweep_ = false;
  std::erase_if(lanes_, [&](const std::unique_ptr<InLane>& lane) {
    if (!lane->ended || lane->reader.ready() || lane->reader.kept() != 0) return false;
    if (lane->staged_open && table_.posted(lane->staged_index)) {
      const PostedTable::Entry entry = entries_[lane->staged_index];
      writer_.post(lane->staged_index, entry.offset, entry.capacity());
      unheard_ = true;
    }
    return true;
  });
  note_only_lane();
  publish();
}

}  // namespace comch::transport::shm
