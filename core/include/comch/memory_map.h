// MemoryMap: a range of memory that buffers may point into and devices may reach.
//
//   auto map = MemoryMap::create().value();
//   map->allocate(1 << 20);                               // or set_range(), import_memfd()
//   map->set_permissions(Access::kPciReadWrite);
//   map->add_device(device);
//   map->start();
//   ... buffers (buffer.h) point into map->range() ...
//   MemoryMap::destroy(map);
//
// Memory that lies in a memfd (allocated here, or imported) can be mapped by other
// processes: the peer's fast path then writes straight into it, and export_descriptor()
// lets any process that may trace this one map it by itself:
//
//   auto theirs = MemoryMap::create_from_export(descriptor, device).value();
//
// Threads: configured, started, exported, stopped and destroyed by one thread at a time.
// While it is started nothing of it changes and any thread may use it; the count of its
// buffers is kept for all of them.
//
// Lifetime: the map outlives the buffers that point into it: destroy() refuses while there
// are any, and who resets the pointer without asking leaves them dangling. A range of the
// application's is never touched by destroy(); it may be freed already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "comch/context.h"
#include "comch/device.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

// Who may do what with a range. A mask; the values are those of the documented C API
// (enum doca_access_flag).
enum class Access : std::uint32_t {
  kLocalReadOnly = 0,
  kLocalReadWrite = 1,
  kRdmaRead = 2,
  kRdmaWrite = 4,
  kRdmaAtomic = 8,
  kPciReadOnly = 16,   // The other side reads.
  kPciReadWrite = 32,  // The other side reads and writes: what a consumer needs.
  kPciRelaxedOrdering = 64,
};
constexpr Access operator|(Access a, Access b) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): a mask is several of them.
  return static_cast<Access>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr Access operator&(Access a, Access b) {
  return static_cast<Access>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
// Whether `mask` has one of the bits of `wanted`.
constexpr bool allows(Access mask, Access wanted) { return (mask & wanted) != Access{}; }

// kAdvised  ordinary memory, in huge pages where the machine gives them on advice.
// kPool     pages that the administrator set aside; kAdvised, with a line in the log, when
//           there are not enough. Whoever shares such pages could take them away again
//           under the other's feet, so a map of them is not exported.
enum class HugePages : std::uint8_t { kNo, kAdvised, kPool };
std::string_view name(HugePages pages);  // "no", "advised", "pool"

class MemoryMap {
 public:
  // Devices of a map that does not say otherwise.
  static constexpr std::uint32_t kDefaultMaxDevices = 64;

  struct AllocateOptions {
    HugePages huge_pages = HugePages::kNo;
    bool populate = false;  // Take the pages now, not when they are touched.
  };
  using FreeHandler = std::function<void(void* address, std::size_t size)>;

  static Result<std::unique_ptr<MemoryMap>> create();

  // The memory of a map of another process (or this one) that is started. The new map is
  // started; nothing of it can be set, and it cannot be exported. It stays valid when the
  // exporter ends; the exporter's stop() only keeps others from importing.
  // The descriptor is believed in nothing: it must be, byte for byte, what the process it
  // names keeps in memory that no one can change.
  // invalid_value: it is no descriptor, or its map is stopped or gone. not_permitted: the
  // kernel does not let this process look into the exporter. not_supported: made by a
  // version that this one does not know. no_memory, operating_system: it cannot be mapped.
  static Result<std::unique_ptr<MemoryMap>> create_from_export(
      std::span<const std::byte> descriptor, std::shared_ptr<Device> device,
      UserData user_data = {});

  // Stops the map and resets `map`; then calls on_free.
  // not_permitted: buffers point into it; `map` is unchanged. invalid_value: null.
  static Status destroy(std::unique_ptr<MemoryMap>& map);

  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;
  virtual ~MemoryMap() = default;

  // The memory; one of these, once. Of all: bad_state: started. not_permitted: the range
  // is set already, or the map is made from an export. invalid_value: size is 0, or the
  // range wraps or leaves the file. operating_system: see Error::sys.

  // Memory of the application's, which outlives the use of the map.
  Status set_range(void* address, std::size_t size);
  // Zeroed memory that is the map's. no_memory: there is not so much.
  Status allocate(std::size_t size, const AllocateOptions& options);
  Status allocate(std::size_t size) { return allocate(size, AllocateOptions()); }
  // Part of a memfd or tmpfs file, open for writing; `fd` stays the caller's. `offset` is a
  // multiple of the page size. Only a memfd sealed with F_SEAL_SHRINK, F_SEAL_GROW and
  // F_SEAL_SEAL is ever shown to others.
  Status import_memfd(int fd, std::uint64_t offset, std::size_t size);
  // Part of a dma-buf; `fd` stays the caller's. `address` is where the caller has mapped
  // that part, or null to have it mapped here.
  // not_supported: its driver lets nobody map it. invalid_value, too: it is no dma-buf.
  Status import_dmabuf(int fd, std::uint64_t offset, std::size_t size, void* address = nullptr);

  // Configuration. bad_state: started. not_permitted: made from an export.
  // invalid_value: unknown bits.
  Status set_permissions(Access mask);  // Default: kLocalReadOnly.
  Status set_user_data(UserData data);
  // Called once, by destroy(), when the map is done with a range of the application's
  // (set_range(), or import_dmabuf() with an address) and was started.
  Status on_free(FreeHandler handler);
  // not_permitted: the map was started before. invalid_value: 0, or fewer than it has.
  Status set_max_devices(std::uint32_t devices);

  // Devices are told apart by their PCI address.
  // not_permitted: started, or made from an export. already_exist: the map has it.
  // no_memory: it has set_max_devices() of them. not_found: it has not. invalid_value: null.
  Status add_device(std::shared_ptr<Device> device);
  Status remove_device(const Device& device);

  // not_permitted: no range is set; started already; made from an export; or others were
  // kept from writing by an earlier start, for good.
  Status start();
  // Ends the life of export descriptors.
  // not_permitted: not started, made from an export, or buffers point into it.
  Status stop();

  // Bytes by which another process can map this memory, for as long as the map is started.
  // With kPciReadOnly or kRdmaRead alone the kernel keeps importers of memory allocated
  // here from writing; other permissions bind those who keep to them.
  // not_permitted: not started, made from an export, or no permission but local ones.
  // not_found: the device was not added. not_supported: the memory is not in a sealed memfd
  // of ordinary pages (Error::what says which); copy into one that is.
  Result<std::span<const std::byte>> export_descriptor(const Device& device);

  // The range. bad_state: none is set.
  Result<std::span<std::byte>> range() const;
  // Where the exporter has the range: a number for arithmetic, no address here. Of a map
  // that is not made from an export, its own address.
  std::uint64_t origin() const;
  Access permissions() const;
  UserData user_data() const;
  std::uint32_t max_devices() const;
  std::size_t devices() const;
  bool has_device(const Device& device) const;
  std::uint32_t buffers() const;  // That point into it, a started pool's all.
  bool started() const;
  bool exported() const;  // Since it was last started.
  bool from_export() const;
  HugePages huge_pages() const;  // What allocate() got, which may be less than was asked for.

 protected:
  MemoryMap() = default;
};

}  // namespace comch
#pragma GCC visibility pop
