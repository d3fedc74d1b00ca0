// doca_dpa_async_ops: the engine's dpa::AsyncOperations under another name; see doca_dpa.h.
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::AsyncOperations;
using doca::answer;
using doca::engine_of;
using doca::null_argument;
using doca::refuse;

doca_error_t doca_dpa_async_ops_create(doca_dpa* dpa, unsigned int queue_size, uint64_t user_data,
                                       doca_dpa_async_ops** async_ops) {
  if (dpa == nullptr || async_ops == nullptr) return null_argument();
  if (user_data >> DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA != 0) {
    return refuse(Errc::invalid_value, "the user data has more than 24 bits");
  }
  return doca::guarded([&] {
    auto made = AsyncOperations::create(dpa->accelerator(), queue_size, {.value = user_data});
    if (!made) return answer(made.error());
    *async_ops = reinterpret_cast<doca_dpa_async_ops*>(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_async_ops_destroy(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  return answer(doca::stop_and_destroy(&engine_of(*async_ops)));
}

doca_error_t doca_dpa_async_ops_get_queue_size(doca_dpa_async_ops* async_ops,
                                               unsigned int* queue_size) {
  if (async_ops == nullptr || queue_size == nullptr) return null_argument();
  *queue_size = engine_of(*async_ops).operations();
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_user_data(doca_dpa_async_ops* async_ops, uint64_t* user_data) {
  if (async_ops == nullptr || user_data == nullptr) return null_argument();
  *user_data = engine_of(*async_ops).user_data().value;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_attach(doca_dpa_async_ops* async_ops,
                                       doca_dpa_completion* dpa_comp) {
  if (async_ops == nullptr || dpa_comp == nullptr) return null_argument();
  return answer(engine_of(*async_ops).set_completion(*dpa_comp->made));
}

doca_error_t doca_dpa_async_ops_start(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  return doca::guarded([&] { return answer(engine_of(*async_ops).start()); });
}

doca_error_t doca_dpa_async_ops_stop(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  return answer(engine_of(*async_ops).stop());
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(doca_dpa_async_ops* async_ops,
                                               doca_dpa_dev_async_ops_t* handle) {
  if (async_ops == nullptr || handle == nullptr) return null_argument();
  if (!engine_of(*async_ops).started()) {
    return refuse(Errc::bad_state, "the asynchronous operations are not started");
  }
  *handle = doca::device_handle_of(&engine_of(*async_ops));
  return DOCA_SUCCESS;
}
