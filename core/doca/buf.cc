// doca_buf: see doca_buf.h. A doca_buf is an engine's Buffer.
//
// The getters are called once per message: they test, ask and answer.
#include <doca_buf.h>

#include "doca/memory.h"
#include "doca/refuse.h"

namespace doca = comch::doca;

namespace {

// Asks `buf` for something and puts the answer where the program wants it.
template <class Value, class Ask>
doca_error_t get(const doca_buf* buf, Value* value, Ask&& ask,
                 std::source_location where = std::source_location::current()) {
  if (buf == nullptr || value == nullptr) [[unlikely]]
    return doca::null_argument(where);
  *value = ask(*doca::engine_of(buf));
  return DOCA_SUCCESS;
}

// References before the call, for a program that wants to know them.
doca_error_t counted(const comch::Result<std::uint16_t>& before, std::uint16_t* refcount,
                     std::source_location where = std::source_location::current()) {
  if (!before) return doca::answer(before.error(), where);
  if (refcount != nullptr) *refcount = *before;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_buf_inc_refcount(doca_buf* buf, std::uint16_t* refcount) {
  if (buf == nullptr) return doca::null_argument();
  return counted(doca::engine_of(buf)->add_reference(), refcount);
}

doca_error_t doca_buf_dec_refcount(doca_buf* buf, std::uint16_t* refcount) {
  if (buf == nullptr) return doca::null_argument();
  return counted(doca::engine_of(buf)->drop_reference(), refcount);
}

doca_error_t doca_buf_get_refcount(const doca_buf* buf, std::uint16_t* refcount) {
  return get(buf, refcount, [](const comch::Buffer& of) { return of.references(); });
}

doca_error_t doca_buf_get_len(const doca_buf* buf, std::size_t* len) {
  return get(buf, len, [](const comch::Buffer& of) { return of.length(); });
}

doca_error_t doca_buf_get_head(const doca_buf* buf, void** head) {
  return get(buf, head, [](const comch::Buffer& of) { return of.head(); });
}

doca_error_t doca_buf_get_data_len(const doca_buf* buf, std::size_t* data_len) {
  return get(buf, data_len, [](const comch::Buffer& of) { return of.data_length(); });
}

doca_error_t doca_buf_get_data(const doca_buf* buf, void** data) {
  return get(buf, data, [](const comch::Buffer& of) { return of.data(); });
}

doca_error_t doca_buf_set_data(doca_buf* buf, void* data, std::size_t data_len) {
  if (buf == nullptr || data == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(buf)->set_data(static_cast<std::byte*>(data), data_len));
}

doca_error_t doca_buf_set_data_len(doca_buf* buf, std::size_t data_len) {
  if (buf == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(buf)->set_data_length(data_len));
}

doca_error_t doca_buf_reset_data_len(doca_buf* buf) {
  if (buf == nullptr) return doca::null_argument();
  if (doca::engine_of(buf)->reset_data_length()) [[likely]]
    return DOCA_SUCCESS;
  return doca::refuse(comch::Errc::bad_state, "the buffer is posted, and the consumer's");
}

// Lists. Every buffer is one, of itself.

doca_error_t doca_buf_get_next_in_list(doca_buf* buf, doca_buf** next_buf) {
  return get(buf, next_buf,
             [](const comch::Buffer& of) { return doca::handle_of(of.next_in_list()); });
}

doca_error_t doca_buf_get_last_in_list(doca_buf* buf, doca_buf** last_buf) {
  if (buf == nullptr || last_buf == nullptr) return doca::null_argument();
  *last_buf = doca::handle_of(doca::engine_of(buf)->last_in_list());
  return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const doca_buf* buf, std::uint8_t* is_last) {
  return get(buf, is_last, [](const comch::Buffer& of) { return of.is_last_in_list(); });
}

doca_error_t doca_buf_is_first_in_list(const doca_buf* buf, std::uint8_t* is_first) {
  return get(buf, is_first, [](const comch::Buffer& of) { return of.is_first_in_list(); });
}

doca_error_t doca_buf_is_in_list(const doca_buf* buf, std::uint8_t* is_in_list) {
  return get(buf, is_in_list, [](const comch::Buffer& of) { return of.is_in_list(); });
}

doca_error_t doca_buf_get_list_len(const doca_buf* buf, std::uint32_t* num_elements) {
  return get(buf, num_elements, [](const comch::Buffer& of) { return of.list_length(); });
}

doca_error_t doca_buf_chain_list(doca_buf* list1, doca_buf* list2) {
  if (list1 == nullptr || list2 == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(list1)->chain(*doca::engine_of(list2)));
}

doca_error_t doca_buf_chain_list_tail(doca_buf* list1_head, doca_buf* list1_tail, doca_buf* list2) {
  if (list1_head == nullptr || list1_tail == nullptr || list2 == nullptr) {
    return doca::null_argument();
  }
  return doca::answer(doca::engine_of(list1_tail)->chain(*doca::engine_of(list2)));
}

doca_error_t doca_buf_unchain_list(doca_buf* list1, doca_buf* list2) {
  if (list1 == nullptr || list2 == nullptr) return doca::null_argument();
  return doca::answer(doca::engine_of(list1)->unchain(*doca::engine_of(list2)));
}
