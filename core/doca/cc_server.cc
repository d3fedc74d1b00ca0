// doca_cc_server: see doca_cc.h and cc.h.
#include "doca/cc.h"

using comch::Connection;
using comch::doca::cc_configure_send;
using comch::doca::cc_on_consumer;
using comch::doca::cc_on_message;
using comch::doca::hand_on;
using comch::doca::newer;
using comch::doca::older;

doca_error_t doca_cc_server_create(doca_dev* dev, doca_dev_rep* repr, const char* name,
                                   doca_cc_server** cc_server) {
  return hand_on(cc_server, [&](doca_comch_server** server) {
    return doca_comch_server_create(dev, repr, name, server);
  });
}

doca_error_t doca_cc_server_destroy(doca_cc_server* cc_server) {
  return doca_comch_server_destroy(newer(cc_server));
}

doca_error_t doca_cc_server_set_max_msg_size(doca_cc_server* cc_server, uint32_t size) {
  return doca_comch_server_set_max_msg_size(newer(cc_server), size);
}

doca_error_t doca_cc_server_get_max_msg_size(const doca_cc_server* cc_server, uint32_t* size) {
  return doca_comch_server_get_max_msg_size(newer(cc_server), size);
}

doca_error_t doca_cc_server_set_recv_queue_size(doca_cc_server* cc_server, uint32_t size) {
  return doca_comch_server_set_recv_queue_size(newer(cc_server), size);
}

doca_error_t doca_cc_server_get_recv_queue_size(const doca_cc_server* cc_server, uint32_t* size) {
  return doca_comch_server_get_recv_queue_size(newer(cc_server), size);
}

doca_error_t doca_cc_server_get_device(const doca_cc_server* cc_server, doca_dev** dev) {
  return doca_comch_server_get_device(newer(cc_server), dev);
}

doca_error_t doca_cc_server_get_device_repr(const doca_cc_server* cc_server, doca_dev_rep** repr) {
  return doca_comch_server_get_device_rep(newer(cc_server), repr);
}

doca_ctx* doca_cc_server_as_ctx(doca_cc_server* cc_server) {
  return doca_comch_server_as_ctx(newer(cc_server));
}

// --- Tasks -------------------------------------------------------------------------------

doca_error_t doca_cc_server_task_send_set_conf(doca_cc_server* cc_server,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks) {
  return cc_configure_send<doca_cc_task_send>(newer(cc_server), task_completion_cb, task_error_cb,
                                              num_send_tasks);
}

doca_error_t doca_cc_server_send_task_set_conf(doca_cc_server* cc_server,
                                               doca_cc_send_task_completion_cb_t task_completion_cb,
                                               doca_cc_send_task_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks) {
  return cc_configure_send<doca_cc_send_task>(newer(cc_server), task_completion_cb, task_error_cb,
                                              num_send_tasks);
}

doca_error_t doca_cc_server_task_send_alloc_init(doca_cc_server* cc_server,
                                                 doca_cc_connection* peer, const void* msg,
                                                 uint32_t len, doca_cc_task_send** task) {
  return hand_on(task, [&](doca_comch_task_send** made) {
    return doca_comch_server_task_send_alloc_init(newer(cc_server), newer(peer), msg, len, made);
  });
}

doca_error_t doca_cc_server_send_task_alloc_init(doca_cc_server* cc_server,
                                                 doca_cc_connection* peer, const void* msg,
                                                 uint32_t len, doca_cc_send_task** task) {
  return hand_on(task, [&](doca_comch_task_send** made) {
    return doca_comch_server_task_send_alloc_init(newer(cc_server), newer(peer), msg, len, made);
  });
}

// --- Events ------------------------------------------------------------------------------

namespace {

// `Flag` is how the generation of the program spells yes and no.
template <class Flag>
using ConnectionCallback = void (*)(doca_cc_event_connection_status_changed*, doca_cc_connection*,
                                    Flag);
template <class Flag>
doca_error_t on_connection(doca_comch_server* face, ConnectionCallback<Flag> connected,
                           ConnectionCallback<Flag> disconnected, std::source_location where) {
  if (face == nullptr || connected == nullptr || disconnected == nullptr) {
    return comch::doca::null_argument(where);
  }
  const auto tell = [face](ConnectionCallback<Flag> callback, doca_comch_connection& handle,
                           bool successful) {
    callback(reinterpret_cast<doca_cc_event_connection_status_changed*>(&face->status_event),
             older<doca_cc_connection>(&handle), successful);
  };
  return comch::doca::guarded([&] {
    return comch::doca::answer(face->engine->on_connection(
                                   [=](Connection& connection, bool successful) {
                                     tell(connected, face->handles.begin(connection), successful);
                                   },
                                   [=](Connection& connection, bool successful) {
                                     doca_comch_connection& handle =
                                         *comch::doca::handle_of(connection);
                                     tell(disconnected, handle, successful);
                                     face->handles.end(handle);
                                   }),
                               where);
  });
}

}  // namespace

doca_error_t doca_cc_server_event_msg_recv_register(doca_cc_server* cc_server,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb) {
  return cc_on_message<uint32_t>(newer(cc_server), recv_event_cb);
}

doca_error_t doca_cc_server_event_connection_register(
    doca_cc_server* cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_t disconnect_event_cb) {
  return on_connection<uint8_t>(newer(cc_server), connect_event_cb, disconnect_event_cb,
                                std::source_location::current());
}

doca_error_t doca_cc_server_event_consumer_register(
    doca_cc_server* cc_server, doca_cc_event_consumer_cb_t new_consumer_event_cb,
    doca_cc_event_consumer_cb_t expired_consumer_event_cb) {
  return cc_on_consumer(newer(cc_server), new_consumer_event_cb, expired_consumer_event_cb);
}

// What the two names that a program of 2.5 compiles to are; see DOCA_CC_OF_2_5.
extern "C" {

DOCA_STABLE doca_error_t doca_cc_server_event_msg_recv_register_2_5(
    doca_cc_server* cc_server, comch::doca::MessageCallback<std::size_t> recv_event_cb) {
  return cc_on_message<std::size_t>(newer(cc_server), recv_event_cb);
}

DOCA_STABLE doca_error_t doca_cc_server_event_connection_register_2_5(
    doca_cc_server* cc_server, ConnectionCallback<bool> connect_event_cb,
    ConnectionCallback<bool> disconnect_event_cb) {
  return on_connection<bool>(newer(cc_server), connect_event_cb, disconnect_event_cb,
                             std::source_location::current());
}
}
