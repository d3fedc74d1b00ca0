// Peer addresses: a word of the program's, and the counts of a connection; see comm_channel.h.
#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::ConnectionCounters;
using comch::Errc;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;

doca_error_t doca_comm_channel_peer_addr_get_user_data(doca_comm_channel_addr_t* peer_addr,
                                                       uint64_t* user_data) {
  if (peer_addr == nullptr || user_data == nullptr) return null_argument();
  *user_data = peer_addr->user_data;
  return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(doca_comm_channel_addr_t* peer_addr,
                                                       uint64_t user_context) {
  if (peer_addr == nullptr) return null_argument();
  peer_addr->user_data = user_context;
  return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_update_info(doca_comm_channel_addr_t* peer_addr) {
  if (peer_addr == nullptr) return null_argument();
  return guarded([&] {
    peer_addr->endpoint->pump_all();
    peer_addr->snapshot = peer_addr->counters();
    peer_addr->snapshot_held = peer_addr->held;
    if (peer_addr->over || peer_addr->lossy) {
      return refuse(Errc::connection_aborted, "the connection was refused, or is over");
    }
    return peer_addr->connection == nullptr ? DOCA_ERROR_CONNECTION_INPROGRESS : DOCA_SUCCESS;
  });
}

namespace {

doca_error_t get(const doca_comm_channel_addr_t* peer, uint64_t* value,
                 uint64_t ConnectionCounters::* count, std::source_location where) {
  if (peer == nullptr || value == nullptr) return null_argument(where);
  *value = peer->snapshot.*count;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_comm_channel_peer_addr_get_send_messages(
    const doca_comm_channel_addr_t* peer_addr, uint64_t* send_messages) {
  return get(peer_addr, send_messages, &ConnectionCounters::sent_messages,
             std::source_location::current());
}

doca_error_t doca_comm_channel_peer_addr_get_send_bytes(const doca_comm_channel_addr_t* peer_addr,
                                                        uint64_t* send_bytes) {
  return get(peer_addr, send_bytes, &ConnectionCounters::sent_bytes,
             std::source_location::current());
}

doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
    const doca_comm_channel_addr_t* peer_addr, uint64_t* recv_messages) {
  return get(peer_addr, recv_messages, &ConnectionCounters::received_messages,
             std::source_location::current());
}

doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(const doca_comm_channel_addr_t* peer_addr,
                                                        uint64_t* recv_bytes) {
  return get(peer_addr, recv_bytes, &ConnectionCounters::received_bytes,
             std::source_location::current());
}

doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const doca_comm_channel_addr_t* peer_addr, uint64_t* send_in_flight_messages) {
  if (peer_addr == nullptr || send_in_flight_messages == nullptr) return null_argument();
  *send_in_flight_messages = peer_addr->snapshot_held;
  return DOCA_SUCCESS;
}
