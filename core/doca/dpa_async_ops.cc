// doca_dpa_async_ops: see dpa.h and doca_dpa.h.
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::AsyncOperations;
using doca::answer;
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
    *async_ops = new doca_dpa_async_ops{.made = std::move(*made)};
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_async_ops_destroy(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  if (comch::Status s = doca::stop_if_started(*async_ops); !s) return answer(s);
  delete async_ops;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_queue_size(doca_dpa_async_ops* async_ops,
                                               unsigned int* queue_size) {
  if (async_ops == nullptr || queue_size == nullptr) return null_argument();
  *queue_size = async_ops->made->operations();
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_user_data(doca_dpa_async_ops* async_ops, uint64_t* user_data) {
  if (async_ops == nullptr || user_data == nullptr) return null_argument();
  *user_data = async_ops->made->user_data().value;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_attach(doca_dpa_async_ops* async_ops,
                                       doca_dpa_completion* dpa_comp) {
  if (async_ops == nullptr || dpa_comp == nullptr) return null_argument();
  return answer(async_ops->made->set_completion(*dpa_comp->made));
}

doca_error_t doca_dpa_async_ops_start(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  return doca::guarded([&] { return answer(async_ops->made->start()); });
}

doca_error_t doca_dpa_async_ops_stop(doca_dpa_async_ops* async_ops) {
  if (async_ops == nullptr) return null_argument();
  return answer(async_ops->made->stop());
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(doca_dpa_async_ops* async_ops,
                                               doca_dpa_dev_async_ops_t* handle) {
  if (async_ops == nullptr || handle == nullptr) return null_argument();
  return doca::tell_handle(*async_ops, handle, std::source_location::current());
}
