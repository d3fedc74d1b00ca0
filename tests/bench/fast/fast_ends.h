// Fast ends: a consumer or a producer of the benchmark's own, with the connection below it, on
// the one engine that its process has.
//
//   ConsumerEnd end(plan, configure);      // Waits until a client has connected.
//   ProducerEnd end(plan, configure);      // Waits for the server, then for its consumer.
//   while (...) end.turn();
//
// A process that sends and receives has both, on one engine, as a program would.
//
// Threads: its process's one, but for start() and end(). Errors: std::runtime_error, also when
// nothing comes in time.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bench/fast/fast_plan.h"

namespace comch::bench {

// The engine of this process.
ProgressEngine& engine_of_process();

// Starts a producer as the plan says, and ends any context, on the engine that is the calling
// thread's. The other process may be gone by then, so that nothing is to be delivered any more.
void start(Producer& producer, const FastPlan& plan, ProgressEngine& engine);
void end(Context* context, ProgressEngine& engine);

// Of who has no use for tasks, and has to say what becomes of them all the same.
void configure_no_tasks(Producer& producer);
void configure_no_tasks(Consumer& consumer, std::uint32_t depth);

// A memory map, and a buffer inventory for it.
class FastMemory {
 public:
  FastMemory(std::size_t bytes, std::size_t buffers);
  ~FastMemory();
  FastMemory(const FastMemory&) = delete;
  FastMemory& operator=(const FastMemory&) = delete;

  MemoryMap& map() { return *map_; }
  std::span<std::byte> range() { return need(map_->range(), "the memory"); }
  Buffer* room(std::size_t offset, std::size_t bytes);
  Buffer* data(std::size_t offset, std::size_t bytes);

 private:
  std::unique_ptr<MemoryMap> map_;
  std::unique_ptr<BufferInventory> inventory_;
};

class ConsumerEnd {
 public:
  // `configure` sets up what the consumer's user needs, before its start.
  ConsumerEnd(const FastPlan& plan, const std::function<void(Consumer&)>& configure);
  ~ConsumerEnd();
  ConsumerEnd(const ConsumerEnd&) = delete;
  ConsumerEnd& operator=(const ConsumerEnd&) = delete;

  Consumer& consumer() { return *consumer_; }
  // Rooms for messages, plan.depth of them.
  std::span<Buffer* const> buffers() const { return buffers_; }

 private:
  std::unique_ptr<Server> server_;
  Connection* connection_ = nullptr;
  FastMemory memory_;
  std::unique_ptr<Consumer> consumer_;
  std::vector<Buffer*> buffers_;
};

class ProducerEnd {
 public:
  ProducerEnd(const FastPlan& plan, const std::function<void(Producer&)>& configure);
  ~ProducerEnd();
  ProducerEnd(const ProducerEnd&) = delete;
  ProducerEnd& operator=(const ProducerEnd&) = delete;

  Producer& producer() { return *producer_; }
  Connection& connection() { return *need(client_->connection(), "a connection"); }
  ConsumerId consumer() const { return consumer_; }
  // The message of the cell: zeros, until it is told to be the last.
  Buffer* source() { return source_; }
  std::span<std::byte> message() { return memory_.range(); }

 private:
  void connect(const FastPlan& plan);

  std::unique_ptr<Client> client_;
  FastMemory memory_;
  std::unique_ptr<Producer> producer_;
  ConsumerId consumer_{};
  Buffer* source_;
};

}  // namespace comch::bench
