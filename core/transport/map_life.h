// MapLife: one start of a memory map, and what carriers have made of it, such as a registration
// with a device: that ends with it.
//
//   std::shared_ptr<void> made = life.find(&domain);
//   if (!made) made = life.keep(&domain, registration);
//   ...
//   map.stop()                        // ~MapLife(): the registration is taken back
//
// Threads: any; one mutex. Whoever looks something up for every message remembers it by id().
// Lifetime: the memory map's, from start() to stop(); what is kept is released by the destructor,
// before the memory goes. Errors: none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/homebound.h"

namespace comch::transport {

class MapLife {
 public:
  explicit MapLife(std::span<std::byte> bytes) : bytes_(bytes), id_(next_id()) {}
  ~MapLife() {
    // A registration is the parent's device's. Without memory for it, it ends here all the same.
    if (home_.is_forked()) forsake(new (std::nothrow) auto(std::move(kept_)));
  }
  MapLife(const MapLife&) = delete;
  MapLife& operator=(const MapLife&) = delete;

  std::uint64_t id() const { return id_; }  // Another one for each start of each map; never 0.
  std::span<std::byte> bytes() const { return bytes_; }

  // What is kept under the key; null: nothing.
  std::shared_ptr<void> find(const void* key) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, kept] : kept_) {
      if (other == key) return kept;
    }
    return nullptr;
  }
  // Keeps it, unless another thread was first: then that one's.
  std::shared_ptr<void> keep(const void* key, std::shared_ptr<void> what) {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, kept] : kept_) {
      if (other == key) return kept;
    }
    return kept_.emplace_back(key, std::move(what)).second;
  }

 private:
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // Makes no edge: a number.
  }

  const ForkMark home_;
  const std::span<std::byte> bytes_;
  const std::uint64_t id_;
  mutable std::mutex mutex_;
  std::vector<std::pair<const void*, std::shared_ptr<void>>> kept_;  // Behind mutex_.
};

}  // namespace comch::transport
