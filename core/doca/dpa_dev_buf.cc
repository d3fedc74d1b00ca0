// The host's memory for device functions, and copies in it: see dpa_dev_buf.h and
// doca_dpa_dev_buf.h.
#include "doca/dpa_dev_buf.h"

#include "doca/dpa_run.h"
#include "doca/memory.h"

namespace comch::doca {

Result<comch::dpa::MapAddress> address_in(doca_dpa_dev_mmap_t map, std::uint64_t address) {
  if (current_run() == nullptr) {
    return fail(Errc::bad_state, "only device functions reach memory by handles");
  }
  MemoryMap* const memory = map_of_dpa_handle(map);
  if (memory == nullptr) return fail(Errc::invalid_value, "there is no such memory map");
  const Result<comch::dpa::DeviceMap> device =
      comch::dpa::DeviceMap::of(*memory, *current_run()->dpa->device);
  if (!device) return std::unexpected(device.error());
  return comch::dpa::MapAddress{*device, address};
}

}  // namespace comch::doca

namespace doca = comch::doca;
using comch::Errc;
using comch::Result;
using comch::dpa::AsyncOperations;
using comch::dpa::MapAddress;
using doca::address_in;

namespace {

doca_dpa_dev_buf* buffer_at(doca_dpa_dev_buf_t buf) {
  return doca::place_at<doca_dpa_dev_buf>(buf);
}

doca_dpa_dev_uintptr_t pointer_to(doca_dpa_dev_mmap_t map, std::uint64_t address,
                                  std::uint64_t size) {
  const Result<MapAddress> place = address_in(map, address);
  if (!place) return 0;
  const auto bytes = place->map.at(address, size, false);
  return bytes ? doca::address_of(bytes->data()) : 0;
}

}  // namespace

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf) {
  const doca_dpa_dev_buf* const place = buffer_at(buf);
  return place != nullptr ? pointer_to(place->mmap, place->addr, place->len) : 0;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
                                                          uint64_t addr) {
  return pointer_to(mmap_handle, addr, 1);
}

void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                                  doca_dpa_dev_buf_t dst_buf_handle,
                                  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags) {
  const doca_dpa_dev_buf* const to = buffer_at(dst_buf_handle);
  const doca_dpa_dev_buf* const from = buffer_at(src_buf_handle);
  if (to == nullptr || from == nullptr) {
    return doca::fault({Errc::invalid_value, 0, "there is no such buffer"});
  }
  if (from->len > to->len) {
    return doca::fault({Errc::invalid_value, 0, "a copy into a buffer that is too small"});
  }
  doca_dpa_dev_post_memcpy(async_ops_handle, to->mmap, to->addr, from->mmap, from->addr, from->len,
                           flags);
}

void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                              doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                              doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
                              uint32_t flags) {
  const Result<MapAddress> to = address_in(dst_mmap_handle, dst_addr);
  if (!to) return doca::fault(to.error());
  const Result<MapAddress> from = address_in(src_mmap_handle, src_addr);
  if (!from) return doca::fault(from.error());
  doca::settle(doca::insist<AsyncOperations>(async_ops_handle, [&](AsyncOperations& operations) {
    return operations.copy(*to, *from, length, doca::submit_of(flags));
  }));
}
