// PeerMaps: see peer_maps.h.
#include "transport/shm/peer_maps.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "os/memfd.h"

namespace comch::transport::shm {

bool PeerMap::contains(const std::byte* at) const {
  // Below the window the difference wraps to more than any size.
  const auto offset =
      reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(bytes().data());
  return offset < bytes().size();
}

Status PeerMaps::add(const wire::Map& map, std::span<os::Fd> fds, Allowances& allowances) {
  if (fds.size() != 1 || map.number < next_ || maps_.size() - ending_ >= kMost) {
    return fail(Errc::connection_reset, "a memory map that cannot be taken");
  }
  const Result<std::uint64_t> size = os::sealed_size(fds[0]);
  if (!size) return std::unexpected(size.error());
  const Range range{map.offset, map.size};
  if (!comch::contains(*size, range)) {
    return fail(Errc::connection_reset, "a map larger than its memory");
  }
  Result<PeerMap::Memory> memory = take(fds[0], range, allowances);
  if (!memory) return std::unexpected(memory.error());
  next_ = std::uint64_t{map.number} + 1;
  maps_.emplace(map.number,
                PeerMap{.memory = std::make_shared<const PeerMap::Memory>(std::move(*memory))});
  return {};
}

Result<PeerMap::Memory> PeerMaps::take(os::Fd& fd, Range range, Allowances& allowances) const {
  const Result<MappedShare> share = take_mapped(allowances, range.length, 1);
  if (!share) return std::unexpected(share.error());
  // Some may be shown for reading only.
  Result<os::Window> window = os::Window::map(fd, range, os::Window::kWrite);
  if (!window) window = os::Window::map(fd, range, os::Window::kRead);
  if (!window) return std::unexpected(window.error());
  window->free_elsewhere(*share);
  PeerMap::Memory memory{.window = std::move(*window)};
  if (descriptors_ == Descriptors::kClosed) return memory;
  memory.descriptor_share = allowances.descriptors.take(1);
  if (!memory.descriptor_share) return fail(Errc::full, kNoDescriptors);
  memory.file = std::move(fd);
  memory.offset = range.offset;
  return memory;
}

bool PeerMaps::end(std::uint32_t number) {
  PeerMap* const map = find(number);
  if (map == nullptr || map->end != 0) return false;
  map->end = ++ends_;
  ++ending_;
  return true;
}

PeerMap* PeerMaps::find(std::uint32_t number) {
  const auto it = maps_.find(number);
  return it == maps_.end() ? nullptr : &it->second;
}

void PeerMaps::unmap(std::uint64_t passed) {
  ending_ -= std::erase_if(maps_, [passed](const auto& entry) {
    const PeerMap& map = entry.second;
    return map.end != 0 && map.end <= passed && map.holds == 0;
  });
}

void PeerMaps::keep(std::uint32_t producer, std::uint32_t handle, PeerMap& map) {
  kept_.push_back({producer, handle, &map});
}

void PeerMaps::let_go(std::uint32_t producer, std::uint32_t handle, const std::byte* at) {
  const auto it = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.producer == producer && kept.handle == handle && kept.map->contains(at);
  });
  if (it == kept_.end()) return;
  --it->map->holds;
  kept_.erase(it);
}

std::shared_ptr<const PeerMap::Memory> PeerMaps::hold(std::span<const std::byte> bytes) const {
  const auto has = [&](const auto& entry) {
    return !bytes.empty() && entry.second.contains(&bytes.front()) &&
           entry.second.contains(&bytes.back());
  };
  const auto it = std::ranges::find_if(maps_, has);
  return it == maps_.end() ? nullptr : it->second.memory;
}

}  // namespace comch::transport::shm
