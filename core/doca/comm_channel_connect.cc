// How endpoints become services and clients, and how connections come and go; see comm_channel.h.
#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::Connection;
using comch::ContextState;
using comch::Errc;
using comch::Receipt;
using comch::SendTask;
using comch::Side;
using comch::Status;
using comch::doca::answer;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;
using Where = std::source_location;

namespace {

// How long connect() waits for an answer, which tells a refusal from a connection. That of a
// service of this machine that is at work comes at once; another machine's takes round trips, and
// if nobody listens there it is the kernel's. Picked, not tuned.
constexpr std::chrono::milliseconds kAnswerWait{10};
constexpr std::chrono::milliseconds kRemoteAnswerWait{200};

// A service that is busy elsewhere accepts late: only its end ends the attempt before this.
constexpr std::chrono::seconds kAcceptTimeout{60};

doca_comm_channel_addr_t& peer_of(Connection& connection) {
  return *static_cast<doca_comm_channel_addr_t*>(connection.user_data().pointer);
}

// The engine brings a context that was stopped to its end within few rounds: one for every 256
// messages that waited, and some for the connections.
void run_until(comch::ProgressEngine& engine, auto&& done) {
  for (int rounds = 1000; rounds > 0 && !done(); --rounds) engine.progress();
}

}  // namespace

// --- What both sides have in common ------------------------------------------------------

template <class Kind>
Status doca_comm_channel_ep_t::configure(Kind& side) {
  const auto sent = [this](SendTask& task) { note_sent(task, false); };
  const auto failed = [this](SendTask& task) { note_sent(task, true); };
  const auto message = [this](Connection& from, std::span<const std::byte> bytes) {
    note_message(from, bytes.size());
    return Receipt::kKeep;
  };
  if (Status s = side.set_max_message_size(max_message_size); !s) return s;
  if (Status s = side.set_recv_queue_size(recv_queue_size); !s) return s;
  if (Status s = side.configure_send(send_queue_size, sent, failed); !s) return s;
  if (Status s = side.on_message(message); !s) return s;
  return engine->connect(side);
}

void doca_comm_channel_ep_t::note_message(Connection& connection, std::size_t size) {
  Peer& peer = peer_of(connection);
  peer.next_size = size;
  peer.arrival_ns = connection.arrival();
  ready.push_back(&peer);
}

void doca_comm_channel_ep_t::note_over(Peer& peer) {
  peer.last = peer.counters();
  peer.connection = nullptr;
  peer.over = true;
  std::erase(ready, &peer);
  std::erase(pending, &peer);
  if (send_refused) send_news = true;
  send_refused = false;
}

// --- Services ----------------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_t::listen(const char* name, Where where) {
  if (active())
    return refuse(Errc::not_permitted, "the endpoint listens or is connected already", where);
  if (!device || !representor) {
    return refuse(Errc::bad_state, "a service needs a device and a representor", where);
  }
  const comch::DeviceInfo& info = device->get()->device->info();
  if (info.side != Side::kDpu) {
    return refuse(Errc::not_permitted, "services live on the DPU's side", where);
  }
  if (!info.capability.server) {
    return refuse(Errc::not_supported, "services do not live on this device", where);
  }
  auto made = comch::Server::create(device->get()->device, representor->get()->representor, name);
  if (!made) return answer(made.error(), where);
  const auto connected = [this](Connection& connection, bool) { note_connected(connection); };
  const auto disconnected = [this](Connection& connection, bool) {
    Peer& peer = peer_of(connection);
    note_over(peer);
    service_news = true;
    if (!peer.known) forget(peer);
  };
  comch::Server& side = **made;
  Status ready_to_start = configure(side);
  if (ready_to_start) ready_to_start = side.set_max_clients(info.capability.max_clients);
  if (ready_to_start) ready_to_start = side.set_stamped(true);
  if (ready_to_start) ready_to_start = side.on_connection(connected, disconnected);
  if (!ready_to_start) return answer(ready_to_start, where);
  if (const auto started = side.start(); !started) {
    const Errc code = started.error().code;
    return refuse(code == Errc::no_memory ? code : Errc::connection_aborted, started.error().what,
                  where);
  }
  server = std::move(*made);
  return DOCA_SUCCESS;
}

void doca_comm_channel_ep_t::note_connected(Connection& connection) {
  Peer& peer = *peers.emplace_back(std::make_unique<Peer>(*this));
  pending.push_back(&peer);
  peer.connection = &connection;
  connection.set_user_data({.pointer = &peer});
  connection.pause();
  service_news = true;
}

bool doca_comm_channel_ep_t::accept_pending() {
  if (pending.empty()) return false;
  for (Peer* peer : std::exchange(pending, {})) peer->connection->resume();
  service_news = true;
  settle();
  return true;
}

