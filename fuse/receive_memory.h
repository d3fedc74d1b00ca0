// ReceiveMemory: the buffers that a consumer posts, for one run of it; and BufferArrival: one of
// them, with the message that came in it.
//
//   map: | buffer | buffer | buffer | ...      all posted but those that are Arrivals
//
// A message that was handed over is as long as its producer likes, and is not copied when it comes:
// it stays in the producer's memory, and is given back when it was read. That memory is sealed
// against shrinking; but its bytes are the producer's to change if it breaks the rules, and pages
// that nobody had touched are made, for us to pay, when they are read in place. So they are read by
// its descriptor, a part at a time, which makes none. What is unread when the consumer stops is
// copied, to memory of ours, so that it is counted from the start.
//
// Threads: the loop's. Lifetime: shared by the consumer's directory and the arrivals, which
// may outlive the consumer: what has arrived can be read when it is no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "arrival.h"
#include "comch/buffer.h"
#include "comch/consumer.h"
#include "comch/memory_map.h"
#include "engine_host.h"

namespace comch::fuse {

class BufferArrival;

class ReceiveMemory : public std::enable_shared_from_this<ReceiveMemory> {
 public:
  // A share of its owner's quota for so many bytes that were handed over. Null: drop them.
  using Admit = std::function<std::shared_ptr<const void>(std::uint64_t bytes)>;

  // `share`: of its owner's quota, given back when the last buffer is. no_memory, operating_system:
  // there is not so much.
  static Result<std::shared_ptr<ReceiveMemory>> create(EngineHost& host, std::uint64_t buffer_size,
                                                       std::uint32_t buffers,
                                                       std::shared_ptr<const void> share,
                                                       Admit admit);
  ReceiveMemory(EngineHost& host, Admit admit)
      : host_(host), admit_(std::move(admit)) {}  // Only for create().
  ReceiveMemory(const ReceiveMemory&) = delete;
  ReceiveMemory& operator=(const ReceiveMemory&) = delete;
  ~ReceiveMemory();

  MemoryMap& map() { return *map_; }

  // The consumer runs: every buffer is posted, and from now on each one that is free again.
  Status post_all(Consumer& consumer);
  // It is about to stop: what was handed over will be its producer's again. Copies `most` bytes of
  // that, not 0; true: nothing is left to be copied.
  bool copy_some(std::uint64_t most);
  // It does so no more.
  void end_posting() { consumer_ = nullptr; }

  // What a task of the consumer brought. The task is free when this returns. Null: it is dropped.
  std::shared_ptr<const Arrival> take(ReceiveTask& task);
  // A task that ended without a message: its buffer stays here.
  static void take_back(ReceiveTask& task);

 private:
  friend class BufferArrival;
  std::shared_ptr<BufferArrival> take_handed_over(const ReceiveTask& task);
  void give_back(const HandedOver& message) const;
  void post(Buffer& buffer) const;

  EngineHost& host_;
  const Admit admit_;
  std::shared_ptr<const void> share_;
  std::unique_ptr<MemoryMap> map_;
  std::unique_ptr<BufferPool> pool_;
  Consumer* consumer_ = nullptr;   // Null: it does not run.
  std::set<BufferArrival*> lent_;  // Those whose message was handed over.
};

// The message of one of the buffers.
class BufferArrival final : public Arrival {
 public:
  // A message that was handed over, and what keeps it here.
  struct Lent {
    HandedOver message;
    Held hold;                          // Of its memory.
    std::shared_ptr<const void> share;  // Of the quota.
  };

  BufferArrival(std::shared_ptr<ReceiveMemory> memory, const ReceiveTask& task,
                std::span<const std::byte> immediate, Lent lent = {});
  ~BufferArrival() override;

  std::size_t size() const override { return bytes_.size(); }
  Part part(std::size_t offset, std::size_t most) const override;

  // Copies at most so many bytes of what was handed over, and takes them off. True: it is done, and
  // given back: the bytes are elsewhere now. Without memory for the copy, or if theirs has failed,
  // they stay where they are.
  bool copy_some(std::uint64_t& most);

 private:
  // Reads what was handed over. An errno, or 0.
  int read(std::size_t offset, std::span<std::byte> into) const;

  const std::shared_ptr<ReceiveMemory> memory_;
  Buffer& buffer_;
  Lent lent_;
  std::unique_ptr<std::byte[]> copy_;
  std::size_t copied_ = 0;
  std::span<const std::byte> bytes_;  // Not to be touched while `lent_.hold` has them.
};

}  // namespace comch::fuse
