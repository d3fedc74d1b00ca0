// Transport: what the engine needs of any carrier.
//
//   Carrier --listen()--> Listener --on_channel()--> Channel      (the server's end)
//   Carrier --connect()-> Connector --on_channel()-> Channel      (the client's end)
//
// A Channel is one established connection's control path: messages out, messages in, and
// the news that the peer slept, woke, ended or is lost. The carriers are in the folders
// beside this file; nothing outside them knows which one it talks to.
//
// Threads: all on the thread of the Reactor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comch/connection.h"
#include "comch/result.h"
#include "comch/wake_word.h"
#include "transport/reactor.h"
#include "transport/sign.h"

namespace comch::transport {

// kOpen     the peer is there.
// kOrderly  it said goodbye; what it had sent is still to be read.
// kLost     it died, or wrote what no correct peer writes.
enum class PeerState : std::uint8_t { kOpen, kOrderly, kLost };

// Why a connection does not come about, in a form that can be sent to the other side.
struct Refusal {
  Errc code = Errc::connection_aborted;
  std::string reason;
};

// What each end of a connection asks for. The message size must be the same on both.
struct EndpointLimits {
  std::uint32_t max_message_size = 0;
  std::uint32_t recv_queue_size = 0;
};

// One client asking to be let in.
struct Request {
  std::uint64_t connection_id = 0;  // Counts the clients that were let in; never reused.
  std::string server_name;
  std::string representor;
  EndpointLimits limits;
  PeerIdentity peer;
};

// The owner of a Channel. All calls come from inside progress().
class ChannelOwner {
 public:
  // The peer rang: there is something to read, or room to write.
  virtual void on_wake() = 0;
  // peer_state() is no longer kOpen; told again when an orderly end was a lie after all.
  virtual void on_peer_end() = 0;
  // A consumer of the other side has come, or gone.
  virtual void on_consumer(std::uint32_t id, bool appeared) = 0;

 protected:
  ~ChannelOwner() = default;
};

// The fast path of a connection's end: where its consumers and producers meet. What those do per
// message differs between carriers by more than a virtual call may cost, so whoever makes
// one knows the carrier; this is what all have.
class FastPath {
 public:
  virtual ~FastPath() = default;
  // Consumers and producers of this process that are not idle. Any thread.
  virtual std::size_t ports() const = 0;
  // The consumers of the other side, oldest first. Any thread.
  virtual std::vector<std::uint32_t> remote_ids() const = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;

  // Made when it is first asked for, by either side. operating_system: it cannot be made.
  virtual Result<std::shared_ptr<FastPath>> fast_path() = 0;
  // Null: nobody has asked for it yet.
  virtual const FastPath* fast_path_if_any() const = 0;

  // The owner is told of everything from here on. Called once, before anything else.
  virtual void attach(ChannelOwner& owner) = 0;

  // Puts one message in the peer's queue. again: full. connection_reset: lost, for good.
  virtual Status send(std::span<const std::byte> message) = 0;
  virtual bool has_room(std::uint32_t bytes) = 0;

  // Whether a message that was sent may still get lost with this process: then it lies in the
  // peer's queue only once delivered() counts it. Never changes.
  virtual bool confirms_later() const { return false; }
  // How many messages lie in the peer's queue, of all that were sent, in their order.
  virtual std::uint64_t delivered() { return 0; }
  // Before an orderly close(), again and again: says goodbye. True once the peer has that and all
  // before it, or is gone.
  virtual bool settle() { return true; }

