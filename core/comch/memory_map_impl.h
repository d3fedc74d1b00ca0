// MemoryMapImpl: what stands behind a MemoryMap, and what the fast path asks of one.
//
//   configured --start()--> started --stop()--> configured
//
// Everything but the count of buffers stands still while the map is started; that is why
// the accessors need no lock.
//
// Threads: as MemoryMap. Lifetime: the application's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.h"
#include "comch/memory_export.h"
#include "comch/memory_map.h"
#include "os/fd.h"
#include "os/window.h"
#include "transport/map_life.h"

namespace comch {

enum class MemoryMapId : std::uint64_t {};  // Never reused in a process.

class MemoryMapImpl final : public MemoryMap {
 public:
  // What the range is of.
  enum class Kind : std::uint8_t { kNone, kUser, kAllocated, kMemfd, kDmabuf, kExport };

  MemoryMapImpl();
  MemoryMapImpl(ImportedMemory memory, std::shared_ptr<Device> device, UserData user_data);
  ~MemoryMapImpl() override;

  static MemoryMapImpl& of(MemoryMap& face) { return static_cast<MemoryMapImpl&>(face); }
  static const MemoryMapImpl& of(const MemoryMap& face) {
    return static_cast<const MemoryMapImpl&>(face);
  }

  // Configuration; see MemoryMap.
  Status set_range(void* address, std::size_t size);
  Status allocate(std::size_t size, const AllocateOptions& options);
  Status import_memfd(int fd, std::uint64_t offset, std::size_t size);
  Status import_dmabuf(int fd, std::uint64_t offset, std::size_t size, void* address);
  Status set_permissions(Access mask);
  Status set_user_data(UserData data);
  Status on_free(FreeHandler handler);
  Status set_max_devices(std::uint32_t devices);
  Status add_device(std::shared_ptr<Device> device);
  Status remove_device(const Device& device);
  Status start();
  Status stop();
  Result<std::span<const std::byte>> export_descriptor(const Device& device);

  // For the fast path.
  std::span<std::byte> bytes() const { return bytes_; }
  Access permissions() const { return permissions_; }
  // The memory to show to a peer, or null when there is none that a peer would accept; the
  // range begins at memfd_offset() of it. Known from start() on.
  const os::Fd* memfd() const { return shareable_ ? &memory_ : nullptr; }
  std::uint64_t memfd_offset() const { return offset_; }
  bool contains(const std::byte* at, std::size_t size) const {
    // Below the range the difference wraps to more than any size.
    const auto offset =
        reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(bytes_.data());
    return comch::contains(bytes_.size(), {offset, size});
  }
  MemoryMapId id() const { return id_; }
  // What carriers keep of it as long as it is started. Of a started map.
  transport::MapLife& life() const { return *life_; }

  Kind kind() const { return kind_; }
  std::uint64_t origin() const { return origin_; }
  bool started() const { return started_; }
  bool exported() const { return exported_.has_value(); }
  HugePages huge_pages() const { return huge_pages_; }
  UserData user_data() const { return user_data_; }
  std::uint32_t max_devices() const { return max_devices_; }
  std::size_t devices() const { return devices_.size(); }
  bool has_device(const Device& device) const;

  // Buffers that point into the range. Edge BUFFERS: whoever sees the count at 0 also sees
  // what the holders of the buffers did to the memory before they let go.
  std::uint32_t buffers() const {
    return buffers_.load(std::memory_order_acquire);  // BUFFERS: meets remove_buffers().
  }
  void add_buffers(std::uint32_t count = 1) {
    buffers_.fetch_add(count, std::memory_order_relaxed);  // Makes no edge: nothing was done yet.
  }
  void remove_buffers(std::uint32_t count = 1) {
    buffers_.fetch_sub(count, std::memory_order_release);  // BUFFERS: met in buffers().
  }

 private:
  Status require_unset() const;
  Status require_configurable(Errc when_started) const;
  Status check_start();
  Status take_pages(std::size_t size, HugePages pages, bool populate);
  void adopt(Kind kind, std::span<std::byte> bytes, std::uint64_t offset);
  std::size_t index_of(const Device& device) const;

  const MemoryMapId id_;
  Kind kind_ = Kind::kNone;
  bool started_ = false;
  bool ever_started_ = false;
  bool sealed_ = false;     // Memory of ours, for ever.
  bool shareable_ = false;  // The memory's size is sealed and its pages stay.
  HugePages huge_pages_ = HugePages::kNo;
  Access permissions_ = Access::kLocalReadOnly;
  std::span<std::byte> bytes_;
  std::uint64_t offset_ = 0;  // Of the range in the memory.
  std::uint64_t origin_ = 0;
  os::Fd memory_;
  os::Window window_;
  mutable std::optional<transport::MapLife> life_;  // While it is started.
  std::optional<ExportedMemory> exported_;
  UserData user_data_;
  FreeHandler on_free_;
  std::uint32_t max_devices_ = kDefaultMaxDevices;
  std::vector<std::shared_ptr<Device>> devices_;
  std::atomic<std::uint32_t> buffers_{0};
};

}  // namespace comch
