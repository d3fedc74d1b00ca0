// UnderWay: the messages of a lane that are accepted and not complete yet, and those that are, but
// behind one that is not: they complete in the order in which they were accepted.
//
//   if (!under_way.busy()) outcome = under_way.put(posted, data, immediate, source);
//   const Result<std::size_t> completed = under_way.step();      // Again and again.
//
//   job        copied by both sides, chunk by chunk (shm/chunk_job.h)
//   reading    read from a file by both sides in the same way. Nothing comes behind it until it is
//              over. What is not in the page cache nobody waits for: it is void then, and its
//              buffer is the consumer's to post again.
//   transfer   copied by this side in several steps: into mapped memory, through the bounce area,
//              or by the kernel; one at a time
//
// Threads: the producer's. Lifetime: the lane's; data stays where it is until it is complete.
// Errors: of step().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/circle.h"
#include "comch/result.h"
#include "shm/chunk_job.h"
#include "shm/fast_layout.h"
#include "transport/outcome.h"
#include "transport/shm/bounce.h"
#include "transport/shm/outlet.h"

namespace comch::transport::shm {

class UnderWay {
 public:
  using Bytes = std::span<const std::byte>;
  using Posted = comch::shm::Posted;

  // `memory`: the consumer's; empty: it is not mapped. `bounce`: the lane's bounce area, if there
  // is one. `cooperative`: messages from here on are copied by both; 0: none.
  UnderWay(Outlet& outlet, std::span<std::byte> memory, std::span<std::byte> bounce,
           std::uint32_t slots, std::uint64_t cooperative)
      : outlet_(outlet),
        memory_(memory),
        area_(bounce),
        cooperative_(cooperative),
        bounce_(bounce.size(), slots) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  bool empty() const { return messages_.empty(); }
  // None is accepted now: there are too many, or everything waits for the transfer.
  bool busy() const { return transfer_ || reading_ || messages_.full(); }

  // One that does not fit into its slot. kSent: it is complete, and in the lane. kUnderWay.
  // `source`: the memory that the data lies in, if it may be shown to the consumer.
  Outcome put(const Posted& posted, Bytes data, Bytes immediate, const SharedMemory* source);
  // One that is read from `file`, of which its consumer may be told. What of it is known to be
  // there is for the caller to look at. kUnderWay.
  Outcome put_reading(const Posted& posted, std::uint32_t number,
                      std::shared_ptr<const SharedFile> file, comch::shm::Range source,
                      Bytes immediate);
  // The last message that step() has counted was a reading, and is void. Asked once.
  [[nodiscard]] bool take_void() { return std::exchange(void_, false); }
  // One that is in the lane. kSent: it is complete. kUnderWay: behind others.
  Outcome put_done();
  // The one that was put last is not to be counted by step().
  void forget_last() { messages_[messages_.size() - 1].silent = true; }

  // Continues them; answers how many have completed. connection_reset: the consumer broke the
  // protocol. Others: the kernel does not copy. Both for good.
  Result<std::size_t> step();
  // The same without going on, for who waits no longer: those that the consumer has taken.
  std::size_t take_taken();
  // Whether there is a reason to call it.
  bool ready();
  // At the end: the posted buffer of a message that nobody has heard of.
  std::optional<Posted> take_unheard();

 private:
  struct Message {
    enum class What : std::uint8_t { kDone, kTransfer, kJob, kReading };
    What what = What::kDone;
    std::optional<comch::shm::ChunkJob<>> job;
    std::uint32_t position = 0;  // Of the job's slot.
    std::byte* to = nullptr;     // Of the job, or reading.
    bool more = false;           // Of those: chunks are left to claim.
    bool silent = false;         // Nobody counts it.
    Bytes data;
  };
  struct Reading {
    std::shared_ptr<const SharedFile> file;
    std::uint64_t offset = 0;
  };
  struct Transfer {
    Posted to;
    Bytes data;
    std::uint64_t done = 0;
    std::array<std::byte, comch::shm::kMaxImmediate> immediate;
    std::uint32_t immediate_size = 0;
  };
  static constexpr std::size_t kMost = 64;

  wire::Way way() const { return outlet_.consumer.terms.way; }
  Outcome put_job(const Posted& posted, std::uint32_t map, comch::shm::Range source, Bytes data,
                  Bytes immediate);
  Outcome begin_transfer(const Posted& posted, Bytes data, Bytes immediate);

  // One more. What it does not say is left from the last that had its place: behind a copy each
  // store waits.
  Message& line_up(Message::What what);

  // Of what is asked to go on: whether it is finished.
  Result<bool> go_on(Message& message);
  Result<bool> continue_job(Message& message);
  Result<bool> continue_reading(Message& message);
  Result<bool> end_job(Message& message, std::uint64_t done);
  void end_reading(comch::shm::ChunkJob<>& job);
  Result<bool> continue_transfer();
  Result<bool> continue_direct();
  Result<bool> continue_staged();
  Result<bool> continue_cma();
  // All of the transfer is in the posted buffer.
  void put_transferred(std::uint64_t LaneCounters::* how);
  bool put_piece();
  comch::shm::Range bounce_room(std::uint64_t most);

  Outlet& outlet_;
  const std::span<std::byte> memory_;
  const std::span<std::byte> area_;
  const std::uint64_t cooperative_;
  Circle<Message, kMost> messages_;
  std::optional<Transfer> transfer_;  // The last but those that are done.
  std::optional<Reading> reading_;    // The last.
  bool void_ = false;                 // Of take_void().
  Bounce bounce_;
};

}  // namespace comch::transport::shm
