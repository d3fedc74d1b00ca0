// doca_comch_server: see comch_server.h and doca_comch.h.
#include "doca/comch_server.h"

#include <utility>

namespace doca = comch::doca;
using comch::Connection;
using comch::Errc;
using comch::Server;
using doca::null_argument;
using doca::refuse;

doca_error_t doca_comch_server_create(doca_dev* dev, doca_dev_rep* repr, const char* name,
                                      doca_comch_server** comch_server) {
  if (dev == nullptr || repr == nullptr || name == nullptr || comch_server == nullptr) {
    return null_argument();
  }
  const auto where = std::source_location::current();
  return doca::guarded([&] {
    auto engine = Server::create(dev->device, repr->representor, name);
    // This interface has no setter for it: what the device can do holds.
    if (engine) std::ignore = (*engine)->set_max_clients(dev->info.info.capability.max_clients);
    return doca::hand_out(std::make_unique<doca_comch_server>(dev, repr), std::move(engine),
                          comch_server, where);
  });
}

doca_error_t doca_comch_server_destroy(doca_comch_server* comch_server) {
  return doca::destroy(comch_server);
}

doca_error_t doca_comch_server_set_max_msg_size(doca_comch_server* comch_server, uint32_t size) {
  return doca::set_max_msg_size(comch_server, size);
}

doca_error_t doca_comch_server_get_max_msg_size(const doca_comch_server* comch_server,
                                                uint32_t* size) {
  return doca::get_max_msg_size(comch_server, size);
}

doca_error_t doca_comch_server_set_recv_queue_size(doca_comch_server* comch_server, uint32_t size) {
  return doca::set_recv_queue_size(comch_server, size);
}

doca_error_t doca_comch_server_get_recv_queue_size(const doca_comch_server* comch_server,
                                                   uint32_t* size) {
  return doca::get_recv_queue_size(comch_server, size);
}

doca_error_t doca_comch_server_get_device(const doca_comch_server* comch_server, doca_dev** dev) {
  return doca::get_device(comch_server, dev);
}

doca_error_t doca_comch_server_get_device_rep(const doca_comch_server* comch_server,
                                              doca_dev_rep** rep) {
  if (comch_server == nullptr || rep == nullptr) return null_argument();
  *rep = comch_server->representor.get();
  return DOCA_SUCCESS;
}

doca_ctx* doca_comch_server_as_ctx(doca_comch_server* comch_server) { return comch_server; }

doca_error_t doca_comch_server_disconnect(doca_comch_server* comch_server,
                                          doca_comch_connection* connection) {
  if (comch_server == nullptr || connection == nullptr) return null_argument();
  if (connection->server != comch_server) {
    return refuse(Errc::invalid_value, "the connection belongs to another context");
  }
  if (connection->connection == nullptr) {
    return refuse(Errc::invalid_value, "the connection has ended already");
  }
  return doca::guarded(
      [&] { return doca::answer(comch_server->engine->disconnect(*connection->connection)); });
}

doca_error_t doca_comch_server_task_send_set_conf(
    doca_comch_server* comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks) {
  return doca::configure_send(comch_server, task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(doca_comch_server* comch_server,
                                                    doca_comch_connection* peer, const void* msg,
                                                    uint32_t len, doca_comch_task_send** task) {
  return doca::allocate_send(comch_server, peer, msg, len, task);
}

doca_error_t doca_comch_server_event_msg_recv_register(
    doca_comch_server* comch_server, doca_comch_event_msg_recv_cb_t recv_event_cb) {
  return doca::on_message(comch_server, recv_event_cb);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
    doca_comch_server* comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb) {
  if (comch_server == nullptr || connect_event_cb == nullptr || disconnect_event_cb == nullptr) {
    return null_argument();
  }
  const auto connected = [=](Connection& connection, bool successful) {
    doca_comch_connection& handle = comch_server->handles.begin(connection);
    connect_event_cb(&comch_server->status_event, &handle, successful ? 1 : 0);
  };
  const auto disconnected = [=](Connection& connection, bool successful) {
    doca_comch_connection& handle = *doca::handle_of(connection);
    disconnect_event_cb(&comch_server->status_event, &handle, successful ? 1 : 0);
    comch_server->handles.end(handle);
  };
  return doca::guarded(
      [&] { return doca::answer(comch_server->engine->on_connection(connected, disconnected)); });
}

doca_error_t doca_comch_server_event_consumer_register(
    doca_comch_server* comch_server, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb) {
  return doca::on_consumer(comch_server, new_consumer_event_cb, expired_consumer_event_cb);
}
