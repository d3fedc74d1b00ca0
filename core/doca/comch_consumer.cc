// doca_comch_consumer: see comch_consumer.h and doca_comch_consumer.h. Its tasks are in
// comch_consumer_task.cc, completion contexts in comch_consumer_completion.cc.
#include "doca/comch_consumer.h"

#include "doca/comch_connection.h"
#include "doca/comch_fast_cap.h"
#include "doca/memory.h"
#include "doca/task.h"

namespace doca = comch::doca;
using comch::Consumer;
using comch::Errc;
using doca::answer;
using doca::null_argument;

doca_error_t doca_comch_consumer_create(doca_comch_connection* comch_connection,
                                        doca_mmap* buf_mmap, doca_comch_consumer** consumer) {
  if (comch_connection == nullptr || buf_mmap == nullptr || consumer == nullptr) {
    return null_argument();
  }
  if (comch_connection->connection == nullptr) {
    return doca::refuse(Errc::bad_state, "the connection is not established");
  }
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    return doca::hand_out_end(
        Consumer::create(*comch_connection->connection, doca::engine_of(*buf_mmap)), consumer,
        where);
  });
}

doca_error_t doca_comch_consumer_destroy(doca_comch_consumer* consumer) {
  return doca::destroy_end(consumer);
}

doca_ctx* doca_comch_consumer_as_ctx(doca_comch_consumer* consumer) { return consumer; }

// --- Limits ------------------------------------------------------------------------------

doca_error_t doca_comch_consumer_cap_is_supported(const doca_devinfo* devinfo) {
  return doca::require_fast_path(devinfo);
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const doca_devinfo* devinfo,
                                                       uint32_t* max_num_tasks) {
  return doca::tell_limit(devinfo, Consumer::kMaxTasks, max_num_tasks);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const doca_devinfo* devinfo,
                                                      uint32_t* max_buf_size) {
  return doca::tell_fast_limit(devinfo, doca::kMaxBufferSize, max_buf_size);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const doca_devinfo* devinfo,
                                                          uint32_t* max_buf_list_len) {
  return doca::tell_fast_limit(devinfo, doca::kMaxBufferList, max_buf_list_len);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const doca_devinfo* devinfo,
                                                       uint32_t* max_consumers) {
  return doca::tell_limit(devinfo, Consumer::kMaxConsumers, max_consumers);
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const doca_devinfo* devinfo,
                                                          uint32_t* max_imm_data_len) {
  return doca::tell_limit(devinfo, Consumer::kMaxImmediate, max_imm_data_len);
}

// --- Settings ----------------------------------------------------------------------------

doca_error_t doca_comch_consumer_get_id(const doca_comch_consumer* consumer, uint32_t* id) {
  if (consumer == nullptr || id == nullptr) return null_argument();
  const bool idle = consumer->state() == DOCA_CTX_STATE_IDLE;
  *id = idle ? 0 : consumer->either([](auto& end) { return static_cast<uint32_t>(end.id()); });
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const doca_comch_consumer* consumer,
                                                  uint32_t* imm_data_len) {
  if (consumer == nullptr || imm_data_len == nullptr) return null_argument();
  *imm_data_len = consumer->either([](auto& end) { return end.immediate_size(); });
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(doca_comch_consumer* consumer,
                                                  uint32_t imm_data_len) {
  if (consumer == nullptr) return null_argument();
  return answer(consumer->either([&](auto& end) { return end.set_immediate_size(imm_data_len); }));
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(doca_comch_consumer* consumer,
                                                      uint32_t dev_num_recv) {
  if (consumer == nullptr) return null_argument();
  if (!consumer->on_dpa) return doca::only_on_dpa();
  return answer(consumer->on_dpa->set_max_receives(dev_num_recv));
}

doca_error_t doca_comch_consumer_set_completion(doca_comch_consumer* consumer,
                                                doca_comch_consumer_completion* consumer_comp,
                                                uint32_t user_data) {
  if (consumer == nullptr || consumer_comp == nullptr) return null_argument();
  if (!consumer->on_dpa) return doca::only_on_dpa();
  return answer(consumer->on_dpa->set_completion(*consumer_comp->made, user_data));
}

doca_error_t doca_comch_consumer_get_dpa_handle(doca_comch_consumer* consumer,
                                                doca_dpa_dev_comch_consumer_t* dpa_consumer) {
  return doca::dpa_handle_of(consumer, dpa_consumer);
}

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    doca_comch_consumer* consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
    uint32_t num_post_recv_tasks) {
  if (consumer == nullptr || task_completion_cb == nullptr || task_error_cb == nullptr) {
    return null_argument();
  }
  if (!consumer->on_cpu) return doca::only_on_cpu();
  return doca::guarded([&] {
    return answer(consumer->on_cpu->configure_receive(num_post_recv_tasks,
                                                      doca::through(consumer, task_completion_cb),
                                                      doca::through(consumer, task_error_cb)));
  });
}
