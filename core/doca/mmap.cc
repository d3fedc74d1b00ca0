// doca_mmap: see doca_mmap.h. It is an engine's MemoryMap.
#include <doca_mmap.h>

#include "doca/dev.h"
#include "doca/dpa_handles.h"
#include "doca/memory.h"
#include "doca/refuse.h"
#include "doca/user_data.h"

namespace doca = comch::doca;
using comch::Access;
using comch::Errc;
using comch::MemoryMap;

namespace {

template <class Value, class Ask>
doca_error_t get(const doca_mmap* mmap, Value* value, Ask&& ask,
                 std::source_location where = std::source_location::current()) {
  if (mmap == nullptr || value == nullptr) return doca::null_argument(where);
  *value = ask(doca::engine_of(*mmap));
  return DOCA_SUCCESS;
}

// Both kinds of descriptor are the engine's one; `for_whom` are the permissions that ask for it.
doca_error_t export_to(doca_mmap* mmap, const doca_dev* dev, const void** export_desc,
                       std::size_t* export_desc_len, Access for_whom,
                       std::source_location where = std::source_location::current()) {
  if (mmap == nullptr || dev == nullptr || export_desc == nullptr || export_desc_len == nullptr) {
    return doca::null_argument(where);
  }
  MemoryMap& map = doca::engine_of(*mmap);
  if (map.started() && !map.from_export() && !comch::allows(map.permissions(), for_whom)) {
    return doca::refuse(Errc::not_permitted, "its permissions keep this kind of device out", where);
  }
  return doca::guarded([&] {
    const auto descriptor = map.export_descriptor(*dev->device);
    if (!descriptor) return doca::answer(descriptor.error(), where);
    *export_desc = descriptor->data();
    *export_desc_len = descriptor->size();
    return DOCA_SUCCESS;
  });
}

doca_error_t every_device_can(const doca_devinfo* devinfo, std::uint8_t* answer,
                              std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr || answer == nullptr) return doca::null_argument(where);
  *answer = 1;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_mmap_create(doca_mmap** mmap) {
  if (mmap == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    auto made = MemoryMap::create();
    if (!made) return doca::answer(made.error());
    *mmap = doca::handle_of(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_mmap_destroy(doca_mmap* mmap) {
  if (mmap == nullptr) return doca::null_argument();
  MemoryMap& map = doca::engine_of(*mmap);
  // Forgotten while its address is still its own; a map with buffers will not go.
  if (map.buffers() == 0) doca::dpa_handles().forget(map);
  return doca::answer(doca::destroy(map));
}

doca_error_t doca_mmap_start(doca_mmap* mmap) {
  if (mmap == nullptr) return doca::null_argument();
  return doca::guarded([&] { return doca::answer(doca::engine_of(*mmap).start()); });
}

doca_error_t doca_mmap_stop(doca_mmap* mmap) {
  if (mmap == nullptr) return doca::null_argument();
  MemoryMap& map = doca::engine_of(*mmap);
  const comch::Status status = map.stop();
  if (status) doca::dpa_handles().forget(map);
  return doca::answer(status);
}

doca_error_t doca_mmap_add_dev(doca_mmap* mmap, doca_dev* dev) {
  if (mmap == nullptr || dev == nullptr) return doca::null_argument();
  return doca::guarded(
      [&] { return doca::answer(doca::engine_of(*mmap).add_device(dev->device)); });
}

doca_error_t doca_mmap_rm_dev(doca_mmap* mmap, doca_dev* dev) {
  if (mmap == nullptr || dev == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*mmap).remove_device(*dev->device));
}

doca_error_t doca_mmap_export_pci(doca_mmap* mmap, const doca_dev* dev, const void** export_desc,
                                  std::size_t* export_desc_len) {
  return export_to(mmap, dev, export_desc, export_desc_len,
                   Access::kPciReadOnly | Access::kPciReadWrite);
}

doca_error_t doca_mmap_export_rdma(doca_mmap* mmap, const doca_dev* dev, const void** export_desc,
                                   std::size_t* export_desc_len) {
  return export_to(mmap, dev, export_desc, export_desc_len,
                   Access::kRdmaRead | Access::kRdmaWrite | Access::kRdmaAtomic);
}

doca_error_t doca_mmap_dev_get_dpa_handle(doca_mmap* mmap, const doca_dev* dev,
                                          doca_dpa_dev_mmap_t* dpa_mmap_handle) {
  if (mmap == nullptr || dev == nullptr || dpa_mmap_handle == nullptr) {
    return doca::null_argument();
  }
  MemoryMap& map = doca::engine_of(*mmap);
  if (!map.started()) return doca::refuse(Errc::not_permitted, "the map is not started");
  if (!map.has_device(*dev->device)) {
    return doca::refuse(Errc::not_found, "the device was not added to the map");
  }
  return doca::guarded([&] {
    *dpa_mmap_handle = doca::dpa_handles().number_of(map);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_mmap_create_from_export(const doca_data* user_data, const void* export_desc,
                                          std::size_t export_desc_len, doca_dev* dev,
                                          doca_mmap** mmap) {
  if (export_desc == nullptr || dev == nullptr || mmap == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    auto made = MemoryMap::create_from_export(
        {static_cast<const std::byte*>(export_desc), export_desc_len}, dev->device,
        user_data != nullptr ? doca::user_data_of(*user_data) : comch::UserData{});
    if (!made) return doca::answer(made.error());
    *mmap = doca::handle_of(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_mmap_set_memrange(doca_mmap* mmap, void* addr, std::size_t len) {
  if (mmap == nullptr || addr == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*mmap).set_range(addr, len));
}

doca_error_t doca_mmap_set_dmabuf_memrange(doca_mmap* mmap, int dmabuf_fd, void* addr,
                                           std::size_t dmabuf_offset, std::size_t len) {
  if (mmap == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    comch::MemoryMap& map = doca::engine_of(*mmap);
    const comch::Status taken = map.import_dmabuf(dmabuf_fd, dmabuf_offset, len, addr);
    // A memfd is the one thing besides that another process can map.
    const bool may_be_memfd =
        !taken && addr == nullptr && taken.error().code == Errc::invalid_value;
    if (may_be_memfd && map.import_memfd(dmabuf_fd, dmabuf_offset, len)) return DOCA_SUCCESS;
    return doca::answer(taken);
  });
}

doca_error_t doca_mmap_set_dpa_memrange(doca_mmap* mmap, doca_dpa* dpa, std::uint64_t dpa_addr,
                                        std::size_t len) {
  if (mmap == nullptr || dpa == nullptr || dpa_addr == 0) return doca::null_argument();
  // The emulated accelerator's memory is this process's own.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the API names it by a number.
  return doca::answer(doca::engine_of(*mmap).set_range(reinterpret_cast<void*>(dpa_addr), len));
}

doca_error_t doca_mmap_get_memrange(const doca_mmap* mmap, void** addr, std::size_t* len) {
  if (mmap == nullptr || addr == nullptr || len == nullptr) return doca::null_argument();
  const auto range = doca::engine_of(*mmap).range();
  if (!range) return doca::answer(range.error());
  *addr = range->data();
  *len = range->size();
  return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_free_cb(doca_mmap* mmap, doca_mmap_memrange_free_cb_t* free_cb,
                                   void* opaque) {
  if (mmap == nullptr || free_cb == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    return doca::answer(doca::engine_of(*mmap).on_free(
        [free_cb, opaque](void* address, std::size_t size) { free_cb(address, size, opaque); }));
  });
}

doca_error_t doca_mmap_get_user_data(const doca_mmap* mmap, doca_data* user_data) {
  return get(mmap, user_data,
             [](const MemoryMap& map) { return doca::user_data_of(map.user_data()); });
}

doca_error_t doca_mmap_get_max_num_devices(const doca_mmap* mmap, std::uint32_t* max_num_devices) {
  return get(mmap, max_num_devices, [](const MemoryMap& map) { return map.max_devices(); });
}

doca_error_t doca_mmap_get_num_bufs(const doca_mmap* mmap, std::uint32_t* num_bufs) {
  return get(mmap, num_bufs, [](const MemoryMap& map) { return map.buffers(); });
}

doca_error_t doca_mmap_get_exported(const doca_mmap* mmap, std::uint8_t* exported) {
  return get(mmap, exported, [](const MemoryMap& map) { return map.exported(); });
}

doca_error_t doca_mmap_get_from_export(const doca_mmap* mmap, std::uint8_t* from_export) {
  return get(mmap, from_export, [](const MemoryMap& map) { return map.from_export(); });
}

doca_error_t doca_mmap_set_max_num_devices(doca_mmap* mmap, std::uint32_t max_num_devices) {
  if (mmap == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*mmap).set_max_devices(max_num_devices));
}

doca_error_t doca_mmap_set_permissions(doca_mmap* mmap, std::uint32_t access_mask) {
  if (mmap == nullptr) return doca::null_argument();
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): a mask; the engine checks it.
  return doca::answer(doca::engine_of(*mmap).set_permissions(static_cast<Access>(access_mask)));
}

doca_error_t doca_mmap_set_user_data(doca_mmap* mmap, doca_data user_data) {
  if (mmap == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*mmap).set_user_data(doca::user_data_of(user_data)));
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const doca_devinfo* devinfo,
                                                   std::uint8_t* mmap_export) {
  return every_device_can(devinfo, mmap_export);
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const doca_devinfo* devinfo,
                                                               std::uint8_t* from_export) {
  return every_device_can(devinfo, from_export);
}

doca_error_t doca_mmap_enable_thread_safety(doca_mmap* mmap) {
  if (mmap == nullptr) return doca::null_argument();
  if (doca::engine_of(*mmap).started()) {
    return doca::refuse(Errc::not_permitted, "the map is started");
  }
  return DOCA_SUCCESS;
}
