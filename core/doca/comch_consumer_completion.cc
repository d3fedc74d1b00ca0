// doca_comch_consumer_completion: the engine's dpa::ConsumerCompletion under another name; see
// doca_comch_consumer.h.
#include "doca/comch_consumer.h"
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::ConsumerCompletion;
using doca::answer;
using doca::engine_of;
using doca::null_argument;

doca_error_t doca_comch_consumer_completion_create(doca_comch_consumer_completion** consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = ConsumerCompletion::create();
    if (!made) return answer(made.error());
    *consumer_comp = reinterpret_cast<doca_comch_consumer_completion*>(made->release());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comch_consumer_completion_destroy(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(doca::stop_and_destroy(&engine_of(*consumer_comp)));
}

doca_error_t doca_comch_consumer_completion_set_dpa_thread(
    doca_comch_consumer_completion* consumer_comp, doca_dpa_thread* dpa_thread) {
  if (consumer_comp == nullptr || dpa_thread == nullptr) return null_argument();
  return answer(engine_of(*consumer_comp).set_thread(*dpa_thread->made));
}

doca_error_t doca_comch_consumer_completion_start(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return doca::guarded([&] { return answer(engine_of(*consumer_comp).start()); });
}

doca_error_t doca_comch_consumer_completion_stop(doca_comch_consumer_completion* consumer_comp) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(engine_of(*consumer_comp).stop());
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    doca_comch_consumer_completion* consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t* consumer_comp_handle) {
  if (consumer_comp == nullptr || consumer_comp_handle == nullptr) return null_argument();
  if (!engine_of(*consumer_comp).started()) {
    return doca::refuse(Errc::bad_state, "the completion context is not started");
  }
  *consumer_comp_handle = doca::device_handle_of(&engine_of(*consumer_comp));
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    doca_comch_consumer_completion* consumer_comp, uint32_t max_num_consumers) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(engine_of(*consumer_comp).set_max_consumers(max_num_consumers));
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* max_num_consumers) {
  if (consumer_comp == nullptr || max_num_consumers == nullptr) return null_argument();
  *max_num_consumers = engine_of(*consumer_comp).max_consumers();
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    doca_comch_consumer_completion* consumer_comp, uint32_t max_num_recv) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(engine_of(*consumer_comp).set_max_receives(max_num_recv));
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* max_num_recv) {
  if (consumer_comp == nullptr || max_num_recv == nullptr) return null_argument();
  *max_num_recv = engine_of(*consumer_comp).max_receives();
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    doca_comch_consumer_completion* consumer_comp, uint32_t imm_data_len) {
  if (consumer_comp == nullptr) return null_argument();
  return answer(engine_of(*consumer_comp).set_immediate_size(imm_data_len));
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const doca_comch_consumer_completion* consumer_comp, uint32_t* imm_data_len) {
  if (consumer_comp == nullptr || imm_data_len == nullptr) return null_argument();
  *imm_data_len = engine_of(*consumer_comp).immediate_size();
  return DOCA_SUCCESS;
}
