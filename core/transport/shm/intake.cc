// Intake: see intake.h. Here is what most messages are not: staged, copied together, handed over,
// or with immediate data.
#include "transport/shm/intake.h"

#include <cstring>

#include "base/checked.h"
#include "base/copy.h"

namespace comch::transport::shm {

using comch::shm::ChunkJob;
using comch::shm::JobSide;
using comch::shm::JobState;
using comch::shm::LaneKind;
using comch::shm::LaneRecord;

namespace {

constexpr int kChunks = 16;  // Of one call, so that other lanes have their turn.

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
    case LaneKind::kReading:
      return Passage::kCooperative;
    case LaneKind::kHandOver:
      return Passage::kHandOver;
    case LaneKind::kImmediate:
      break;
  }
  return Passage::kNone;
}

}  // namespace

Intake::Intake(const Setup& setup, Host& host, NextAnswer& next)
    : host_(host),
      next_(next),
      immediate_max_(setup.immediate_max),
      memory_(setup.memory),
      entries_(setup.names),
      table_(entries_),
      immediates_(std::size_t{setup.names} * setup.immediate_max),
      immediate_sizes_(setup.names) {}

Intake::Step Intake::take_other(InLane& lane, Arrival& arrival) {
  LaneRecord record;
  const comch::shm::Look found = lane.reader.look(record);
  if (found == comch::shm::Look::kNothing) return Step::kNothing;
  if (found == comch::shm::Look::kBroken) return Step::kBroken;
  const Entry* const entry = table_.find(record.index, room_for(lane, record));
  if (entry == nullptr) [[unlikely]]
    return Step::kBroken;
  arrival.handed = {};
  arrival.length = record.length;
  switch (record.kind) {
    case LaneKind::kImmediate:
    case LaneKind::kDirect:
      break;
    case LaneKind::kInline:
    case LaneKind::kRow:
      lane.reader.copy_data(room_of(*entry), record);
      break;
    case LaneKind::kStaged:
    case LaneKind::kStagedNext: {
      const Step step = take_staged(lane, record, *entry);
      if (step != Step::kArrival) return step;
      arrival.length = lane.staged;
      break;
    }
    case LaneKind::kJob: {
      const Step step = take_job(lane, record, room_of(*entry));
      if (step != Step::kArrival) return step;
      break;
    }
    case LaneKind::kReading: {
      const Step step = take_reading(lane, record, *entry);
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

void Intake::take_immediate(const InLane& lane, const LaneRecord& record, std::uint16_t name) {
  immediate_sizes_[name] = static_cast<std::uint16_t>(record.immediate);
  if (record.immediate == 0) return;
  lane.reader.copy_immediate(immediates_.data() + std::size_t{name} * immediate_max_, record);
}

// One chunk. The last one is left for take() to pop.
Intake::Step Intake::take_staged(InLane& lane, const LaneRecord& record, const Entry& entry) {
  std::byte* const to = room_of(entry);
  if (to == nullptr) return Step::kBroken;  // A post without a buffer has no room for a chunk.
  if (record.kind == LaneKind::kStaged) {
    lane.staged_total = record.length;
    lane.staged = 0;
    lane.staged_index = record.index;
    take_immediate(lane, record, entry.name());
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

// False: its chunks are those of another message, which was begun.
bool Intake::begin_job(InLane& lane, const LaneRecord& record) {
  if (lane.job) return record == lane.job_record;
  lane.job.emplace(lane.reader.job(record));
  lane.job_record = record;
  return true;
}

Intake::Step Intake::end_job(InLane& lane, JobState state, int done) {
  lane.job_waits = done < kChunks;
  switch (state) {
    case JobState::kFinished:
    case JobState::kVoid:
      lane.job.reset();
      lane.job_waits = false;
      lane.tell();
      return Step::kArrival;
    case JobState::kBroken:
      return Step::kBroken;
    case JobState::kPending:
      break;
  }
  return done != 0 ? Step::kPart : Step::kNothing;
}

Intake::Step Intake::take_job(InLane& lane, const LaneRecord& record, std::byte* to) {
  PeerMap* const map = host_.map_of(record.map());
  if (map == nullptr) return Step::kBroken;
  const std::span<const std::byte> source = map->bytes();
  const Range range{record.source().offset, record.source().length};
  if (!contains(source.size(), range)) return Step::kBroken;
  if (!begin_job(lane, record)) return Step::kBroken;
  int copied = 0;
  ChunkJob<>::Chunk chunk;
  for (; copied < kChunks && lane.job->claim(chunk); ++copied) {
    copy_part(to + chunk.offset, source.data() + range.offset + chunk.offset, chunk.length,
              record.length);
    lane.job->copied();
  }
  const JobState state = lane.job->state();
  if (state == JobState::kVoid) return Step::kBroken;  // Nothing of memory is ever missed.
  return end_job(lane, state, copied);
}

// A file that is not known, or no more, is one that cannot be read: nothing of it is missed but by
// who speaks of it.
Intake::Step Intake::take_reading(InLane& lane, const LaneRecord& record, const Entry& entry) {
  if (!begin_job(lane, record)) return Step::kBroken;
  const os::PeerFile* const file = host_.file_of(record.map());
  std::byte* const to = room_of(entry);
  int done = 0;
  ChunkJob<>::Chunk chunk;
  for (; done < kChunks && lane.job->claim(chunk); ++done) {
    lane.job->bring(JobSide::kReceiver, [&] {
      return file != nullptr &&
             file->read({to + chunk.offset, chunk.length}, record.source().offset + chunk.offset);
    });
  }
  const JobState state = lane.job->state();
  const Step step = end_job(lane, state, done);
  if (state != JobState::kVoid) return step;
  host_.post_again(record.index, entry);
  lane.reader.pop(record);
  return Step::kPart;
}

Intake::Step Intake::take_hand_over(InLane& lane, const LaneRecord& record, Arrival& arrival) {
  PeerMap* const map = host_.map_of(record.map());
  if (map == nullptr) return Step::kBroken;
  const std::span<std::byte> source = map->bytes();
  const Range range{record.source().offset, record.source().length};
  if (range.length == 0 || !contains(source.size(), range)) return Step::kBroken;
  if (!lane.accept(record.handle(), *map)) return Step::kBroken;
  arrival.handed = source.subspan(range.offset, range.length);
  arrival.handle = record.handle();
  arrival.length = 0;
  return Step::kArrival;
}

}  // namespace comch::transport::shm
