// Memory: allocated, started, and cut.
#include "tool/bench/memory.h"

#include <tuple>
#include <utility>

namespace comch::tool {

Result<std::unique_ptr<Memory>> Memory::create(std::size_t buffers, std::size_t size,
                                               Storage storage, std::shared_ptr<Device> device) {
  std::unique_ptr<Memory> memory(new Memory);
  auto map = MemoryMap::create();
  if (!map) return std::unexpected(map.error());
  memory->map_ = std::move(*map);
  Status status = memory->take(storage, buffers * OwnBytes::stride(size));
  if (status) status = memory->map_->set_permissions(Access::kPciReadWrite);
  if (status) status = memory->map_->add_device(std::move(device));
  if (status) status = memory->map_->start();
  if (status) status = memory->fill(buffers, size);
  if (!status) return std::unexpected(status.error());
  return memory;
}

Status Memory::take(Storage storage, std::size_t bytes) {
  // Page faults would be measured with the first messages.
  if (storage == Storage::kComch) return map_->allocate(bytes, {.populate = true});
  own_ = OwnBytes(bytes);
  return map_->set_range(own_.data(), own_.size());
}

Status Memory::fill(std::size_t buffers, std::size_t size) {
  auto inventory = BufferInventory::create(buffers);
  if (!inventory) return std::unexpected(inventory.error());
  inventory_ = std::move(*inventory);
  if (auto started = inventory_->start(); !started) return started;
  const auto range = map_->range();
  if (!range) return std::unexpected(range.error());
  for (std::size_t n = 0; n < buffers; ++n) {
    auto buffer = inventory_->get_by_data(*map_, range->subspan(n * OwnBytes::stride(size), size));
    if (!buffer) return std::unexpected(buffer.error());
    buffers_.push_back(*buffer);
  }
  return {};
}

Memory::~Memory() {
  for (Buffer* buffer : buffers_) std::ignore = buffer->drop_reference();
  if (inventory_) std::ignore = BufferInventory::destroy(inventory_);
  if (map_) std::ignore = MemoryMap::destroy(map_);
}

}  // namespace comch::tool
