// doca_buf_pool: see doca_buf_pool.h. It is an engine's BufferPool.
#include <doca_buf_pool.h>

#include "doca/memory.h"
#include "doca/refuse.h"
#include "doca/user_data.h"

namespace doca = comch::doca;

namespace {

template <class Value, class Ask>
doca_error_t get(const doca_buf_pool* pool, Value* value, Ask&& ask,
                 std::source_location where = std::source_location::current()) {
  if (pool == nullptr || value == nullptr) return doca::null_argument(where);
  *value = ask(doca::engine_of(*pool));
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_buf_pool_create(std::size_t num_elements, std::size_t element_size,
                                  const doca_mmap* mmap, doca_buf_pool** buf_pool) {
  if (mmap == nullptr || buf_pool == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    // The pool counts its buffers in the map; the program's view of the map does not change.
    auto& map = const_cast<comch::MemoryMap&>(doca::engine_of(*mmap));
    auto made = comch::BufferPool::create(num_elements, element_size, map);
    if (!made) return doca::answer(made.error());
    *buf_pool = reinterpret_cast<doca_buf_pool*>(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_buf_pool_destroy(doca_buf_pool* buf_pool) {
  if (buf_pool == nullptr) return doca::null_argument();
  return doca::answer(doca::destroy(doca::engine_of(*buf_pool)));
}

doca_error_t doca_buf_pool_start(doca_buf_pool* buf_pool) {
  if (buf_pool == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*buf_pool).start());
}

doca_error_t doca_buf_pool_stop(doca_buf_pool* buf_pool) {
  if (buf_pool == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*buf_pool).stop());
}

doca_error_t doca_buf_pool_buf_alloc(doca_buf_pool* buf_pool, doca_buf** buf) {
  if (buf_pool == nullptr || buf == nullptr) return doca::null_argument();
  const comch::Result<comch::Buffer*> lent = doca::engine_of(*buf_pool).get();
  if (!lent) {
    // A program that waits for a buffer asks often, and knows why.
    if (lent.error().code == comch::Errc::empty) return DOCA_ERROR_EMPTY;
    return doca::answer(lent.error());
  }
  *buf = doca::handle_of(*lent);
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_user_data(doca_buf_pool* buf_pool, doca_data user_data) {
  if (buf_pool == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*buf_pool).set_user_data(doca::user_data_of(user_data)));
}

doca_error_t doca_buf_pool_set_element_alignment(doca_buf_pool* buf_pool,
                                                 std::size_t element_alignment) {
  if (buf_pool == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(*buf_pool).set_alignment(element_alignment));
}

doca_error_t doca_buf_pool_get_num_elements(const doca_buf_pool* buf_pool,
                                            std::uint32_t* num_of_elements) {
  return get(buf_pool, num_of_elements, [](const comch::BufferPool& of) { return of.size(); });
}

doca_error_t doca_buf_pool_get_num_free_elements(const doca_buf_pool* buf_pool,
                                                 std::uint32_t* num_of_free_elements) {
  return get(buf_pool, num_of_free_elements,
             [](const comch::BufferPool& of) { return of.available(); });
}

doca_error_t doca_buf_pool_get_user_data(const doca_buf_pool* buf_pool, doca_data* user_data) {
  return get(buf_pool, user_data,
             [](const comch::BufferPool& of) { return doca::user_data_of(of.user_data()); });
}

doca_error_t doca_buf_pool_get_element_alignment(const doca_buf_pool* buf_pool,
                                                 std::size_t* element_alignment) {
  return get(buf_pool, element_alignment,
             [](const comch::BufferPool& of) { return of.alignment(); });
}
