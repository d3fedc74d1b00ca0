// DocaMemory: given to a map, and cut.
#include "tool/bench/doca_memory.h"

#include <tuple>

namespace comch::tool {

Result<std::unique_ptr<DocaMemory>> DocaMemory::create(std::size_t buffers, std::size_t size,
                                                       doca_dev* device) {
  std::unique_ptr<DocaMemory> memory(new DocaMemory(buffers * OwnBytes::stride(size)));
  Status status = memory->start(device);
  if (status) status = memory->fill(buffers, size);
  if (!status) return std::unexpected(status.error());
  return memory;
}

Status DocaMemory::start(doca_dev* device) {
  Status status = make(map_, doca_mmap_create);
  if (status) {
    status = status_of(doca_mmap_set_memrange(map_.get(), bytes_.data(), bytes_.size()));
  }
  if (status) {
    status = status_of(doca_mmap_set_permissions(map_.get(), DOCA_ACCESS_FLAG_PCI_READ_WRITE));
  }
  if (status) status = status_of(doca_mmap_add_dev(map_.get(), device));
  if (status) status = status_of(doca_mmap_start(map_.get()));
  return status;
}

Status DocaMemory::fill(std::size_t buffers, std::size_t size) {
  Status status = make(inventory_, doca_buf_inventory_create, buffers);
  if (status) status = status_of(doca_buf_inventory_start(inventory_.get()));
  for (std::size_t n = 0; n < buffers && status; ++n) {
    doca_buf* buffer = nullptr;
    status = status_of(doca_buf_inventory_buf_get_by_data(
        inventory_.get(), map_.get(), bytes_.data() + n * OwnBytes::stride(size), size, &buffer));
    if (status) buffers_.push_back(buffer);
  }
  return status;
}

DocaMemory::~DocaMemory() {
  for (doca_buf* buffer : buffers_) std::ignore = doca_buf_dec_refcount(buffer, nullptr);
}

}  // namespace comch::tool
