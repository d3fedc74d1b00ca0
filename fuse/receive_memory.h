// ReceiveMemory: the buffers that a consumer posts, for one run of it; and BufferArrival: one of
// them, with the message that came in it.
//
//   map: | buffer | buffer | buffer | ...      all posted but those that are Arrivals
//
// Threads: the loop's. Lifetime: shared by the consumer's directory and the arrivals, which
// may outlive the consumer: what has arrived can be read when it is no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrival.h"
#include "comch/buffer.h"
#include "comch/consumer.h"
#include "comch/memory_map.h"
#include "engine_host.h"

namespace comch::fuse {

class BufferArrival;

class ReceiveMemory : public std::enable_shared_from_this<ReceiveMemory> {
 public:
  // `share`: of its owner's quota, given back when the last buffer is. no_memory, operating_system:
  // there is not so much.
  static Result<std::shared_ptr<ReceiveMemory>> create(EngineHost& host, std::uint64_t buffer_size,
                                                       std::uint32_t buffers,
                                                       std::shared_ptr<const void> share);
  explicit ReceiveMemory(EngineHost& host) : host_(host) {}  // Only for create().
  ReceiveMemory(const ReceiveMemory&) = delete;
  ReceiveMemory& operator=(const ReceiveMemory&) = delete;
  ~ReceiveMemory();

  MemoryMap& map() { return *map_; }

  // The consumer runs: every buffer is posted, and from now on each one that is free again.
  Status post_all(Consumer& consumer);
  // It does so no more.
  void end_posting() { consumer_ = nullptr; }

  // What a task of the consumer brought. The task is free when this returns.
  std::shared_ptr<const Arrival> take(ReceiveTask& task);
  // A task that ended without a message: its buffer stays here.
  static void take_back(ReceiveTask& task);

 private:
  friend class BufferArrival;
  void post(Buffer& buffer) const;

  EngineHost& host_;
  std::shared_ptr<const void> share_;
  std::unique_ptr<MemoryMap> map_;
  std::unique_ptr<BufferPool> pool_;
  Consumer* consumer_ = nullptr;  // Null: it does not run.
};

// The message of one of the buffers.
class BufferArrival final : public Arrival {
 public:
  BufferArrival(std::shared_ptr<ReceiveMemory> memory, const ReceiveTask& task);
  ~BufferArrival() override;

  std::span<const std::byte> bytes() const override {
    return handed_over_.empty() ? buffer_.contents() : std::span<const std::byte>(handed_over_);
  }

 private:
  const std::shared_ptr<ReceiveMemory> memory_;
  Buffer& buffer_;
  // A message that lay in the producer's memory, which may go away before it is read.
  const std::vector<std::byte> handed_over_;
};

}  // namespace comch::fuse
