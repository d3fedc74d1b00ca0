// The accelerator's memory; see doca_dpa.h.
#include <cstddef>
#include <span>

#include "doca/dpa.h"
#include "doca/memory.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::DeviceAddress;
using doca::answer;
using doca::null_argument;
using doca::refuse;

namespace {

doca_error_t require_bytes(size_t size, std::source_location where) {
  return size == 0 ? refuse(Errc::invalid_value, "there are no bytes to copy", where)
                   : DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_dpa_mem_alloc(doca_dpa* dpa, size_t size, doca_dpa_dev_uintptr_t* dev_ptr) {
  if (dpa == nullptr || dev_ptr == nullptr) return null_argument();
  *dev_ptr = 0;
  return doca::guarded([&] {
    const auto made = dpa->accelerator().allocate(size);
    if (!made) return answer(made.error());
    *dev_ptr = static_cast<doca_dpa_dev_uintptr_t>(*made);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_mem_free(doca_dpa* dpa, doca_dpa_dev_uintptr_t dev_ptr) {
  if (dpa == nullptr) return null_argument();
  return answer(dpa->accelerator().free(DeviceAddress{dev_ptr}));
}

doca_error_t doca_dpa_h2d_memcpy(doca_dpa* dpa, doca_dpa_dev_uintptr_t dst_ptr, void* src_ptr,
                                 size_t size) {
  if (dpa == nullptr || src_ptr == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_bytes(size, where); e != DOCA_SUCCESS) return e;
  return answer(dpa->accelerator().write(DeviceAddress{dst_ptr},
                                         {static_cast<const std::byte*>(src_ptr), size}));
}

doca_error_t doca_dpa_h2d_buf_memcpy(doca_dpa* dpa, doca_dpa_dev_uintptr_t dst_ptr, doca_buf* buf,
                                     size_t size) {
  if (dpa == nullptr || buf == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_bytes(size, where); e != DOCA_SUCCESS) return e;
  const std::span<std::byte> data = doca::engine_of(buf)->contents();
  if (size > data.size()) return refuse(Errc::invalid_value, "the buffer has less data");
  return answer(dpa->accelerator().write(DeviceAddress{dst_ptr}, data.first(size)));
}

doca_error_t doca_dpa_d2h_memcpy(doca_dpa* dpa, void* dst_ptr, doca_dpa_dev_uintptr_t src_ptr,
                                 size_t size) {
  if (dpa == nullptr || dst_ptr == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_bytes(size, where); e != DOCA_SUCCESS) return e;
  return answer(
      dpa->accelerator().read({static_cast<std::byte*>(dst_ptr), size}, DeviceAddress{src_ptr}));
}

doca_error_t doca_dpa_d2h_buf_memcpy(doca_dpa* dpa, doca_buf* buf, doca_dpa_dev_uintptr_t src_ptr,
                                     size_t size) {
  if (dpa == nullptr || buf == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_bytes(size, where); e != DOCA_SUCCESS) return e;
  comch::Buffer& buffer = *doca::engine_of(buf);
  if (size > buffer.tail_room()) return refuse(Errc::invalid_value, "the buffer has less room");
  const std::span<std::byte> room{buffer.data() + buffer.data_length(), size};
  if (comch::Status s = dpa->accelerator().read(room, DeviceAddress{src_ptr}); !s) return answer(s);
  return answer(buffer.set_data_length(buffer.data_length() + size));
}

doca_error_t doca_dpa_memset(doca_dpa* dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size) {
  if (dpa == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_bytes(size, where); e != DOCA_SUCCESS) return e;
  return answer(
      dpa->accelerator().fill(DeviceAddress{dev_ptr}, static_cast<std::byte>(value), size));
}
