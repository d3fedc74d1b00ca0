// DocaMemory: memory cut into buffers of one size, as a program of the C API does it.
//
//   auto memory = DocaMemory::create(buffers, size, device).value();
//   for (doca_buf* buffer : memory->buffers()) ...
//
// Every buffer is full of data; who receives into one resets it first.
//
// Threads: one at a time.
// Lifetime: it outlives the consumer that is made with its map, and the sends of its buffers.
#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comch/result.h"
#include "tool/bench/doca_try.h"
#include "tool/bench/own_bytes.h"

namespace comch::tool {

class DocaMemory {
 public:
  static Result<std::unique_ptr<DocaMemory>> create(std::size_t buffers, std::size_t size,
                                                    doca_dev* device);
  ~DocaMemory();
  DocaMemory(const DocaMemory&) = delete;
  DocaMemory& operator=(const DocaMemory&) = delete;

  doca_mmap* map() const { return map_.get(); }
  std::span<doca_buf* const> buffers() const { return buffers_; }

 private:
  explicit DocaMemory(std::size_t bytes) : bytes_(bytes) {}
  Status start(doca_dev* device);
  Status fill(std::size_t buffers, std::size_t size);

  OwnBytes bytes_;
  DocaOwned<doca_mmap, doca_mmap_destroy> map_;
  DocaOwned<doca_buf_inventory, doca_buf_inventory_destroy> inventory_;
  std::vector<doca_buf*> buffers_;
};

}  // namespace comch::tool
