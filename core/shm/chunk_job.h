// ChunkJob: one large message that both sides copy, chunk by chunk.
//
// The job lives in its lane slot (lane.h), in two words that carry the slot's sequence:
//
//   claim  sequence (32)  chunks claimed (32)
//   done   sequence (32)  chunks done (30)  missed by the sender (1)  by the receiver (1)
//
//   for (ChunkJob<>::Chunk chunk; job.claim(chunk);) {      // Either side, any number of threads.
//     memcpy(to + chunk.offset, from + chunk.offset, chunk.length);
//     job.copied();
//   }
//   switch (job.state()) ...                                // kFinished: all of it is there.
//
// What is copied from memory is always there. What is read from a file may not be: a side that
// cannot have a chunk says missed() instead of copied(), and the job ends kVoid. bring() does so.
//
// A claim is a compare-and-swap and not an addition: a helper that comes late, when the slot
// already holds the next job, finds another sequence and changes nothing. An addition to `done`
// needs no such care: its chunk was claimed, so that the job is not finished and the slot
// not used again before it.
//
// A side that stops between claim() and copied() leaves the job pending, for good if it
// is dead: the message is neither delivered nor reported sent. Nobody waits for it inside a call.
//
// A lying peer: it can claim what it does not copy (the message is its own loss), or count
// what was never claimed. The claims that one side gets only rise, so that it copies each chunk
// at most once; a count that is impossible breaks the job. It can say that it missed a chunk, too,
// which it could have done.
//
// Ordering:
//
//   COPY   done.add(release) -> done.load(acquire)
//          the bytes are there before the job is finished; both sides' bytes, for the
//          additions are one release sequence.
//
// Threads: one object per side and thread. Lifetime: refers to the lane's memory. The sender's
// job is over, too, when its slot is written again (LaneWriter::passed).
// Errors: kBroken, for good. Tests: chunk_job_test.cc, chunk_model.cc, hostile_lane_fuzz.cc.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "shm/fast_machine.h"

namespace comch::shm {

inline constexpr std::uint32_t kChunkShiftMin = 12;  // 4 KiB; below it copying alone is faster.
inline constexpr std::uint32_t kChunkShiftMax = 20;
inline constexpr std::uint32_t kChunkShift = 15;  // 32 KiB: the shortest that is usual.

// Whether a job of `length` bytes in chunks of 1 << `shift` can be counted.
constexpr bool is_chunked(std::uint64_t length, std::uint32_t shift) {
  return length != 0 && shift >= kChunkShiftMin && shift <= kChunkShiftMax &&
         (length - 1) >> shift < 0x3fff'ffffU;
}

// kVoid: all chunks are done with, and one of them is not there.
enum class JobState : std::uint8_t { kPending, kFinished, kVoid, kBroken };
enum class JobSide : std::uint8_t { kSender, kReceiver };

template <class Machine = FastMachine>
class ChunkJob {
 public:
  using Data = typename Machine::Data;

  struct Chunk {
    std::uint64_t offset = 0;  // In the message.
    std::uint64_t length = 0;
  };

  // The words lie at `claim_at` and the 8 bytes behind. is_chunked(length, shift).
  ChunkJob(Data data, std::size_t claim_at, std::uint32_t sequence, std::uint64_t length,
           std::uint32_t shift)
      : data_(data), claim_at_(claim_at), sequence_(sequence), shift_(shift), length_(length) {
    assert(is_chunked(length, shift));
  }

  // The sender's, before it publishes the slot.
  void open() {
    Machine::store_word(data_, claim_at_, word(0));
    Machine::store_word(data_, claim_at_ + 8, word(0));
  }

  // The next chunk to copy, which is this side's from here on. False: there is none left, or
  // the job is broken, or (seldom) the other side was faster; state() knows.
  [[nodiscard]] bool claim(Chunk& chunk) {
    std::uint64_t claimed = Machine::load_word(data_, claim_at_);
    for (unsigned tries = 0; tries < kTries && is_ours(claimed); ++tries) {
      const std::uint32_t next = count_of(claimed);
      if (next >= chunks()) return false;
      if (next < unclaimed_) break;  // It has moved back.
      // No edge: the claim guards no memory; what is copied was there when the slot was.
      if (!Machine::swap_word(data_, claim_at_, claimed, word(next + 1),
                              std::memory_order_relaxed)) {
        continue;
      }
      unclaimed_ = next + 1;
      chunk.offset = std::uint64_t{next} << shift_;
      chunk.length = std::min(length_ - chunk.offset, std::uint64_t{1} << shift_);
      return true;
    }
    broken_ = broken_ || !is_ours(claimed) || count_of(claimed) < unclaimed_;
    return false;
  }

  // The chunk that was claimed last is copied.
  void copied() { count_done(0); }
  // It could not be had.
  void missed(JobSide side) {
    const unsigned bit = side == JobSide::kSender ? kMissedAt : kMissedAt + 1;
    count_done(std::exchange(has_missed_, true) ? 0 : std::uint64_t{1} << bit);
  }
  // Either of the two: what `read` answers of the chunk, which is not asked once there is no use in
  // it any more.
  template <class Read>
  void bring(JobSide side, Read&& read) {
    !is_spoiled() && read() ? copied() : missed(side);
  }
  // Whether somebody has missed one. The others are to be claimed all the same, and missed.
  [[nodiscard]] bool is_spoiled() const {
    // No edge: a hint.
    return Machine::load_header(data_, claim_at_ + 8, std::memory_order_relaxed) >> kMissedAt != 0;
  }

  [[nodiscard]] JobState state() {
    // COPY: meets both sides' copied().
    const std::uint64_t done =
        Machine::load_header(data_, claim_at_ + 8, std::memory_order_acquire);
    const std::uint32_t count = count_of(done) & kDoneMask;
    if (!is_ours(done) || count > chunks() || count < done_) broken_ = true;
    if (broken_) return JobState::kBroken;
    if (count != chunks()) return JobState::kPending;
    return done >> kMissedAt == 0 && !has_missed_ ? JobState::kFinished : JobState::kVoid;
  }

  [[nodiscard]] std::uint64_t length() const { return length_; }
  [[nodiscard]] std::uint32_t chunks() const {
    return static_cast<std::uint32_t>((length_ - 1) >> shift_) + 1;
  }

 private:
  static constexpr unsigned kTries = 64;  // Above the claims that get in between by chance.
  static constexpr unsigned kMissedAt = 62;
  static constexpr std::uint32_t kDoneMask = 0x3fff'ffff;
  static constexpr std::uint64_t kOneDone = std::uint64_t{1} << 32U;

  void count_done(std::uint64_t missed) {
    ++done_;
    // COPY: our bytes happen before whoever sees this count, or a later one.
    Machine::add_word(data_, claim_at_ + 8, missed | kOneDone, std::memory_order_release);
  }
  std::uint64_t word(std::uint32_t count) const { return std::uint64_t{count} << 32U | sequence_; }
  bool is_ours(std::uint64_t word) const { return static_cast<std::uint32_t>(word) == sequence_; }
  static std::uint32_t count_of(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32U);
  }

  Data data_;
  std::size_t claim_at_;
  std::uint32_t sequence_;
  std::uint32_t shift_;
  std::uint64_t length_;
  std::uint32_t unclaimed_ = 0;  // All chunks below it were claimed, by either side.
  std::uint32_t done_ = 0;       // By us.
  bool has_missed_ = false;      // We have said so.
  bool broken_ = false;
};

}  // namespace comch::shm
