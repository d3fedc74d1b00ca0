// RecordCheck: whether a correct writer can have said what a lane's record says, where it said it.
// A staged message is several records, so that the check remembers what of one is open.
//
//   if (!check.is_sound(record)) ...       // No correct writer: the lane is broken.
//   ...
//   check.pass(record);                    // The record is popped.
//
// Threads: the reader's. Errors: none; every value of a record is possible.
#pragma once

#include <cstdint>

#include "shm/chunk_job.h"
#include "shm/lane_slot.h"
#include "shm/untrusted.h"

namespace comch::shm {

class RecordCheck {
 public:
  explicit RecordCheck(const LaneShape& shape) : shape_(shape) {}

  bool is_sound(const LaneRecord& record) const {
    if (record.kind == LaneKind::kRow) return is_row(record) && !is_open();
    if (record.immediate > shape_.immediate_max) return false;
    if (is_open() != (record.kind == LaneKind::kStagedNext)) return false;
    switch (record.kind) {
      case LaneKind::kImmediate:
        return record.length == 0;
      case LaneKind::kInline:
        return fits_inline(shape_, record.length, record.immediate);
      case LaneKind::kDirect:
      case LaneKind::kHandOver:
        return true;
      case LaneKind::kStaged:
        return is_chunk(record, record.length);
      case LaneKind::kStagedNext:
        return record.index == index_ && record.immediate == 0 &&
               record.length == record.control[1] && is_chunk(record, left_);
      case LaneKind::kJob:
      case LaneKind::kReading:
        return is_chunked(record.length, record.shift());
      case LaneKind::kRow:
        break;
    }
    return false;
  }

  // A staged message has begun, and more of it is to come.
  bool is_open() const { return left_ != 0; }

  // Bytes of a staged message that are still to come behind this record's chunk.
  std::uint64_t left_behind(const LaneRecord& record) const {
    return (record.kind == LaneKind::kStaged ? record.length : left_) - record.control[1];
  }

  void pass(const LaneRecord& record) {
    if (record.kind != LaneKind::kStaged && record.kind != LaneKind::kStagedNext) return;
    left_ = left_behind(record);
    index_ = record.index;
  }

 private:
  // Its count is where others have the length of the immediate data.
  bool is_row(const LaneRecord& record) const {
    return record.length - 1 < kRowPayload && record.immediate - 1 < shape_.slots;
  }
  bool is_chunk(const LaneRecord& record, std::uint64_t limit) const {
    const Range chunk = record.chunk();
    return chunk.length != 0 && chunk.length <= limit && contains(shape_.bounce_size, chunk);
  }

  const LaneShape shape_;
  std::uint64_t left_ = 0;  // Of the staged message that is open.
  std::uint16_t index_ = 0;
};

}  // namespace comch::shm
