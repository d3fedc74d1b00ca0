// doca_cc_consumer: see doca_cc_consumer.h and cc.h.
#include "doca/cc.h"

using comch::doca::hand_on;
using comch::doca::log_within;
using comch::doca::newer;
using comch::doca::tasks_of;

doca_error_t doca_cc_consumer_create(doca_cc_connection* cc_connection, doca_mmap* buf_mmap,
                                     doca_cc_consumer** consumer) {
  return hand_on(consumer, [&](doca_comch_consumer** made) {
    return doca_comch_consumer_create(newer(cc_connection), buf_mmap, made);
  });
}

doca_error_t doca_cc_consumer_destroy(doca_cc_consumer* consumer) {
  return doca_comch_consumer_destroy(newer(consumer));
}

doca_error_t doca_cc_consumer_cap_is_supported(const doca_devinfo* devinfo) {
  return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_cap_is_consumer_supported(const doca_devinfo* devinfo) {
  return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_consumer_get_id(const doca_cc_consumer* consumer, uint32_t* id) {
  return doca_comch_consumer_get_id(newer(consumer), id);
}

doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const doca_devinfo* devinfo,
                                                    uint32_t* max_num_tasks) {
  return doca_comch_consumer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const doca_devinfo* devinfo,
                                                        uint32_t* max_log_num_tasks) {
  const doca_error_t result = doca_comch_consumer_cap_get_max_num_tasks(devinfo, max_log_num_tasks);
  if (result == DOCA_SUCCESS) *max_log_num_tasks = log_within(*max_log_num_tasks);
  return result;
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const doca_devinfo* devinfo,
                                                   uint32_t* max_buf_size) {
  return doca_comch_consumer_cap_get_max_buf_size(devinfo, max_buf_size);
}

doca_error_t doca_cc_consumer_cap_get_max_consumers(const doca_devinfo* devinfo,
                                                    uint32_t* max_consumers) {
  return doca_comch_consumer_cap_get_max_consumers(devinfo, max_consumers);
}

doca_ctx* doca_cc_consumer_as_ctx(doca_cc_consumer* consumer) {
  return doca_comch_consumer_as_ctx(newer(consumer));
}

// --- Tasks -------------------------------------------------------------------------------

namespace {

template <class Task>
doca_error_t configure(doca_comch_consumer* face, comch::doca::TaskCallback<Task> received,
                       comch::doca::TaskCallback<Task> failed, uint32_t tasks,
                       std::source_location where) {
  if (face == nullptr || received == nullptr || failed == nullptr) {
    return comch::doca::null_argument(where);
  }
  if (!face->on_cpu) return comch::doca::only_on_cpu(where);
  return comch::doca::guarded([&] {
    return comch::doca::answer(
        face->on_cpu->configure_receive(tasks, comch::doca::through(face, received),
                                        comch::doca::through(face, failed)),
        where);
  });
}

}  // namespace

doca_error_t doca_cc_consumer_task_post_recv_set_conf(
    doca_cc_consumer* consumer, doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks) {
  return configure(newer(consumer), task_completion_cb, task_error_cb, num_post_recv_tasks,
                   std::source_location::current());
}

doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    doca_cc_consumer* consumer, doca_cc_consumer_post_recv_task_completion_cb_t task_completion_cb,
    doca_cc_consumer_post_recv_task_completion_cb_t task_error_cb,
    uint32_t log_num_post_recv_tasks) {
  return configure(newer(consumer), task_completion_cb, task_error_cb,
                   tasks_of(log_num_post_recv_tasks), std::source_location::current());
}

doca_error_t doca_cc_consumer_task_post_recv_alloc_init(doca_cc_consumer* consumer, doca_buf* buf,
                                                        doca_cc_consumer_task_post_recv** task) {
  return hand_on(task, [&](doca_comch_consumer_task_post_recv** made) {
    return doca_comch_consumer_task_post_recv_alloc_init(newer(consumer), buf, made);
  });
}

doca_buf* doca_cc_consumer_task_post_recv_get_buf(doca_cc_consumer_task_post_recv* task) {
  return doca_comch_consumer_task_post_recv_get_buf(newer(task));
}

void doca_cc_consumer_task_post_recv_set_buf(doca_cc_consumer_task_post_recv* task, doca_buf* buf) {
  doca_comch_consumer_task_post_recv_set_buf(newer(task), buf);
}

uint32_t doca_cc_consumer_task_post_recv_get_producer_id(doca_cc_consumer_task_post_recv* task) {
  return doca_comch_consumer_task_post_recv_get_producer_id(newer(task));
}

doca_task* doca_cc_consumer_task_post_recv_as_task(doca_cc_consumer_task_post_recv* task) {
  return doca_comch_consumer_task_post_recv_as_task(newer(task));
}

doca_error_t doca_cc_consumer_post_recv_task_alloc_init(doca_cc_consumer* consumer, doca_buf* buf,
                                                        doca_cc_consumer_post_recv_task** task) {
  return hand_on(task, [&](doca_comch_consumer_task_post_recv** made) {
    return doca_comch_consumer_task_post_recv_alloc_init(newer(consumer), buf, made);
  });
}

doca_buf* doca_cc_consumer_post_recv_task_get_buf(doca_cc_consumer_post_recv_task* task) {
  return doca_comch_consumer_task_post_recv_get_buf(newer(task));
}

void doca_cc_consumer_post_recv_task_set_buf(doca_cc_consumer_post_recv_task* task, doca_buf* buf) {
  doca_comch_consumer_task_post_recv_set_buf(newer(task), buf);
}

uint32_t doca_cc_consumer_post_recv_task_get_producer_id(doca_cc_consumer_post_recv_task* task) {
  return doca_comch_consumer_task_post_recv_get_producer_id(newer(task));
}

doca_task* doca_cc_consumer_post_recv_task_as_task(doca_cc_consumer_post_recv_task* task) {
  return doca_comch_consumer_task_post_recv_as_task(newer(task));
}
