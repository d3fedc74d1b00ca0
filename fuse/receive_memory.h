// ReceiveMemory: the buffers that a consumer posts, for one run of it; and Arrival: one of
// them, with the message that came in it.
//
//   map: | buffer | buffer | buffer | ...      all posted but those that are Arrivals
//
// A message stays in the buffer it arrived in until whoever reads has all of it; then the
// buffer is posted again. So the daemon never holds more than these buffers, and a producer
// whose messages nobody reads finds nothing posted.
//
// Threads: the loop's. Lifetime: shared by the consumer's directory and the arrivals, which
// may outlive the consumer: what has arrived can be read when it is no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comch/buffer.h"
#include "comch/consumer.h"
#include "comch/memory_map.h"
#include "engine_host.h"

namespace comch::fuse {

class Arrival;

class ReceiveMemory : public std::enable_shared_from_this<ReceiveMemory> {
 public:
  // no_memory, operating_system: there is not so much.
  static Result<std::shared_ptr<ReceiveMemory>> create(EngineHost& host, std::uint64_t buffer_size,
                                                       std::uint32_t buffers);
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
  friend class Arrival;
  void post(Buffer& buffer) const;

  EngineHost& host_;
  std::unique_ptr<MemoryMap> map_;
  std::unique_ptr<BufferPool> pool_;
  Consumer* consumer_ = nullptr;  // Null: it does not run.
};

class Arrival {
 public:
  Arrival(std::shared_ptr<ReceiveMemory> memory, const ReceiveTask& task);
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival();

  std::span<const std::byte> bytes() const {
    return handed_over_.empty() ? buffer_.contents() : std::span<const std::byte>(handed_over_);
  }
  ProducerId producer() const { return producer_; }
  std::span<const std::byte> immediate() const { return immediate_; }

 private:
  const std::shared_ptr<ReceiveMemory> memory_;
  Buffer& buffer_;
  const ProducerId producer_;
  const std::vector<std::byte> immediate_;
  // A message that lay in the producer's memory, which may go away before it is read.
  const std::vector<std::byte> handed_over_;
};

}  // namespace comch::fuse
