// The buffers that a consumer posts; see receive_memory.h.
#include "receive_memory.h"

#include <utility>

#include "comch/log.h"

namespace comch::fuse {

Result<std::shared_ptr<ReceiveMemory>> ReceiveMemory::create(EngineHost& host,
                                                             std::uint64_t buffer_size,
                                                             std::uint32_t buffers,
                                                             std::shared_ptr<const void> share) {
  auto memory = std::make_shared<ReceiveMemory>(host);
  memory->share_ = std::move(share);
  auto map = MemoryMap::create();
  if (!map) return std::unexpected(map.error());
  memory->map_ = std::move(*map);
  if (Status got = memory->map_->allocate(buffer_size * buffers); !got) {
    return std::unexpected(got.error());
  }
  const Access writable = Access::kLocalReadWrite | Access::kPciReadWrite;
  if (Status set = memory->map_->set_permissions(writable); !set) {
    return std::unexpected(set.error());
  }
  if (Status started = memory->map_->start(); !started) return std::unexpected(started.error());
  auto pool = BufferPool::create(buffers, buffer_size, *memory->map_);
  if (!pool) return std::unexpected(pool.error());
  memory->pool_ = std::move(*pool);
  if (Status started = memory->pool_->start(); !started) return std::unexpected(started.error());
  return memory;
}

ReceiveMemory::~ReceiveMemory() {
  if (pool_) {
    if (Status destroyed = BufferPool::destroy(pool_); !destroyed)
      log(LogLevel::kError, describe(destroyed.error()));
  }
  if (map_) {
    if (Status destroyed = MemoryMap::destroy(map_); !destroyed)
      log(LogLevel::kError, describe(destroyed.error()));
  }
}

Status ReceiveMemory::post_all(Consumer& consumer) {
  consumer_ = &consumer;
  while (pool_->available() > 0) {
    const auto buffer = pool_->get();
    if (!buffer) return std::unexpected(buffer.error());
    post(**buffer);
  }
  return {};
}

void ReceiveMemory::post(Buffer& buffer) const {
  buffer.reset_data_length();
  if (consumer_ != nullptr) {
    // One that is stopping gives it back through progress().
    if (consumer_->state() != ContextState::kRunning) host_.touch();
    const auto task = consumer_->allocate_receive(&buffer);
    if (task && (*task)->submit()) return;
    if (task) std::ignore = (*task)->free();
  }
  std::ignore = buffer.drop_reference();
}

std::shared_ptr<const Arrival> ReceiveMemory::take(ReceiveTask& task) {
  auto arrival = std::make_shared<const BufferArrival>(shared_from_this(), task);
  if (task.handed_over()) std::ignore = consumer_->give_back(task.handed_over());
  std::ignore = task.free();
  return arrival;
}

void ReceiveMemory::take_back(ReceiveTask& task) {
  std::ignore = task.buffer()->drop_reference();
  std::ignore = task.free();
}

BufferArrival::BufferArrival(std::shared_ptr<ReceiveMemory> memory, const ReceiveTask& task)
    : Arrival(task.producer(), task.immediate()),
      memory_(std::move(memory)),
      buffer_(*task.buffer()),
      handed_over_(task.handed_over().bytes.begin(), task.handed_over().bytes.end()) {}

BufferArrival::~BufferArrival() { memory_->post(buffer_); }

}  // namespace comch::fuse
