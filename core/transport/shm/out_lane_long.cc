// OutLane: messages that take more than one step: shared copies, transfers in parts, and the
// order in which they complete.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/copy.h"
#include "os/peer_memory.h"
#include "transport/shm/out_lane.h"

namespace comch::transport::shm {

using comch::shm::ChunkJob;
using comch::shm::JobState;

namespace {

// What one call copies at most, so that a gigabyte does not keep its engine: some milliseconds.
constexpr std::uint64_t kSlice = std::uint64_t{8} << 20U;
// Pieces of a staged message: small enough that both sides copy at the same time.
constexpr std::uint64_t kPiece = std::uint64_t{64} << 10U;

// Chunks of a shared copy: eight or more, for both sides to share evenly, and of those the longest,
// for every cut slows the copying down. The shortest are picked; for the last one, of 256 KiB at
// most, the other side waits.
std::uint32_t shift_for(std::uint64_t length) {
  constexpr std::uint32_t kLongest = 18;
  const auto width = static_cast<std::uint32_t>(std::bit_width(length / 8));
  return std::clamp(width, comch::shm::kChunkShift + 1, kLongest + 1) - 1;
}

}  // namespace

Outcome OutLane::put_long(const Posted& posted, Bytes data, Bytes immediate,
                          const SharedMemory* source) {
  if (memory_.empty()) return begin_transfer(posted, data, immediate);
  const bool shared = source != nullptr && options_.cooperative != 0 &&
                      data.size() >= options_.cooperative && !consumer_->asleep();
  if (shared) {
    const auto offset = static_cast<std::uint64_t>(data.data() - source->bytes.data());
    // Where the memory cannot be shown it is copied by us alone.
    if (const auto map = consumer_->number_of(*source)) {
      return put_job(posted, *map, {offset, data.size()}, data, immediate);
    }
  }
  if (data.size() > kSlice) return begin_transfer(posted, data, immediate);
  copy_part(memory_.data() + posted.offset, data.data(), data.size(), data.size());
  writer_.put_direct(posted.index, data.size(), immediate);
  return put_done(&LaneCounters::mapped, data.size());
}

Outcome OutLane::put_job(const Posted& posted, std::uint32_t map, comch::shm::Range source,
                         Bytes data, Bytes immediate) {
  const std::uint32_t position = writer_.position();
  const ChunkJob<> job =
      writer_.put_job(posted.index, map, source, shift_for(data.size()), immediate);
  publish();
  counters_.bytes += data.size();
  ++counters_.cooperative;
  Unfinished& message = line_up(Unfinished::What::kJob);
  message.job.emplace(job);
  message.position = position;
  message.to = memory_.data() + posted.offset;
  message.data = data;
  static_cast<void>(continue_job(message));
  return Outcome::kUnderWay;
}

Outcome OutLane::begin_transfer(const Posted& posted, Bytes data, Bytes immediate) {
  transfer_ = Transfer{.to = posted,
                       .data = data,
                       .done = 0,
                       .immediate = {},
                       .immediate_size = static_cast<std::uint32_t>(immediate.size())};
  std::ranges::copy(immediate, transfer_->immediate.begin());
  line_up(Unfinished::What::kTransfer);
  return Outcome::kUnderWay;
}

std::optional<std::size_t> OutLane::step() {
  if (gone() || failure_) return std::nullopt;
  std::size_t completed = 0;
  while (unfinished_count_ != 0) {
    Unfinished& message = unfinished_[unfinished_first_ & (kMaxUnfinished - 1)];
    const Progress progress = go_on(message);
    if (progress == Progress::kFailed) {
      if (!failure_) {
        break_off({Errc::connection_reset, 0, "the consumer's process broke the protocol"});
      }
      return std::nullopt;
    }
    if (progress == Progress::kWaits) break;
    message.job.reset();
    ++unfinished_first_;
    --unfinished_count_;
    if (!message.silent) ++completed;
  }
  return completed;
}

OutLane::Progress OutLane::go_on(Unfinished& message) {
  switch (message.what) {
    case Unfinished::What::kDone:
      break;
    case Unfinished::What::kJob:
      return continue_job(message);
    case Unfinished::What::kTransfer:
      return continue_transfer();
  }
  return Progress::kFinished;
}

OutLane::Progress OutLane::continue_job(Unfinished& message) {
  // The slot is used again only when the consumer was done with it.
  if (writer_.passed(message.position)) return Progress::kFinished;
  ChunkJob<>::Chunk chunk;
  std::uint64_t copied = 0;
  for (; copied < kSlice && message.job->claim(chunk); copied += chunk.length) {
    copy_part(message.to + chunk.offset, message.data.data() + chunk.offset, chunk.length,
              message.data.size());
    message.job->copied();
  }
  message.more = copied >= kSlice;
  switch (message.job->state()) {
    case JobState::kPending:
      return Progress::kWaits;
    case JobState::kFinished:
      // The consumer sleeps when only our chunks are left.
      if (copied != 0 && data_ringer_.should_ring()) ring();
      return Progress::kFinished;
    case JobState::kBroken:
      break;
  }
  return Progress::kFailed;
}

// --- Transfers ---------------------------------------------------------------------------

OutLane::Progress OutLane::continue_transfer() {
  Progress progress = Progress::kWaits;
  switch (consumer_->terms.way) {
    case wire::Way::kMapped:
      progress = continue_direct();
      break;
    case wire::Way::kStaged:
      progress = continue_staged();
      break;
    case wire::Way::kCma:
      progress = continue_cma();
      break;
    case wire::Way::kView:
      break;  // Nothing is so long.
  }
  if (progress != Progress::kFinished) return progress;
  publish();
  counters_.bytes += transfer_->data.size();
  transfer_.reset();
  return progress;
}

OutLane::Progress OutLane::continue_direct() {
  Transfer& now = *transfer_;
  const std::uint64_t size = std::min<std::uint64_t>(now.data.size() - now.done, kSlice);
  copy_part(memory_.data() + now.to.offset + now.done, now.data.data() + now.done, size,
            now.data.size());
  now.done += size;
  if (now.done != now.data.size()) return Progress::kWaits;
  writer_.put_direct(now.to.index, now.done, Bytes(now.immediate).first(now.immediate_size));
  ++counters_.mapped;
  return Progress::kFinished;
}

OutLane::Progress OutLane::continue_cma() {
  Transfer& now = *transfer_;
  const Bytes piece = now.data.subspan(now.done);
  const Result<std::size_t> written =
      os::write_peer(consumer_->pid, consumer_->terms.map_address + now.to.offset + now.done,
                     piece.first(std::min<std::size_t>(piece.size(), kSlice)));
  if (!written) {
    break_off(written.error());
    // Nobody will hear of it; its bytes may have changed. Others may be let do more.
    untake(now.to);
    transfer_.reset();
    give_back_hand();
    hand_.clear();
    return Progress::kFailed;
  }
  now.done += *written;
  if (now.done != now.data.size()) return Progress::kWaits;
  writer_.put_direct(now.to.index, now.done, Bytes(now.immediate).first(now.immediate_size));
  ++counters_.cma;
  return Progress::kFinished;
}

OutLane::Progress OutLane::continue_staged() {
  Transfer& now = *transfer_;
  const std::uint64_t begin = now.done;
  while (now.done != now.data.size()) {
    if (now.done - begin >= kSlice || !put_piece()) {
      return writer_.broken() ? Progress::kFailed : Progress::kWaits;
    }
  }
  ++counters_.staged;
  return Progress::kFinished;
}

// What of the bounce area may be written now, when there is a slot to say so in.
comch::shm::Range OutLane::bounce_room(std::uint64_t most) {
  writer_.look_again();
  if (writer_.room() == 0) return {};
  bounce_.free_before(writer_.head());
  return bounce_.room(most);
}

// One piece through the bounce area. False: there is no room now.
bool OutLane::put_piece() {
  Transfer& now = *transfer_;
  const comch::shm::Range to =
      bounce_room(std::min<std::uint64_t>(now.data.size() - now.done, kPiece));
  if (to.length == 0) return false;
  std::memcpy(mapping_.bytes().data() + layout_.bounce + to.offset, now.data.data() + now.done,
              to.length);
  bounce_.take(to.length, writer_.position());
  if (now.done == 0) {
    writer_.put_staged(now.to.index, now.data.size(), to,
                       Bytes(now.immediate).first(now.immediate_size));
  } else {
    writer_.put_staged_next(now.to.index, to);
  }
  now.done += to.length;
  publish();
  return true;
}

bool OutLane::ready(bool for_space) {
  if (gone()) return true;
  if (gives_back() && handles_.has_returned()) return true;
  if (failure_) return false;  // Whatever was under way has been told of it.
  if (for_space && has_space()) return true;
  if (unfinished_count_ == 0) return false;
  Unfinished& message = unfinished_[unfinished_first_ & (kMaxUnfinished - 1)];
  switch (message.what) {
    case Unfinished::What::kDone:
      return true;
    case Unfinished::What::kJob:
      return message.more || writer_.passed(message.position) ||
             message.job->state() != JobState::kPending;
    case Unfinished::What::kTransfer:
      // Only a staged one waits, for the consumer to read.
      return consumer_->terms.way != wire::Way::kStaged || writer_.broken() ||
             bounce_room(1).length != 0;
  }
  return true;
}

}  // namespace comch::transport::shm