// --- Clients -----------------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_t::connect(const char* name, Peer*& peer, Where where) {
  // A client that was refused, or whose service is gone, may try again.
  if (client != nullptr && peers.back()->over) end_client();
  if (active())
    return refuse(Errc::not_permitted, "the endpoint listens or is connected already", where);
  if (!device) return refuse(Errc::bad_state, "a client needs a device", where);
  const comch::DeviceInfo& info = device->get()->device->info();
  if (info.side != Side::kHost) {
    return refuse(Errc::not_permitted, "clients live on the host's side", where);
  }
  if (!info.capability.client) {
    return refuse(Errc::not_supported, "clients do not live on this device", where);
  }
  auto made = comch::Client::create(device->get()->device, name);
  if (!made) return answer(made.error(), where);
  if (Status s = configure(**made); !s) return answer(s, where);
  std::ignore = (*made)->set_connect_timeout(kAcceptTimeout);
  (*made)->on_state_changed(
      [this](comch::Context&, ContextState, ContextState after) { note_client_state(after); });
  peer = peers.emplace_back(std::make_unique<Peer>(*this)).get();
  peer->known = true;
  client = std::move(*made);
  // Also when memory runs out on the way, nothing of the attempt is left.
  const doca_error_t result = guarded([&] { return call_service(*peer, where); });
  if (result != DOCA_SUCCESS) {
    end_client();
    forget(*std::exchange(peer, nullptr));
  }
  settle();
  return result;
}

doca_error_t doca_comm_channel_ep_t::call_service(const Peer& peer, Where where) {
  if (const auto started = client->start(); !started) return answer(started.error(), where);
  const bool is_remote = device->get()->device->info().rdma.has_value();
  const auto wait = is_remote ? kRemoteAnswerWait : kAnswerWait;
  const auto end = std::chrono::steady_clock::now() + wait;
  for (auto now = end - wait; client->state() == ContextState::kStarting && now < end;
       now = std::chrono::steady_clock::now()) {
    engine->wait(end - now);
  }
  if (!peer.over) return DOCA_SUCCESS;
  return refuse(Errc::connection_aborted, client->failure().text.c_str(), where);
}

void doca_comm_channel_ep_t::note_client_state(ContextState state) {
  Peer& peer = *peers.back();
  if (state == ContextState::kRunning) {
    peer.connection = client->connection().value_or(nullptr);
    peer.connection->set_user_data({.pointer = &peer});
    if (send_refused) send_news = true;
    send_refused = false;
  } else if (state != ContextState::kStarting && !peer.over) {
    note_over(peer);
  }
}

// --- Ends --------------------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_t::disconnect(Peer& peer, Where where) {
  if (client != nullptr && peers.back().get() == &peer) {
    end_client();
  } else if (!peer.over) {
    // Nothing is waited for: what the peer has no room for is lost.
    const Status ended =
        peer.held != 0 ? server->abort(*peer.connection) : server->disconnect(*peer.connection);
    if (!ended) return answer(ended, where);
    requested = false;
    run_until(*engine, [&] { return peer.over; });
  }
  forget(peer);
  settle();
  return DOCA_SUCCESS;
}

void doca_comm_channel_ep_t::end_client() {
  requested = false;
  if (client->state() != ContextState::kIdle) {
    std::ignore = held != 0 ? client->abort() : client->stop();
    run_until(*engine, [&] { return client->state() == ContextState::kIdle; });
  }
  client.reset();
  if (!peers.back()->over) note_over(*peers.back());
  send_armed = recv_armed = send_news = false;
}

void doca_comm_channel_ep_t::end_server() {
  if (server->state() != ContextState::kIdle) {
    std::ignore = held != 0 ? server->abort() : server->stop();
    run_until(*engine, [&] { return server->state() == ContextState::kIdle; });
  }
  server.reset();
}

void doca_comm_channel_ep_t::forget(Peer& peer) {
  std::erase(listed, &peer);
  std::erase_if(peers, [&](const auto& other) { return other.get() == &peer; });
}

doca_comm_channel_ep_t::~doca_comm_channel_ep_t() {
  if (home.is_forked()) return;  // Nothing of it can be brought to an end here.
  if (client != nullptr) end_client();
  if (server != nullptr) end_server();
}

// --- The functions -----------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_listen(doca_comm_channel_ep_t* local_ep, const char* name) {
  if (local_ep == nullptr || name == nullptr) return null_argument();
  return guarded([&] { return local_ep->listen(name, Where::current()); });
}

doca_error_t doca_comm_channel_ep_connect(doca_comm_channel_ep_t* local_ep, const char* name,
                                          doca_comm_channel_addr_t** peer_addr) {
  if (local_ep == nullptr || name == nullptr || peer_addr == nullptr) return null_argument();
  return guarded([&] {
    doca_comm_channel_addr_t* peer = nullptr;
    const doca_error_t result = local_ep->connect(name, peer, Where::current());
    if (result == DOCA_SUCCESS) *peer_addr = peer;
    return result;
  });
}

doca_error_t doca_comm_channel_ep_disconnect(doca_comm_channel_ep_t* local_ep,
                                             doca_comm_channel_addr_t* peer_addr) {
  if (local_ep == nullptr) return null_argument();
  return guarded([&] {
    const bool ours = std::ranges::any_of(
        local_ep->peers, [&](const auto& peer) { return peer.get() == peer_addr; });
    if (!ours) return refuse(Errc::not_connected, "the endpoint has no such connection");
    return local_ep->disconnect(*peer_addr, Where::current());
  });
}
