// DeviceMemory: see device_memory.h.
#include "dpa/device_memory.h"

#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "base/checked.h"

namespace comch::dpa {

Result<DeviceAddress> DeviceMemory::allocate(std::size_t size) {
  if (size == 0) return fail(Errc::invalid_value, "an allocation has at least one byte");
  if (size > std::size_t{std::numeric_limits<std::ptrdiff_t>::max()}) {
    return fail(Errc::no_memory, "there is no memory for so large an allocation");
  }
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[size]);
  if (bytes == nullptr) return fail(Errc::no_memory, "there is no memory for the allocation");
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.get());
  const std::lock_guard lock(mutex_);
  blocks_.emplace(address, Block{std::move(bytes), size});
  return static_cast<DeviceAddress>(address);
}

Status DeviceMemory::free(DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  if (blocks_.erase(static_cast<std::uint64_t>(address)) != 0) return {};
  return fail(Errc::invalid_value, "no allocation of the accelerator begins here");
}

Status DeviceMemory::write(DeviceAddress to, std::span<const std::byte> from) {
  const std::lock_guard lock(mutex_);
  const Result<std::byte*> target = find(to, from.size());
  if (!target) return std::unexpected(target.error());
  if (!from.empty()) std::memcpy(*target, from.data(), from.size());
  return {};
}

Status DeviceMemory::read(std::span<std::byte> to, DeviceAddress from) const {
  const std::lock_guard lock(mutex_);
  const Result<std::byte*> source = find(from, to.size());
  if (!source) return std::unexpected(source.error());
  if (!to.empty()) std::memcpy(to.data(), *source, to.size());
  return {};
}

Status DeviceMemory::fill(DeviceAddress to, std::byte value, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const Result<std::byte*> target = find(to, size);
  if (!target) return std::unexpected(target.error());
  std::memset(*target, std::to_integer<int>(value), size);
  return {};
}

void DeviceMemory::free_all() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
}

Result<std::byte*> DeviceMemory::find(DeviceAddress address, std::size_t size) const {
  const auto begin = static_cast<std::uint64_t>(address);
  auto block = blocks_.upper_bound(begin);
  if (block != blocks_.begin()) {
    --block;
    const std::uint64_t offset = begin - block->first;
    if (contains(block->second.size, {offset, size})) return block->second.bytes.get() + offset;
  }
  return fail(Errc::invalid_value, "the range does not lie in one allocation of the accelerator");
}

}  // namespace comch::dpa
