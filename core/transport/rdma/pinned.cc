// Pinned: see pinned.h.
#include "transport/rdma/pinned.h"

#include <utility>

#include "os/memory.h"

namespace comch::transport::rdma {

Result<Pinned> Pinned::make(Domain& domain, std::uint64_t size, RegionAccess access) {
  const Result<os::Fd> memory = os::make_memory("comch-rdma", size, os::Pages::kOrdinary);
  if (!memory) return std::unexpected(memory.error());
  Result<os::Window> window = os::Window::map(*memory, {0, size}, os::Window::kWrite);
  if (!window) return std::unexpected(window.error());
  auto region = domain.register_memory(window->bytes(), access);
  if (!region) return std::unexpected(region.error());
  return Pinned(std::move(*window), std::move(*region));
}

Pinned::Pinned(os::Window window, std::shared_ptr<MemoryRegion> region)
    : window_(std::move(window)), region_(std::move(region)) {}

std::uint64_t Pinned::address() const {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data()));
}

}  // namespace comch::transport::rdma
