// ConnectionImpl: what stands behind a Connection: the meeting point of a channel (a
// carrier's), a source (the engine's) and an endpoint (the context that owns it).
//
//   kEstablished --begin_close()--> kClosing --all delivered--> kClosed
//        |
//        +------peer ends------> kDraining --all taken-------> kClosed
//
// Every way ends in Endpoint::ended(), which reports the end and lets go of the connection.
// Until then the object stays whole, so that a callback may end its own connection.
//
// Threads: the engine's. Lifetime: owned by its endpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/connection.h"
#include "comch/send_task.h"
#include "engine/source.h"
#include "transport/transport.h"

namespace comch {

class Endpoint;

class ConnectionImpl final : public Connection,
                             public engine::Source,
                             public transport::ChannelOwner,
                             public transport::Alarm,
                             public ListLink<> {
 public:
  ConnectionImpl(Endpoint& endpoint, ConnectionId id, std::unique_ptr<transport::Channel> channel,
                 const PeerIdentity& peer);
  ~ConnectionImpl();

  static ConnectionImpl& of(Connection& face) { return static_cast<ConnectionImpl&>(face); }
  static const ConnectionImpl& of(const Connection& face) {
    return static_cast<const ConnectionImpl&>(face);
  }

  ConnectionId id() const { return id_; }
  ConnectionState state() const { return state_; }
  Endpoint& endpoint() const { return endpoint_; }
  const PeerIdentity& peer() const { return peer_; }
  const std::optional<Error>& loss() const { return loss_; }
  ConnectionCounters counters() const;
  void reset_counters();
  std::size_t in_flight() const { return in_flight_; }
  UserData user_data;

  // Sending.
  Status try_send(std::span<const std::byte> message);
  bool can_send() const;
  void request_space();
  void submit(SendTaskImpl& task);
  bool cancel(SendTaskImpl& task);  // False: too late.
  void task_done() { --in_flight_; }

  // The fast path.
  Result<std::shared_ptr<transport::FastPath>> fast_path();
  std::vector<ConsumerId> remote_consumers() const;
  std::size_t local_ends() const;

  // Receiving.
  void pause();
  void resume();
  bool paused() const { return paused_; }
  std::optional<std::span<const std::byte>> take();
  std::optional<std::span<const std::byte>> peek();
  std::uint64_t arrival() const;

  // Its end is being told to the application.
  void set_reported() { reported_ = true; }
  bool is_reported() const { return reported_; }

  // Ends it from this side; with `deliver` what is pending goes out first, for as long as
  // the peer makes room.
  void begin_close(bool deliver);

  // For the engine.
  bool poll() override;
  bool arm() override;
  std::optional<WakeWord> ask_for_word() override;
  bool ready() override;
  void disarm() override { channel_->disarm(); }
  void relax() override { channel_->relax(); }

  // For the channel.
  void on_wake() override { update_attention(); }
  void on_peer_end() override;
  void on_consumer(std::uint32_t id, bool appeared) override;

  // The peer has not made room for long while we were closing.
  void on_alarm() override;

 private:
  // Messages of one connection per progress(), so that connections take turns.
  static constexpr int kReceiveBudget = 64;
  // How long a closing connection waits for the peer to make any room; picked.
  static constexpr std::uint64_t kLinger_ns = 2'000'000'000;

  // The peer has ended, and nothing of it or for it is left here.
  bool drained() {
    return state_ == ConnectionState::kDraining && !channel_->has_message() && local_ends() == 0;
  }
  bool open() const { return state_ != ConnectionState::kClosed; }
  bool receiving() const {
    return state_ == ConnectionState::kEstablished || state_ == ConnectionState::kDraining;
  }
  // Inside the receive callback the queue's first message is the one being shown.
  bool may_take() const { return paused_ && !in_callback_ && receiving(); }
  bool receive();
  void posted(SendTaskImpl& task);
  bool confirm();
  bool deliver_pending();
  bool try_finish();
  bool offer_space();
  void count_sent(std::size_t bytes);
  void count_received(std::size_t bytes);
  void fail_pending(const Error& error);
  void finish(bool orderly);
  bool wants_data() const { return !paused_ && receiving(); }
  bool wants_space() const { return !pending_.empty() || space_wanted_; }
  bool nothing_pending() const { return pending_.empty() && unconfirmed_.empty(); }
  // Something that was sent is not in the peer's queue yet.
  bool wants_word() const { return !unconfirmed_.empty() || state_ == ConnectionState::kClosing; }
  void update_attention();

  Endpoint& endpoint_;
  std::unique_ptr<transport::Channel> channel_;
  const bool confirms_later_;  // The channel's.
  const ConnectionId id_;
  const PeerIdentity peer_;
  ConnectionState state_ = ConnectionState::kEstablished;
  bool paused_ = false;
  bool in_callback_ = false;
  bool space_wanted_ = false;
  bool reported_ = false;
  std::size_t in_flight_ = 0;
  std::optional<Error> loss_;
  IntrusiveList<SendTaskImpl> pending_;      // Held back: the peer's queue is full.
  IntrusiveList<SendTaskImpl> unconfirmed_;  // Sent, and before all of pending_.
  std::uint64_t sent_ = 0;                   // Where the channel confirms later: messages.
  ConnectionCounters counters_;
  std::uint64_t wakes_sent_before_ = 0;  // What reset_counters() found.
  std::uint64_t wakes_received_before_ = 0;
};

}  // namespace comch
