// doca_comch_producer: see comch_producer.h and doca_comch_producer.h. Its tasks are in
// comch_producer_task.cc.
#include "doca/comch_producer.h"

#include "doca/comch_connection.h"
#include "doca/comch_fast_cap.h"
#include "doca/task.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::Producer;
using doca::answer;
using doca::null_argument;

doca_error_t doca_comch_producer_create(doca_comch_connection* comch_connection,
                                        doca_comch_producer** producer) {
  if (comch_connection == nullptr || producer == nullptr) return null_argument();
  if (comch_connection->connection == nullptr) {
    return doca::refuse(Errc::bad_state, "the connection is not established");
  }
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    return doca::hand_out_end(Producer::create(*comch_connection->connection), producer, where);
  });
}

doca_error_t doca_comch_producer_destroy(doca_comch_producer* producer) {
  return doca::destroy_end(producer);
}

doca_ctx* doca_comch_producer_as_ctx(doca_comch_producer* producer) { return producer; }

// --- Limits ------------------------------------------------------------------------------

doca_error_t doca_comch_producer_cap_is_supported(const doca_devinfo* devinfo) {
  return doca::require_fast_path(devinfo);
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const doca_devinfo* devinfo,
                                                       uint32_t* max_num_tasks) {
  return doca::tell_limit(devinfo, Producer::kMaxTasks, max_num_tasks);
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const doca_devinfo* devinfo,
                                                      uint32_t* max_buf_size) {
  return doca::tell_fast_limit(devinfo, doca::kMaxBufferSize, max_buf_size);
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const doca_devinfo* devinfo,
                                                          uint32_t* max_buf_list_len) {
  return doca::tell_fast_limit(devinfo, doca::kMaxBufferList, max_buf_list_len);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const doca_devinfo* devinfo,
                                                       uint32_t* max_producers) {
  return doca::tell_limit(devinfo, Producer::kMaxProducers, max_producers);
}

// --- Settings ----------------------------------------------------------------------------

doca_error_t doca_comch_producer_get_id(const doca_comch_producer* producer, uint32_t* id) {
  if (producer == nullptr || id == nullptr) return null_argument();
  const bool idle = producer->state() == DOCA_CTX_STATE_IDLE;
  *id = idle ? 0 : producer->either([](auto& end) { return static_cast<uint32_t>(end.id()); });
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_set_dev_max_num_send(doca_comch_producer* producer,
                                                      uint32_t dev_num_send) {
  if (producer == nullptr) return null_argument();
  if (!producer->on_dpa) return doca::only_on_dpa();
  return answer(producer->on_dpa->set_max_sends(dev_num_send));
}

doca_error_t doca_comch_producer_dpa_completion_attach(doca_comch_producer* producer,
                                                       doca_dpa_completion* dpa_comp) {
  if (producer == nullptr || dpa_comp == nullptr) return null_argument();
  if (!producer->on_dpa) return doca::only_on_dpa();
  return answer(producer->on_dpa->set_completion(*dpa_comp->made));
}

doca_error_t doca_comch_producer_get_dpa_handle(doca_comch_producer* producer,
                                                doca_dpa_dev_comch_producer_t* dpa_producer) {
  return doca::dpa_handle_of(producer, dpa_producer);
}

doca_error_t doca_comch_producer_task_send_set_conf(
    doca_comch_producer* producer, doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks) {
  if (producer == nullptr || task_completion_cb == nullptr || task_error_cb == nullptr) {
    return null_argument();
  }
  if (!producer->on_cpu) return doca::only_on_cpu();
  return doca::guarded([&] {
    return answer(producer->on_cpu->configure_send(num_send_tasks,
                                                   doca::through(producer, task_completion_cb),
                                                   doca::through(producer, task_error_cb)));
  });
}