  // The oldest message, copied out of shared memory, still in the queue; nothing when
  // there is none. The copy is valid until the next look().
  virtual std::optional<std::span<const std::byte>> look() = 0;
  // Whether look() would show something; copies nothing, and tells the owner nothing.
  virtual bool has_message() = 0;
  // By which look() is told from one that would show nothing, while nothing is broken; until the
  // next look().
  virtual Sign sign() const { return {}; }
  // Takes what the last look() showed out of the queue.
  virtual void pop() = 0;
  // When what the last look() showed came into the queue, in nanoseconds of the monotonic clock;
  // nothing: nobody knows better than who looked.
  virtual std::optional<std::uint64_t> arrival() const { return std::nullopt; }
  // Tells the peer of the room that pop() made, at the latest now.
  virtual void flush() = 0;

  // Before sleeping: asks the peer to ring when there is data, or room; when the owner will not
  // look for either, for its end alone. Answers true when the caller must issue a process-wide
  // membarrier before it looks again.
  virtual bool arm(bool for_data, bool for_space) = 0;
  // Behind arm() for data, and ahead of the look: the peer is to ring by a word from now on, if
  // both can; beside that it may ring as ever.
  virtual std::optional<WakeWord> ask_for_word() { return std::nullopt; }
  // Takes that back.
  virtual void disarm() = 0;
  // This side polls and does not sleep: the peer may save the fence per message.
  virtual void relax() = 0;

  virtual PeerState peer_state() const = 0;
  virtual std::uint64_t wakes_sent() const = 0;
  virtual std::uint64_t wakes_received() const = 0;

  // Ends it. The peer still reads what was sent; an orderly end is told apart from a
  // loss. Nothing but the destructor may be called afterwards.
  virtual void close(bool orderly) = 0;
};

class ListenerOwner {
 public:
  // Before anything the peer wrote is looked at: may this user talk to us at all?
  virtual std::optional<Refusal> admit_user(const PeerIdentity& peer,
                                            std::span<const std::uint32_t> groups) = 0;
  // Then: does what it asks for fit?
  virtual std::optional<Refusal> admit(const Request& request,
                                       std::span<const std::uint32_t> groups) = 0;
  virtual void on_channel(std::unique_ptr<Channel> channel, const Request& request) = 0;

 protected:
  ~ListenerOwner() = default;
};

class Listener {
 public:
  // Closes it. Not from inside a call to its owner.
  virtual ~Listener() = default;

  // Frees the name and drops connections that are still being made; the owner is not
  // called any more. May be called from inside a call to the owner.
  virtual void close() = 0;
};

class ConnectorOwner {
 public:
  // Exactly one of the two is called, from inside progress(). The connector may be
  // destroyed in the call. An error has its code and errno; its sentence is the owner's to add,
  // `reason` is for people.
  virtual void on_channel(std::unique_ptr<Channel> channel, const PeerIdentity& peer) = 0;
  virtual void on_refused(const Error& error, std::string reason) = 0;

 protected:
  ~ConnectorOwner() = default;
};

class Connector {
 public:
  virtual ~Connector() = default;
};

struct ListenRequest {
  std::string server_name;
  std::string representor;
  EndpointLimits limits;
  std::uint64_t first_connection_id = 0;  // A server that starts again counts on from here.
  // Which machines may connect, by a carrier that reaches others; see RepresentorInfo.
  std::vector<std::string> allowed_hosts = {};
  // Clients are to say when they sent what, by a carrier that stays on this machine.
  bool stamped = false;
};

struct ConnectRequest {
  std::string server_name;
  std::string representor;
  EndpointLimits limits;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> acting;  // uid, gid
  std::uint64_t deadline_ns = 0;
  std::string host = {};  // The server's machine, for a carrier that reaches others.
};

class Carrier {
 public:
  virtual ~Carrier() = default;
  // already_exist: the name is taken. not_permitted: no place for it may be written.
  virtual Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const ListenRequest& request,
                                                   ListenerOwner& owner) = 0;
  // Failures of the attempt itself are told to the owner, not returned.
  virtual Result<std::unique_ptr<Connector>> connect(Reactor& reactor,
                                                     const ConnectRequest& request,
                                                     ConnectorOwner& owner) = 0;
};

}  // namespace comch::transport
