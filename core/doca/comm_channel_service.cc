// The state of a service: who is connected and who waits to be; see comm_channel.h.
#include <algorithm>

#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::ContextState;
using comch::Errc;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;

doca_error_t doca_comm_channel_ep_update_service_state_info(doca_comm_channel_ep_t* local_ep) {
  if (local_ep == nullptr) return null_argument();
  return guarded([&] {
    if (local_ep->server == nullptr) {
      return refuse(Errc::not_supported, "the endpoint does not listen");
    }
    local_ep->pump_all();
    // Lowered before the state is taken and after the last thing that could have raised it.
    local_ep->service_news = false;
    if (local_ep->service_event) local_ep->service_event->lower();
    local_ep->given.clear();
    local_ep->listed.clear();
    for (const auto& peer : local_ep->peers) {
      if (peer->over || std::ranges::count(local_ep->pending, peer.get()) != 0) continue;
      peer->known = true;
      local_ep->listed.push_back(peer.get());
    }
    local_ep->listed_pending = static_cast<std::uint32_t>(local_ep->pending.size());
    if (local_ep->server->state() != ContextState::kRunning) {
      return refuse(Errc::connection_reset, "the service has failed; destroy its endpoint");
    }
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comm_channel_ep_get_peer_addr_list(const doca_comm_channel_ep_t* local_ep,
                                                     doca_comm_channel_addr_t*** peer_addr_array,
                                                     uint32_t* peer_addr_array_len) {
  if (local_ep == nullptr || peer_addr_array == nullptr || peer_addr_array_len == nullptr) {
    return null_argument();
  }
  return guarded([&] {
    if (local_ep->server == nullptr) {
      return refuse(Errc::not_supported, "the endpoint does not listen");
    }
    // A copy for the program: disconnecting one of its peers must not move the others.
    auto& array = local_ep->given.emplace_back();
    for (doca_comm_channel_addr_t* peer : local_ep->listed) {
      if (!peer->over) array.push_back(peer);
    }
    *peer_addr_array = array.empty() ? nullptr : array.data();
    *peer_addr_array_len = static_cast<uint32_t>(array.size());
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comm_channel_ep_get_pending_connections(const doca_comm_channel_ep_t* local_ep,
                                                          uint32_t* pending_connections) {
  if (local_ep == nullptr || pending_connections == nullptr) return null_argument();
  if (local_ep->server == nullptr) {
    return refuse(Errc::not_supported, "the endpoint does not listen");
  }
  *pending_connections = local_ep->listed_pending;
  return DOCA_SUCCESS;
}
