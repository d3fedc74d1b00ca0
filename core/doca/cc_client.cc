// doca_cc_client: see doca_cc.h and cc.h.
#include "doca/cc.h"

using comch::doca::cc_configure_send;
using comch::doca::cc_on_consumer;
using comch::doca::cc_on_message;
using comch::doca::hand_on;
using comch::doca::newer;

doca_error_t doca_cc_client_create(doca_dev* dev, const char* name, doca_cc_client** cc_client) {
  return hand_on(cc_client, [&](doca_comch_client** client) {
    return doca_comch_client_create(dev, name, client);
  });
}

doca_error_t doca_cc_client_destroy(doca_cc_client* cc_client) {
  return doca_comch_client_destroy(newer(cc_client));
}

doca_error_t doca_cc_client_set_max_msg_size(doca_cc_client* cc_client, uint32_t size) {
  return doca_comch_client_set_max_msg_size(newer(cc_client), size);
}

doca_error_t doca_cc_client_get_max_msg_size(const doca_cc_client* cc_client, uint32_t* size) {
  return doca_comch_client_get_max_msg_size(newer(cc_client), size);
}

doca_error_t doca_cc_client_set_recv_queue_size(doca_cc_client* cc_client, uint32_t size) {
  return doca_comch_client_set_recv_queue_size(newer(cc_client), size);
}

doca_error_t doca_cc_client_get_recv_queue_size(const doca_cc_client* cc_client, uint32_t* size) {
  return doca_comch_client_get_recv_queue_size(newer(cc_client), size);
}

doca_error_t doca_cc_client_get_device(const doca_cc_client* cc_client, doca_dev** dev) {
  return doca_comch_client_get_device(newer(cc_client), dev);
}

doca_ctx* doca_cc_client_as_ctx(doca_cc_client* cc_client) {
  return doca_comch_client_as_ctx(newer(cc_client));
}

doca_error_t doca_cc_client_get_connection(const doca_cc_client* cc_client,
                                           doca_cc_connection** connection) {
  return hand_on(connection, [&](doca_comch_connection** found) {
    return doca_comch_client_get_connection(newer(cc_client), found);
  });
}

// --- Tasks -------------------------------------------------------------------------------

doca_error_t doca_cc_client_task_send_set_conf(doca_cc_client* cc_client,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks) {
  return cc_configure_send<doca_cc_task_send>(newer(cc_client), task_completion_cb, task_error_cb,
                                              num_send_tasks);
}

doca_error_t doca_cc_client_send_task_set_conf(doca_cc_client* cc_client,
                                               doca_cc_send_task_completion_cb_t task_completion_cb,
                                               doca_cc_send_task_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks) {
  return cc_configure_send<doca_cc_send_task>(newer(cc_client), task_completion_cb, task_error_cb,
                                              num_send_tasks);
}

doca_error_t doca_cc_client_task_send_alloc_init(doca_cc_client* cc_client,
                                                 doca_cc_connection* peer, const void* msg,
                                                 uint32_t len, doca_cc_task_send** task) {
  return hand_on(task, [&](doca_comch_task_send** made) {
    return doca_comch_client_task_send_alloc_init(newer(cc_client), newer(peer), msg, len, made);
  });
}

doca_error_t doca_cc_client_send_task_alloc_init(doca_cc_client* cc_client,
                                                 doca_cc_connection* peer, const void* msg,
                                                 uint32_t len, doca_cc_send_task** task) {
  return hand_on(task, [&](doca_comch_task_send** made) {
    return doca_comch_client_task_send_alloc_init(newer(cc_client), newer(peer), msg, len, made);
  });
}

// --- Events ------------------------------------------------------------------------------

doca_error_t doca_cc_client_event_msg_recv_register(doca_cc_client* cc_client,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb) {
  return cc_on_message<uint32_t>(newer(cc_client), recv_event_cb);
}

doca_error_t doca_cc_client_event_consumer_register(
    doca_cc_client* cc_client, doca_cc_event_consumer_cb_t new_consumer_event_cb,
    doca_cc_event_consumer_cb_t expired_consumer_event_cb) {
  return cc_on_consumer(newer(cc_client), new_consumer_event_cb, expired_consumer_event_cb);
}

// What the name that a program of 2.5 compiles to is; see DOCA_CC_OF_2_5.
extern "C" DOCA_STABLE doca_error_t doca_cc_client_event_msg_recv_register_2_5(
    doca_cc_client* cc_client, comch::doca::MessageCallback<std::size_t> recv_event_cb) {
  return cc_on_message<std::size_t>(newer(cc_client), recv_event_cb);
}
