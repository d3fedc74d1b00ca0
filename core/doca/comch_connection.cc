// doca_comch_connection: see comch_connection.h and doca_comch.h.
#include "doca/comch_connection.h"

#include <bit>
#include <cstdint>

#include "doca/comch_client.h"
#include "doca/refuse.h"

using comch::ConnectionCounters;
using comch::ConnectionState;
using comch::Errc;
using comch::doca::null_argument;
using comch::doca::refuse;

void doca_comch_connection::begin(comch::Connection& established) {
  connection = &established;
  user_data = {};
  snapshot = {};
  established.set_user_data({.pointer = this});
}

namespace comch::doca {

doca_comch_connection& ConnectionHandles::begin(Connection& established) {
  doca_comch_connection* handle = nullptr;
  if (parked_.size() > kParked) {
    handle = parked_.front();
    parked_.pop_front();
  } else {
    handle = &all_.emplace_back();
    handle->server = server_;
  }
  handle->begin(established);
  return *handle;
}

void ConnectionHandles::end(doca_comch_connection& over) {
  over.connection = nullptr;
  parked_.push_back(&over);
}

}  // namespace comch::doca

// --- The interface -----------------------------------------------------------------------

doca_error_t doca_comch_connection_set_user_data(doca_comch_connection* connection,
                                                 doca_data user_data) {
  if (connection == nullptr) return null_argument();
  connection->user_data = user_data;
  return DOCA_SUCCESS;
}

doca_data doca_comch_connection_get_user_data(const doca_comch_connection* connection) {
  return connection == nullptr ? doca_data{} : connection->user_data;
}

doca_comch_server* doca_comch_server_get_server_ctx(const doca_comch_connection* connection) {
  return connection == nullptr ? nullptr : connection->server;
}

doca_comch_client* doca_comch_client_get_client_ctx(const doca_comch_connection* connection) {
  return connection == nullptr ? nullptr : connection->client;
}

doca_error_t doca_comch_connection_update_info(doca_comch_connection* comch_connection) {
  if (comch_connection == nullptr) return null_argument();
  const comch::Connection* const engine = comch_connection->connection;
  if (engine == nullptr) {
    const doca_comch_client* const client = comch_connection->client;
    if (client != nullptr && client->state() == DOCA_CTX_STATE_STARTING) {
      return DOCA_ERROR_CONNECTION_INPROGRESS;
    }
    return refuse(Errc::connection_aborted, "the connection is over");
  }
  comch_connection->snapshot = engine->counters();
  if (engine->state() == ConnectionState::kEstablished) return DOCA_SUCCESS;
  return refuse(Errc::connection_aborted, "the connection is ending");
}

doca_error_t doca_comch_connection_get_counter(const doca_comch_connection* comch_connection,
                                               doca_comch_counter counter_type,
                                               uint64_t* counter_value) {
  if (comch_connection == nullptr || counter_value == nullptr) return null_argument();
  const ConnectionCounters& seen = comch_connection->snapshot;
  // As a number: what a C program passes need not be one of the names.
  switch (std::bit_cast<std::uint32_t>(counter_type)) {
    case DOCA_COMCH_COUNTER_SENT_MESSAGES:
      *counter_value = seen.sent_messages;
      return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_SENT_BYTES:
      *counter_value = seen.sent_bytes;
      return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_MESSAGES:
      *counter_value = seen.received_messages;
      return DOCA_SUCCESS;
    case DOCA_COMCH_COUNTER_RECV_BYTES:
      *counter_value = seen.received_bytes;
      return DOCA_SUCCESS;
    default:
      return refuse(Errc::invalid_value, "there is no such counter");
  }
}
