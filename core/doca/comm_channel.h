// What stands behind the handles of doca_comm_channel.h: an endpoint, and the peers it talks to.
//
// An endpoint owns a progress engine and a Server or a Client on it. The engine runs inside the
// endpoint's calls alone (pump()), and what its callbacks say is written down here until a call
// asks for it.
//
// A message stays in the engine's queue until recvfrom() has room for it: the receive callback
// only notes who has one, and since when, which pauses that connection. So the peer's send queue
// fills as documented, and nothing is copied twice.
//
//   pending --recvfrom()--> active --message--> in ready --taken--> active --end--> over
//
// Messages are received in the order in which they came, over all clients: each connection shows
// its oldest, with its arrival, and recvfrom() takes the oldest of those. That is the oldest of all
// if it came before the last look at every connection (looked_ns); else all are looked at again.
//
// Threads: one at a time. Lifetime: the program's, from *_ep_create() to *_ep_destroy(); a peer
// lives until it is disconnected, or, when the program never saw it, until its connection ends.
#pragma once

#include <doca_comm_channel.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "comch/client.h"
#include "comch/fork_mark.h"
#include "comch/progress_engine.h"
#include "comch/server.h"
#include "doca/comm_channel_events.h"
#include "doca/dev.h"

struct doca_comm_channel_addr_t {
  explicit doca_comm_channel_addr_t(doca_comm_channel_ep_t& owner) : endpoint(&owner) {}

  doca_comm_channel_ep_t* const endpoint;
  comch::Connection* connection = nullptr;  // Null before it is established and when it is over.
  bool known = false;                       // The program may hold the pointer.
  bool over = false;
  bool lossy = false;            // A message that sendto() had accepted was lost.
  std::size_t next_size = 0;     // Of the message that waits, while the peer is in ready.
  std::uint64_t arrival_ns = 0;  // Of the same.
  std::uint64_t user_data = 0;
  std::uint64_t held = 0;  // Messages of it in the send queue.

  comch::ConnectionCounters counters() const { return connection ? connection->counters() : last; }
  comch::ConnectionCounters last;  // When it was over.
  // Of update_info().
  comch::ConnectionCounters snapshot;
  std::uint64_t snapshot_held = 0;
};

struct doca_comm_channel_ep_t {
  using Peer = doca_comm_channel_addr_t;
  using EventHandle = comch::doca::EventHandle;

  explicit doca_comm_channel_ep_t(std::unique_ptr<comch::ProgressEngine> made)
      : engine(std::move(made)) {}
  doca_comm_channel_ep_t(const doca_comm_channel_ep_t&) = delete;
  doca_comm_channel_ep_t& operator=(const doca_comm_channel_ep_t&) = delete;
  ~doca_comm_channel_ep_t();

  bool active() const { return server != nullptr || client != nullptr; }

  // `where` is the function that the log names.
  using Where = std::source_location;

  // comm_channel_connect.cc
  doca_error_t listen(const char* name, Where where);
  doca_error_t connect(const char* name, Peer*& peer, Where where);
  doca_error_t disconnect(Peer& peer, Where where);
  // True: there was somebody to accept.
  bool accept_pending();

  // comm_channel_message.cc
  doca_error_t send(std::span<const std::byte> message, Peer& peer, Where where);
  doca_error_t receive(void* room, std::size_t& length, Peer*& from, Where where);

  // comm_channel_events.cc

  // Runs the engine if it may have something to do, then tells the event handles.
  void pump();
  // Runs it in any case, the kernel's news included.
  void pump_all();
  // Brings the event handles in line with what is known.
  void settle();
  // Makes the handles, which one asks for first. operating_system: no descriptors.
  comch::Status open_events();

  // Configuration.
  std::optional<comch::doca::Hold<doca_dev>> device;
  std::optional<comch::doca::Hold<doca_dev_rep>> representor;
  std::uint32_t max_message_size = comch::kDefaultMessageSize;
  std::uint32_t send_queue_size = comch::kDefaultSendTasks;
  std::uint32_t recv_queue_size = comch::kDefaultRecvQueueSize;

  std::unique_ptr<comch::ProgressEngine> engine;
  std::unique_ptr<comch::Server> server;  // At most one of the two.
  std::unique_ptr<comch::Client> client;
  std::vector<std::unique_ptr<Peer>> peers;  // In the order they came.
  std::vector<Peer*> pending;                // Of a service: not accepted yet.
  std::vector<Peer*> ready;                  // Each has a message first in its queue.
  std::uint64_t looked_ns = 0;               // When all connections were last looked at.
  std::uint64_t held = 0;                    // Messages in the send queue, of all peers.

  // Events; the handles are there once one was asked for.
  std::unique_ptr<EventHandle> send_event;
  std::unique_ptr<EventHandle> recv_event;
  std::unique_ptr<EventHandle> service_event;
  bool send_armed = false;
  bool recv_armed = false;
  bool send_news = false;     // A message has left since the last send event.
  bool send_refused = false;  // sendto() said `again`: whoever waits for room wants to know.
  bool service_news = false;  // Since the last update of the service's state.
  bool requested = false;     // The engine was asked to make its descriptor readable.

  // The service's state, as it was at the last update.
  std::vector<Peer*> listed;
  mutable std::vector<std::vector<Peer*>> given;  // Arrays that the program has.
  std::uint32_t listed_pending = 0;

 private:
  struct HeldMessage;

  const comch::ForkMark home;
  template <class Side>
  comch::Status configure(Side& side);
  void note_message(comch::Connection& connection, std::size_t size);
  void note_connected(comch::Connection& connection);
  void note_over(Peer& peer);
  // Starts the client, and waits for what its service says at once.
  doca_error_t call_service(const Peer& peer, Where where);
  void note_client_state(comch::ContextState state);
  void note_sent(comch::SendTask& task, bool lost);
  doca_error_t hold(std::span<const std::byte> message, Peer& peer, Where where);
  Peer& oldest() const;
  void look_for_older();
  bool take(Peer& peer, void* room, std::size_t& length);
  bool engine_wakes() const;
  void run();
  void end_client();
  void end_server();
  void forget(Peer& peer);
};
