// doca_cc_producer: see doca_cc_producer.h and cc.h.
#include "doca/cc.h"

using comch::doca::hand_on;
using comch::doca::log_within;
using comch::doca::newer;
using comch::doca::tasks_of;

doca_error_t doca_cc_producer_create(doca_cc_connection* cc_connection,
                                     doca_cc_producer** producer) {
  return hand_on(producer, [&](doca_comch_producer** made) {
    return doca_comch_producer_create(newer(cc_connection), made);
  });
}

doca_error_t doca_cc_producer_destroy(doca_cc_producer* producer) {
  return doca_comch_producer_destroy(newer(producer));
}

doca_error_t doca_cc_producer_cap_is_supported(const doca_devinfo* devinfo) {
  return doca_comch_producer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_cap_is_producer_supported(const doca_devinfo* devinfo) {
  return doca_comch_producer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_producer_get_id(const doca_cc_producer* producer, uint32_t* id) {
  return doca_comch_producer_get_id(newer(producer), id);
}

doca_error_t doca_cc_producer_cap_get_max_num_tasks(const doca_devinfo* devinfo,
                                                    uint32_t* max_num_tasks) {
  return doca_comch_producer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const doca_devinfo* devinfo,
                                                        uint32_t* max_log_num_tasks) {
  const doca_error_t result = doca_comch_producer_cap_get_max_num_tasks(devinfo, max_log_num_tasks);
  if (result == DOCA_SUCCESS) *max_log_num_tasks = log_within(*max_log_num_tasks);
  return result;
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const doca_devinfo* devinfo,
                                                   uint32_t* max_buf_size) {
  return doca_comch_producer_cap_get_max_buf_size(devinfo, max_buf_size);
}

doca_error_t doca_cc_producer_cap_get_max_producers(const doca_devinfo* devinfo,
                                                    uint32_t* max_producers) {
  return doca_comch_producer_cap_get_max_producers(devinfo, max_producers);
}

doca_ctx* doca_cc_producer_as_ctx(doca_cc_producer* producer) {
  return doca_comch_producer_as_ctx(newer(producer));
}

// --- Tasks -------------------------------------------------------------------------------

namespace {

template <class Task>
doca_error_t configure(doca_comch_producer* face, comch::doca::TaskCallback<Task> sent,
                       comch::doca::TaskCallback<Task> failed, uint32_t tasks,
                       std::source_location where) {
  if (face == nullptr || sent == nullptr || failed == nullptr) {
    return comch::doca::null_argument(where);
  }
  if (!face->on_cpu) return comch::doca::only_on_cpu(where);
  return comch::doca::guarded([&] {
    return comch::doca::answer(face->on_cpu->configure_send(tasks, comch::doca::through(face, sent),
                                                            comch::doca::through(face, failed)),
                               where);
  });
}

}  // namespace

doca_error_t doca_cc_producer_task_send_set_conf(
    doca_cc_producer* producer, doca_cc_producer_task_send_completion_cb_t task_completion_cb,
    doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks) {
  return configure(newer(producer), task_completion_cb, task_error_cb, num_send_tasks,
                   std::source_location::current());
}

doca_error_t doca_cc_producer_send_task_set_conf(
    doca_cc_producer* producer, doca_cc_producer_send_task_completion_cb_t task_completion_cb,
    doca_cc_producer_send_task_completion_cb_t task_error_cb, uint32_t log_num_send_tasks) {
  return configure(newer(producer), task_completion_cb, task_error_cb, tasks_of(log_num_send_tasks),
                   std::source_location::current());
}

doca_error_t doca_cc_producer_task_send_alloc_init(doca_cc_producer* producer, doca_buf* buf,
                                                   uint32_t consumer_id,
                                                   doca_cc_producer_task_send** task) {
  return hand_on(task, [&](doca_comch_producer_task_send** made) {
    return doca_comch_producer_task_send_alloc_init(newer(producer), buf, nullptr, 0, consumer_id,
                                                    made);
  });
}

// The program gave the buffer as its own to change, and gets it back so.
doca_buf* doca_cc_producer_task_send_get_buf(doca_cc_producer_task_send* task) {
  return const_cast<doca_buf*>(doca_comch_producer_task_send_get_buf(newer(task)));
}

void doca_cc_producer_task_send_set_buf(doca_cc_producer_task_send* task, doca_buf* buf) {
  doca_comch_producer_task_send_set_buf(newer(task), buf);
}

uint32_t doca_cc_producer_task_send_get_consumer_id(doca_cc_producer_task_send* task) {
  return doca_comch_producer_task_send_get_consumer_id(newer(task));
}

void doca_cc_producer_task_send_set_consumer_id(doca_cc_producer_task_send* task,
                                                const uint32_t consumer_id) {
  doca_comch_producer_task_send_set_consumer_id(newer(task), consumer_id);
}

doca_task* doca_cc_producer_task_send_as_task(doca_cc_producer_task_send* task) {
  return doca_comch_producer_task_send_as_task(newer(task));
}

doca_error_t doca_cc_producer_send_task_alloc_init(doca_cc_producer* producer, doca_buf* buf,
                                                   uint32_t consumer_id,
                                                   doca_cc_producer_send_task** task) {
  return hand_on(task, [&](doca_comch_producer_task_send** made) {
    return doca_comch_producer_task_send_alloc_init(newer(producer), buf, nullptr, 0, consumer_id,
                                                    made);
  });
}

doca_buf* doca_cc_producer_send_task_get_buf(doca_cc_producer_send_task* task) {
  return const_cast<doca_buf*>(doca_comch_producer_task_send_get_buf(newer(task)));
}

void doca_cc_producer_send_task_set_buf(doca_cc_producer_send_task* task, doca_buf* buf) {
  doca_comch_producer_task_send_set_buf(newer(task), buf);
}

uint32_t doca_cc_producer_send_task_get_consumer_id(doca_cc_producer_send_task* task) {
  return doca_comch_producer_task_send_get_consumer_id(newer(task));
}

void doca_cc_producer_send_task_set_consumer_id(doca_cc_producer_send_task* task,
                                                const uint32_t consumer_id) {
  doca_comch_producer_task_send_set_consumer_id(newer(task), consumer_id);
}

doca_task* doca_cc_producer_send_task_as_task(doca_cc_producer_send_task* task) {
  return doca_comch_producer_task_send_as_task(newer(task));
}
