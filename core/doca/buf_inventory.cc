// doca_buf_inventory: see doca_buf_inventory.h. It is an engine's BufferInventory.
#include <doca_buf_inventory.h>

#include "doca/memory.h"
#include "doca/refuse.h"
#include "doca/user_data.h"

namespace doca = comch::doca;

namespace {

std::span<std::byte> bytes(void* address, std::size_t size) {
  return {static_cast<std::byte*>(address), size};
}

doca_error_t give(const comch::Result<comch::Buffer*>& lent, doca_buf** buf,
                  std::source_location where = std::source_location::current()) {
  if (!lent) {
    // A program that waits for a buffer asks often, and knows why.
    if (lent.error().code == comch::Errc::no_memory) return DOCA_ERROR_NO_MEMORY;
    return doca::answer(lent.error(), where);
  }
  *buf = doca::handle_of(*lent);
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_buf_inventory_create(std::size_t num_elements, doca_buf_inventory** inventory) {
  if (inventory == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    auto made = comch::BufferInventory::create(num_elements);
    if (!made) return doca::answer(made.error());
    *inventory = reinterpret_cast<doca_buf_inventory*>(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_buf_inventory_destroy(doca_buf_inventory* inventory) {
  if (inventory == nullptr) return doca::null_argument();
  return doca::answer(doca::destroy(doca::engine_of(*inventory)));
}

doca_error_t doca_buf_inventory_start(doca_buf_inventory* inventory) {
  if (inventory == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*inventory).start());
}

doca_error_t doca_buf_inventory_stop(doca_buf_inventory* inventory) {
  if (inventory == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*inventory).stop());
}

doca_error_t doca_buf_inventory_buf_get_by_args(doca_buf_inventory* inventory, doca_mmap* mmap,
                                                void* addr, std::size_t len, void* data,
                                                std::size_t data_len, doca_buf** buf) {
  if (inventory == nullptr || mmap == nullptr || addr == nullptr || data == nullptr ||
      buf == nullptr) {
    return doca::null_argument();
  }
  return give(doca::engine_of(*inventory)
                  .get_by_args(doca::engine_of(*mmap), bytes(addr, len), bytes(data, data_len)),
              buf);
}

doca_error_t doca_buf_inventory_buf_dup(doca_buf_inventory* inventory, const doca_buf* src_buf,
                                        doca_buf** dst_buf) {
  if (inventory == nullptr || src_buf == nullptr || dst_buf == nullptr) {
    return doca::null_argument();
  }
  return give(doca::engine_of(*inventory).duplicate(*doca::engine_of(src_buf)), dst_buf);
}

doca_error_t doca_buf_inventory_set_user_data(doca_buf_inventory* inventory, doca_data user_data) {
  if (inventory == nullptr) return doca::null_argument();
  comch::BufferInventory& of = doca::engine_of(*inventory);
  if (of.started()) return doca::refuse(comch::Errc::bad_state, "the inventory is started");
  of.set_user_data(doca::user_data_of(user_data));
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const doca_buf_inventory* inventory,
                                                 std::uint32_t* num_of_elements) {
  if (inventory == nullptr || num_of_elements == nullptr) return doca::null_argument();
  *num_of_elements = doca::engine_of(*inventory).size();
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const doca_buf_inventory* inventory,
                                                      std::uint32_t* num_of_free_elements) {
  if (inventory == nullptr || num_of_free_elements == nullptr) return doca::null_argument();
  *num_of_free_elements = doca::engine_of(*inventory).available();
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const doca_buf_inventory* inventory,
                                              doca_data* user_data) {
  if (inventory == nullptr || user_data == nullptr) return doca::null_argument();
  *user_data = doca::user_data_of(doca::engine_of(*inventory).user_data());
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(doca_buf_inventory* inventory, std::uint32_t num_elements) {
  if (inventory == nullptr) return doca::null_argument();
  return doca::guarded(
      [&] { return doca::answer(doca::engine_of(*inventory).expand(num_elements)); });
}
