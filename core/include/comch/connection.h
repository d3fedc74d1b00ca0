// Connection: one client and one server, talking.
//
// A connection is made by the engine, never by the application: a server learns of it
// through its connected callback, a client asks its Client for it while running.
//
//   connection.try_send(message);       // now or `again`; no task, no callback
//
// Threads: a connection lives on the thread of its context's ProgressEngine.
// Order: messages arrive in the order they were sent, once each, whole.
// Ends: who learns of the end from the other side has what that had sent handed out first. Who ends
// it himself, by stop(), disconnect() or abort(), does not get what lies in his queue by then,
// though whoever sent it was told that it was delivered.
// Lifetime: until the disconnected callback of the server has returned, or until the
// client is idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comch/context.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

class Client;
class Server;

// A Consumer (consumer.h). Unique per connection; never 0 and never 0xffff.
enum class ConsumerId : std::uint32_t {};

enum class ConnectionId : std::uint64_t {};  // Never reused by one server.

// kEstablished  messages flow.
// kDraining     the peer has ended or is lost; what it had sent is still handed out,
//               nothing can be sent. The end is reported once all of it was taken.
// kClosing      this side is disconnecting; nothing is received any more.
// kClosed       over.
enum class ConnectionState : std::uint8_t { kEstablished, kDraining, kClosing, kClosed };
std::string_view name(ConnectionState state);

// Who the peer is. uid, gid and pid are the kernel's word about the process that made
// the connection, or, of one on another machine, that process's own; acting_uid and
// acting_gid are who it acts for, which is the same unless it is root and said otherwise.
struct PeerIdentity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int32_t pid = 0;
  std::uint32_t acting_uid = 0;
  std::uint32_t acting_gid = 0;
};

// Counts since the connection was made (or since reset_counters()).
struct ConnectionCounters {
  std::uint64_t sent_messages = 0;  // Delivered to the peer's queue.
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_messages = 0;  // Taken by this application.
  std::uint64_t received_bytes = 0;
  std::uint64_t sends_held = 0;  // Sends that found the peer's queue full.
  std::uint64_t wakes_sent = 0;  // Times the peer slept and was rung.
  std::uint64_t wakes_received = 0;
};

// What a receive callback says of the message it was shown.
enum class Receipt : std::uint8_t {
  kTaken,  // The message is the application's; it leaves the queue.
  kKeep,   // It stays first in its queue and this connection pauses until resume().
};

class Connection {
 public:
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  ConnectionId id() const;
  ConnectionState state() const;
  const PeerIdentity& peer() const;
  // How it ended: empty before the end and after an orderly one; connection_reset when
  // the peer died or broke the protocol.
  const std::optional<Error>& loss() const;
  // The context it belongs to; the other one is null.
  Server* server() const;
  Client* client() const;
  std::uint32_t max_message_size() const;

  void set_user_data(UserData data);
  UserData user_data() const;
  ConnectionCounters counters() const;
  void reset_counters();
  std::size_t tasks_in_flight() const;  // Submitted on this connection, not completed.

  // The consumers of the other side, oldest first.
  std::vector<ConsumerId> remote_consumers() const;
  // This side's consumers and producers that are not idle; while there are any the connection
  // is not ended from this side but by abort().
  std::size_t local_ends() const;

  // Puts `message` in the peer's queue now. On success it is delivered, as for a task;
  // the caller keeps the memory.
  // again: the peer's queue is full, or tasks are ahead of it; nothing was sent.
  // too_big: above max_message_size(). bad_state: this side is closing.
  // connection_reset: the peer is gone.
  // Empty messages are legal and arrive as empty messages.
  Status try_send(std::span<const std::byte> message);

  // True when try_send of a message of the maximum size would be accepted now.
  bool can_send() const;

  // Asks for one call of the context's space callback, from progress(), as soon as
  // can_send() is true.
  void request_space();

  // Receiving. A paused connection is not looked at, and its peer need not wake anybody;
  // what arrives waits in the bounded queue. pause() may be called at any time;
  // resume() continues with the oldest message.
  void pause();
  void resume();
  bool paused() const;

  // Takes the next message of a *paused* connection without a callback: nothing when
  // none is there. The bytes are a private copy, valid until the next call on this
  // connection.
  std::optional<std::span<const std::byte>> take();
  // The same message, which stays.
  std::optional<std::span<const std::byte>> peek();

  // When the message that was shown last (by the receive callback, take() or peek()) came into the
  // queue, in nanoseconds of the monotonic clock. Where the server is stamped, and its client on
  // this machine, that is the client's word, as far as it can be true (SECURITY.md); else it is
  // when the message was first seen, so ask for it then.
  std::uint64_t arrival() const;

 protected:
  Connection() = default;
  ~Connection() = default;
};

}  // namespace comch
#pragma GCC visibility pop
