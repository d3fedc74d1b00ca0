// MemoryMap: the public face of MemoryMapImpl.
#include "comch/memory_map.h"

#include <utility>

#include "comch/memory_map_impl.h"

namespace comch {

std::string_view name(HugePages pages) {
  switch (pages) {
    case HugePages::kNo:
      return "no";
    case HugePages::kAdvised:
      return "advised";
    case HugePages::kPool:
      return "pool";
  }
  return "unknown";
}

Result<std::unique_ptr<MemoryMap>> MemoryMap::create() { return std::make_unique<MemoryMapImpl>(); }

Result<std::unique_ptr<MemoryMap>> MemoryMap::create_from_export(
    std::span<const std::byte> descriptor, std::shared_ptr<Device> device, UserData user_data) {
  if (device == nullptr) return fail(Errc::invalid_value, "an imported map needs a device");
  Result<ImportedMemory> memory = import_memory(descriptor);
  if (!memory) return std::unexpected(memory.error());
  return std::make_unique<MemoryMapImpl>(std::move(*memory), std::move(device), user_data);
}

Status MemoryMap::destroy(std::unique_ptr<MemoryMap>& map) {
  if (map == nullptr) return fail(Errc::invalid_value, "there is no map to destroy");
  if (map->buffers() != 0) return fail(Errc::not_permitted, "buffers point into the map");
  map.reset();
  return {};
}

Status MemoryMap::set_range(void* address, std::size_t size) {
  return MemoryMapImpl::of(*this).set_range(address, size);
}
Status MemoryMap::allocate(std::size_t size, const AllocateOptions& options) {
  return MemoryMapImpl::of(*this).allocate(size, options);
}
Status MemoryMap::import_memfd(int fd, std::uint64_t offset, std::size_t size) {
  return MemoryMapImpl::of(*this).import_memfd(fd, offset, size);
}
Status MemoryMap::import_dmabuf(int fd, std::uint64_t offset, std::size_t size, void* address) {
  return MemoryMapImpl::of(*this).import_dmabuf(fd, offset, size, address);
}

Status MemoryMap::set_permissions(Access mask) {
  return MemoryMapImpl::of(*this).set_permissions(mask);
}
Status MemoryMap::set_user_data(UserData data) {
  return MemoryMapImpl::of(*this).set_user_data(data);
}
Status MemoryMap::on_free(FreeHandler handler) {
  return MemoryMapImpl::of(*this).on_free(std::move(handler));
}
Status MemoryMap::set_max_devices(std::uint32_t devices) {
  return MemoryMapImpl::of(*this).set_max_devices(devices);
}
Status MemoryMap::add_device(std::shared_ptr<Device> device) {
  return MemoryMapImpl::of(*this).add_device(std::move(device));
}
Status MemoryMap::remove_device(const Device& device) {
  return MemoryMapImpl::of(*this).remove_device(device);
}

Status MemoryMap::start() { return MemoryMapImpl::of(*this).start(); }
Status MemoryMap::stop() { return MemoryMapImpl::of(*this).stop(); }
Result<std::span<const std::byte>> MemoryMap::export_descriptor(const Device& device) {
  return MemoryMapImpl::of(*this).export_descriptor(device);
}

Result<std::span<std::byte>> MemoryMap::range() const {
  const std::span<std::byte> bytes = MemoryMapImpl::of(*this).bytes();
  if (bytes.empty()) return fail(Errc::bad_state, "the map has no range yet");
  return bytes;
}
std::uint64_t MemoryMap::origin() const { return MemoryMapImpl::of(*this).origin(); }
Access MemoryMap::permissions() const { return MemoryMapImpl::of(*this).permissions(); }
UserData MemoryMap::user_data() const { return MemoryMapImpl::of(*this).user_data(); }
std::uint32_t MemoryMap::max_devices() const { return MemoryMapImpl::of(*this).max_devices(); }
std::size_t MemoryMap::devices() const { return MemoryMapImpl::of(*this).devices(); }
bool MemoryMap::has_device(const Device& device) const {
  return MemoryMapImpl::of(*this).has_device(device);
}
std::uint32_t MemoryMap::buffers() const { return MemoryMapImpl::of(*this).buffers(); }
bool MemoryMap::started() const { return MemoryMapImpl::of(*this).started(); }
bool MemoryMap::exported() const { return MemoryMapImpl::of(*this).exported(); }
bool MemoryMap::from_export() const {
  return MemoryMapImpl::of(*this).kind() == MemoryMapImpl::Kind::kExport;
}
HugePages MemoryMap::huge_pages() const { return MemoryMapImpl::of(*this).huge_pages(); }

}  // namespace comch
