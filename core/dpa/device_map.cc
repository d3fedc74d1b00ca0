// DeviceMap, and Copy: see dpa_queue.h and device_map.h.
#include "dpa/device_map.h"

#include <functional>

#include "base/checked.h"
#include "base/copy.h"

namespace comch::dpa {
namespace {

// A map of this process's serves its own devices; one that was imported does what its
// exporter lets the other side do.
bool may_access(const MemoryMap& map, bool write) {
  const Access mask = map.permissions();
  if (map.from_export()) {
    return allows(mask,
                  write ? Access::kPciReadWrite : Access::kPciReadOnly | Access::kPciReadWrite);
  }
  return !write || allows(mask, Access::kLocalReadWrite | Access::kPciReadWrite);
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

}  // namespace

Result<DeviceMap> DeviceMap::of(MemoryMap& map, const Device& device) {
  if (!map.has_device(device)) return fail(Errc::not_found, "the map has not this device");
  if (!map.started()) return fail(Errc::not_permitted, "the map is not started");
  return DeviceMap(map);
}

Result<std::span<std::byte>> DeviceMap::at(std::uint64_t address, std::size_t size,
                                           bool write) const {
  if (!map_->started()) return fail(Errc::not_permitted, "the map is not started");
  if (!may_access(*map_, write)) {
    return fail(Errc::not_permitted, write ? "the map may not be written by an accelerator"
                                           : "the map may not be read by an accelerator");
  }
  const Result<std::span<std::byte>> range = map_->range();
  if (!range) return std::unexpected(range.error());
  // Below the map's beginning the difference wraps to more than any size.
  const std::uint64_t offset = address - map_->origin();
  if (!contains(range->size(), {offset, size})) {
    return fail(Errc::invalid_value, "the range does not lie in the map");
  }
  return range->subspan(offset, size);
}

Result<Copy> Copy::check(const MapAddress& to, const MapAddress& from, std::size_t size) {
  const Result<std::span<std::byte>> target = to.map.at(to.address, size, true);
  if (!target) return std::unexpected(target.error());
  const Result<std::span<std::byte>> source = from.map.at(from.address, size, false);
  if (!source) return std::unexpected(source.error());
  if (size != 0 && overlap(*target, *source)) {
    return fail(Errc::invalid_value, "the ranges overlap");
  }
  return Copy(*target, *source);
}

void Copy::run() const {
  if (!to_.empty()) copy_part(to_.data(), from_.data(), to_.size(), to_.size());
}

}  // namespace comch::dpa
