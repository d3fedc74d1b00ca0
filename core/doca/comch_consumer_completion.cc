// doca_comch_consumer_completion: see dpa.h and doca_comch_consumer.h.
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::dpa::ConsumerCompletion;
using doca::answer;
using doca::null_argument;

doca_error_t doca_comch_consumer_completion_create(doca_comch_consumer_completion** consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = ConsumerCompletion::create();
    if (!made) return answer(made.error());
    *consumer_comp = new doca_comch_consumer_completion{.made = std::move(*made)};
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comch_consumer_completion_destroy(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  if (comch::Status s = doca::stop_if_started(*consumer_comp); !s) return answer(s);
  return doca::guarded([&] {
    doca::retire(consumer_comp);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comch_consumer_completion_set_dpa_thread(
    doca_comch_consumer_completion* consumer_comp, doca_dpa_thread* dpa_thread) {
  if (consumer_comp == nullptr || dpa_thread == nullptr) return null_argument();
  if (comch::Status s = consumer_comp->made->set_thread(*dpa_thread->made); !s) return answer(s);
  consumer_comp->thread = dpa_thread;
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_start(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return doca::guarded([&] { return answer(consumer_comp->made->start()); });
}

doca_error_t doca_comch_consumer_completion_stop(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(consumer_comp->made->stop());
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    doca_comch_consumer_completion* consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t* consumer_comp_handle) {
  if (consumer_comp == nullptr || consumer_comp_handle == nullptr) return null_argument();
  return doca::tell_handle(*consumer_comp, consumer_comp_handle, std::source_location::current());
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    doca_comch_consumer_completion* consumer_comp, uint32_t max_num_consumers) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(consumer_comp->made->set_max_consumers(max_num_consumers));
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* max_num_consumers) {
  if (consumer_comp == nullptr || max_num_consumers == nullptr) return null_argument();
  *max_num_consumers = consumer_comp->made->max_consumers();
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    doca_comch_consumer_completion* consumer_comp, uint32_t max_num_recv) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(consumer_comp->made->set_max_receives(max_num_recv));
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* max_num_recv) {
  if (consumer_comp == nullptr || max_num_recv == nullptr) return null_argument();
  *max_num_recv = consumer_comp->made->max_receives();
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    doca_comch_consumer_completion* consumer_comp, uint32_t imm_data_len) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(consumer_comp->made->set_immediate_size(imm_data_len));
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* imm_data_len) {
  if (consumer_comp == nullptr || imm_data_len == nullptr) return null_argument();
  *imm_data_len = consumer_comp->made->immediate_size();
  return DOCA_SUCCESS;
}
