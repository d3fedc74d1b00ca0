// doca_comch_client: see comch_client.h and doca_comch.h.
#include "doca/comch_client.h"

#include <utility>

namespace doca = comch::doca;
using comch::Client;
using doca::null_argument;

void doca_comch_client::moved(doca_ctx_states before, doca_ctx_states after) {
  if (after == DOCA_CTX_STATE_RUNNING) handle.begin(**engine->connection());
  if (after == DOCA_CTX_STATE_IDLE) handle.connection = nullptr;
  Endpoint::moved(before, after);
}

doca_error_t doca_comch_client_create(doca_dev* dev, const char* name,
                                      doca_comch_client** comch_client) {
  if (dev == nullptr || name == nullptr || comch_client == nullptr) return null_argument();
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    return doca::hand_out(std::make_unique<doca_comch_client>(dev),
                          Client::create(dev->device, name), comch_client, where);
  });
}

doca_error_t doca_comch_client_destroy(doca_comch_client* comch_client) {
  return doca::destroy(comch_client);
}

doca_error_t doca_comch_client_set_max_msg_size(doca_comch_client* comch_client, uint32_t size) {
  return doca::set_max_msg_size(comch_client, size);
}

doca_error_t doca_comch_client_get_max_msg_size(const doca_comch_client* comch_client,
                                                uint32_t* size) {
  return doca::get_max_msg_size(comch_client, size);
}

doca_error_t doca_comch_client_set_recv_queue_size(doca_comch_client* comch_client, uint32_t size) {
  return doca::set_recv_queue_size(comch_client, size);
}

doca_error_t doca_comch_client_get_recv_queue_size(const doca_comch_client* comch_client,
                                                   uint32_t* size) {
  return doca::get_recv_queue_size(comch_client, size);
}

doca_error_t doca_comch_client_get_device(const doca_comch_client* comch_client, doca_dev** dev) {
  return doca::get_device(comch_client, dev);
}

doca_ctx* doca_comch_client_as_ctx(doca_comch_client* comch_client) { return comch_client; }

doca_error_t doca_comch_client_get_connection(const doca_comch_client* comch_client,
                                              doca_comch_connection** connection) {
  if (comch_client == nullptr || connection == nullptr) return null_argument();
  if (comch_client->handle.connection == nullptr) {
    return doca::refuse(comch::Errc::bad_state, "the client is not connected");
  }
  *connection = const_cast<doca_comch_connection*>(&comch_client->handle);
  return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_set_conf(
    doca_comch_client* comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks) {
  return doca::configure_send(comch_client, task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(doca_comch_client* comch_client,
                                                    doca_comch_connection* peer, const void* msg,
                                                    uint32_t len, doca_comch_task_send** task) {
  return doca::allocate_send(comch_client, peer, msg, len, task);
}

doca_error_t doca_comch_client_event_msg_recv_register(
    doca_comch_client* comch_client, doca_comch_event_msg_recv_cb_t recv_event_cb) {
  return doca::on_message(comch_client, recv_event_cb);
}

doca_error_t doca_comch_client_event_consumer_register(
    doca_comch_client* comch_client, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb) {
  return doca::on_consumer(comch_client, new_consumer_event_cb, expired_consumer_event_cb);
}
