// UnderWay: accepting messages, what is to be done next of each, and transfers.
#include "transport/shm/under_way.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/copy.h"
#include "os/peer_file.h"
#include "os/peer_memory.h"

namespace comch::transport::shm {

using comch::shm::ChunkJob;
using comch::shm::JobSide;
using comch::shm::JobState;

namespace {

// What one call copies at most, so that a gigabyte does not keep its engine: some milliseconds.
constexpr std::uint64_t kSlice = std::uint64_t{8} << 20U;
// Pieces of a staged message: small enough that both sides copy at the same time.
constexpr std::uint64_t kPiece = std::uint64_t{64} << 10U;

// Chunks of a shared copy: eight or more, for both sides to share evenly, and of those the longest,
// for every cut slows the copying down. The shortest are picked; for the last one, of 256 KiB at
// most, the other side waits. Of a file there are half as many, for each is a call.
constexpr std::uint64_t kChunksOfACopy = 8;
constexpr std::uint64_t kChunksOfAFile = 4;
std::uint32_t shift_for(std::uint64_t length, std::uint64_t chunks) {
  constexpr std::uint32_t kLongest = 18;
  const auto width = static_cast<std::uint32_t>(std::bit_width(length / chunks));
  return std::clamp(width, comch::shm::kChunkShift + 1, kLongest + 1) - 1;
}

std::unexpected<Error> broken() {
  return fail(Errc::connection_reset, "the consumer's process broke the protocol");
}

}  // namespace

// --- Accepting -----------------------------------------------------------------------------

Outcome UnderWay::put(const Posted& posted, Bytes data, Bytes immediate,
                      const SharedMemory* source) {
  if (memory_.empty()) return begin_transfer(posted, data, immediate);
  const bool shared = source != nullptr && cooperative_ != 0 && data.size() >= cooperative_ &&
                      !outlet_.consumer.asleep();
  if (shared) {
    const auto offset = static_cast<std::uint64_t>(data.data() - source->bytes.data());
    // Where the memory cannot be shown it is copied by us alone.
    if (const auto map = outlet_.consumer.number_of(*source, outlet_.last_shown)) {
      return put_job(posted, *map, {offset, data.size()}, data, immediate);
    }
  }
  if (data.size() > kSlice) return begin_transfer(posted, data, immediate);
  copy_part(memory_.data() + posted.offset, data.data(), data.size(), data.size());
  outlet_.writer.put_direct(posted.index, data.size(), immediate);
  outlet_.counters.bytes += data.size();
  ++outlet_.counters.mapped;
  return put_done();
}

Outcome UnderWay::put_done() {
  if (messages_.empty()) return Outcome::kSent;
  line_up(Message::What::kDone);
  return Outcome::kUnderWay;
}

UnderWay::Message& UnderWay::line_up(Message::What what) {
  Message& message = messages_.append();
  message.what = what;
  message.silent = false;
  return message;
}

Outcome UnderWay::put_job(const Posted& posted, std::uint32_t map, comch::shm::Range source,
                          Bytes data, Bytes immediate) {
  const std::uint32_t position = outlet_.writer.position();
  const ChunkJob<> job = outlet_.writer.put_job(posted.index, map, source,
                                                shift_for(data.size(), kChunksOfACopy), immediate);
  outlet_.publish();
  outlet_.counters.bytes += data.size();
  ++outlet_.counters.cooperative;
  Message& message = line_up(Message::What::kJob);
  message.job.emplace(job);
  message.position = position;
  message.to = memory_.data() + posted.offset;
  message.data = data;
  // What becomes of it step() says.
  std::ignore = continue_job(message);
  return Outcome::kUnderWay;
}

Outcome UnderWay::put_reading(const Posted& posted, std::uint32_t number,
                              std::shared_ptr<const SharedFile> file, comch::shm::Range source,
                              Bytes immediate) {
  const ChunkJob<> job = outlet_.writer.put_reading(
      posted.index, number, source, shift_for(source.length, kChunksOfAFile), immediate);
  outlet_.publish();
  reading_ = {.file = std::move(file), .offset = source.offset};
  Message& message = line_up(Message::What::kReading);
  message.job.emplace(job);
  message.to = memory_.data() + posted.offset;
  // What becomes of it step() says.
  std::ignore = continue_reading(message);
  return Outcome::kUnderWay;
}

Outcome UnderWay::begin_transfer(const Posted& posted, Bytes data, Bytes immediate) {
  transfer_ = Transfer{.to = posted,
                       .data = data,
                       .done = 0,
                       .immediate = {},
                       .immediate_size = static_cast<std::uint32_t>(immediate.size())};
  std::ranges::copy(immediate, transfer_->immediate.begin());
  line_up(Message::What::kTransfer);
  return Outcome::kUnderWay;
}

std::optional<UnderWay::Posted> UnderWay::take_unheard() {
  // A message that is staged is known of from its first piece on, and its buffer is the consumer's
  // to post again.
  if (!transfer_ || (way() == wire::Way::kStaged && transfer_->done != 0)) return std::nullopt;
  return std::exchange(transfer_, std::nullopt)->to;
}

// --- Going on ------------------------------------------------------------------------------

Result<std::size_t> UnderWay::step() {
  std::size_t completed = 0;
  while (!messages_.empty()) {
    Message& message = messages_.front();
    const Result<bool> finished = go_on(message);
    // Those ahead of it have arrived all the same; the next step is told why it has not.
    if (!finished && completed == 0) return std::unexpected(finished.error());
    if (!finished || !*finished) break;
    if (!message.silent) ++completed;
    messages_.pop_front();
  }
  return completed;
}

Result<bool> UnderWay::go_on(Message& message) {
  switch (message.what) {
    case Message::What::kDone:
      break;
    case Message::What::kJob:
      return continue_job(message);
    case Message::What::kReading: {
      const Result<bool> is_over = continue_reading(message);
      if (is_over && *is_over) end_reading(*message.job);
      return is_over;
    }
    case Message::What::kTransfer:
      return continue_transfer();
  }
  return true;
}

std::size_t UnderWay::take_taken() {
  const auto is_over = [this](Message& message) {
    if (message.what == Message::What::kReading) {
      return message.job->state() == JobState::kFinished;
    }
    if (message.what != Message::What::kJob) return message.what == Message::What::kDone;
    return outlet_.writer.passed(message.position) || message.job->state() == JobState::kFinished;
  };
  std::size_t taken = 0;
  for (; !messages_.empty() && is_over(messages_.front()); messages_.pop_front()) {
    if (!messages_.front().silent) ++taken;
  }
  return taken;
}

bool UnderWay::ready() {
  if (messages_.empty()) return false;
  Message& message = messages_.front();
  switch (message.what) {
    case Message::What::kDone:
      return true;
    case Message::What::kJob:
      return message.more || outlet_.writer.passed(message.position) ||
             message.job->state() != JobState::kPending;
    case Message::What::kReading:
      return message.more || message.job->state() != JobState::kPending;
    case Message::What::kTransfer:
      // Only a staged one waits, for the consumer to read.
      return way() != wire::Way::kStaged || outlet_.writer.broken() || bounce_room(1).length != 0;
  }
  return true;
}

Result<bool> UnderWay::continue_job(Message& message) {
  // The slot is used again only when the consumer was done with it.
  if (outlet_.writer.passed(message.position)) return true;
  ChunkJob<>::Chunk chunk;
  std::uint64_t copied = 0;
  for (; copied < kSlice && message.job->claim(chunk); copied += chunk.length) {
    copy_part(message.to + chunk.offset, message.data.data() + chunk.offset, chunk.length,
              message.data.size());
    message.job->copied();
  }
  return end_job(message, copied);
}

Result<bool> UnderWay::continue_reading(Message& message) {
  ChunkJob<>::Chunk chunk;
  std::uint64_t done = 0;
  for (; done < kSlice && message.job->claim(chunk); done += chunk.length) {
    message.job->bring(JobSide::kSender, [&] {
      return os::read_cached(reading_->file->fd, {message.to + chunk.offset, chunk.length},
                             reading_->offset + chunk.offset);
    });
  }
  return end_job(message, done);
}

// Of which so many bytes were just done with.
Result<bool> UnderWay::end_job(Message& message, std::uint64_t done) {
  message.more = done >= kSlice;
  const JobState state = message.job->state();
  if (state == JobState::kPending) return false;
  const bool may_be_void = message.what == Message::What::kReading;
  if (state == JobState::kBroken || (state == JobState::kVoid && !may_be_void)) return broken();
  // The consumer sleeps when only our chunks are left.
  if (done != 0) outlet_.wake();
  return true;
}

void UnderWay::end_reading(ChunkJob<>& job) {
  reading_.reset();
  void_ = job.state() == JobState::kVoid;
  if (void_) return;
  outlet_.counters.bytes += job.length();
  ++outlet_.counters.cooperative;
}

// --- Transfers -----------------------------------------------------------------------------

Result<bool> UnderWay::continue_transfer() {
  Result<bool> finished = false;
  switch (way()) {
    case wire::Way::kMapped:
      finished = continue_direct();
      break;
    case wire::Way::kStaged:
      finished = continue_staged();
      break;
    case wire::Way::kCma:
      finished = continue_cma();
      break;
    case wire::Way::kView:
      break;  // Nothing is so long.
  }
  if (!finished || !*finished) return finished;
  outlet_.publish();
  outlet_.counters.bytes += transfer_->data.size();
  transfer_.reset();
  return true;
}

void UnderWay::put_transferred(std::uint64_t LaneCounters::* how) {
  const Transfer& now = *transfer_;
  outlet_.writer.put_direct(now.to.index, now.done, Bytes(now.immediate).first(now.immediate_size));
  ++(outlet_.counters.*how);
}

Result<bool> UnderWay::continue_direct() {
  Transfer& now = *transfer_;
  const std::uint64_t size = std::min<std::uint64_t>(now.data.size() - now.done, kSlice);
  copy_part(memory_.data() + now.to.offset + now.done, now.data.data() + now.done, size,
            now.data.size());
  now.done += size;
  if (now.done != now.data.size()) return false;
  put_transferred(&LaneCounters::mapped);
  return true;
}

Result<bool> UnderWay::continue_cma() {
  Transfer& now = *transfer_;
  const Bytes piece = now.data.subspan(now.done);
  const RemoteConsumer& consumer = outlet_.consumer;
  const Result<std::size_t> written =
      os::write_peer(consumer.pid, consumer.terms.map_address + now.to.offset + now.done,
                     piece.first(std::min<std::size_t>(piece.size(), kSlice)));
  if (!written) return std::unexpected(written.error());
  now.done += *written;
  if (now.done != now.data.size()) return false;
  put_transferred(&LaneCounters::cma);
  return true;
}

Result<bool> UnderWay::continue_staged() {
  Transfer& now = *transfer_;
  const std::uint64_t begin = now.done;
  while (now.done != now.data.size()) {
    if (now.done - begin >= kSlice || !put_piece()) {
      if (outlet_.writer.broken()) return broken();
      return false;
    }
  }
  ++outlet_.counters.staged;
  return true;
}

// What of the bounce area may be written now, when there is a slot to say so in.
comch::shm::Range UnderWay::bounce_room(std::uint64_t most) {
  outlet_.writer.look_again();
  if (outlet_.writer.room() == 0) return {};
  bounce_.free_before(outlet_.writer.head());
  return bounce_.room(most);
}

// One piece through the bounce area. False: there is no room now.
bool UnderWay::put_piece() {
  Transfer& now = *transfer_;
  const comch::shm::Range to =
      bounce_room(std::min<std::uint64_t>(now.data.size() - now.done, kPiece));
  if (to.length == 0) return false;
  std::memcpy(area_.data() + to.offset, now.data.data() + now.done, to.length);
  bounce_.take(to.length, outlet_.writer.position());
  if (now.done == 0) {
    outlet_.writer.put_staged(now.to.index, now.data.size(), to,
                              Bytes(now.immediate).first(now.immediate_size));
  } else {
    outlet_.writer.put_staged_next(now.to.index, to);
  }
  now.done += to.length;
  outlet_.publish();
  return true;
}

}  // namespace comch::transport::shm
