// Memory: allocated, started, and cut.
#include "tool/bench/memory.h"

#include <tuple>
#include <utility>

namespace comch::tool {
namespace {

// Buffers begin on cache lines of their own, or neighbours would disturb each other.
constexpr std::size_t kAlignment = 128;

constexpr std::size_t stride(std::size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Result<std::unique_ptr<Memory>> Memory::create(std::size_t buffers, std::size_t size,
                                               std::shared_ptr<Device> device) {
  std::unique_ptr<Memory> memory(new Memory);
  auto map = MemoryMap::create();
  if (!map) return std::unexpected(map.error());
  memory->map_ = std::move(*map);
  // Page faults would be measured with the first messages.
  Status status = memory->map_->allocate(buffers * stride(size), {.populate = true});
  if (status) status = memory->map_->set_permissions(Access::kPciReadWrite);
  if (status) status = memory->map_->add_device(std::move(device));
  if (status) status = memory->map_->start();
  if (status) status = memory->fill(buffers, size);
  if (!status) return std::unexpected(status.error());
  return memory;
}

Status Memory::fill(std::size_t buffers, std::size_t size) {
  auto inventory = BufferInventory::create(buffers);
  if (!inventory) return std::unexpected(inventory.error());
  inventory_ = std::move(*inventory);
  if (auto started = inventory_->start(); !started) return started;
  const auto range = map_->range();
  if (!range) return std::unexpected(range.error());
  for (std::size_t n = 0; n < buffers; ++n) {
    auto buffer = inventory_->get_by_data(*map_, range->subspan(n * stride(size), size));
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
