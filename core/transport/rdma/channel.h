// RdmaChannel: a connection's control path over a ControlLink.
//
// A message is delivered when the peer's device has acknowledged it: it lies in a receive that
// the peer had posted. So sends confirm later (transport.h), and an orderly end takes a
// round trip: the goodbye must have arrived before this end disconnects.
//
// Completions are found by polling while the engine looks, and by the completion queue's
// descriptor while it does not. Who is silent for half of the keepalive is asked whether it is
// there; who does not answer within the other half is lost.
//
// Threads: the reactor's. Lifetime: owns the link.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/rdma/control_link.h"
#include "transport/rdma/fifo.h"
#include "transport/rdma/hub.h"
#include "transport/transport.h"

namespace comch::transport::rdma {

class RdmaChannel final : public Channel, public ControlLinkOwner, public Courier {
 public:
  struct Terms {
    bool is_server = false;
    std::uint64_t keepalive_ns = 0;
    Patience patience;  // Of the fast path's queue pairs.
  };

  RdmaChannel(Reactor& reactor, std::unique_ptr<ControlLink> link, const Terms& terms);
  ~RdmaChannel() override;

  void attach(ChannelOwner& owner) override;
  Status send(std::span<const std::byte> message) override;
  bool has_room(std::uint32_t bytes) override;
  std::optional<std::span<const std::byte>> look() override;
  bool has_message() override;
  std::optional<std::uint64_t> arrival() const override;
  void pop() override;
  void flush() override;
  bool arm(bool for_data, bool for_space) override;
  void disarm() override {}  // At worst the queue rings once for nothing.
  void relax() override {}
  PeerState peer_state() const override { return peer_state_; }
  std::uint64_t wakes_sent() const override { return 0; }  // A device wakes, not this side.
  std::uint64_t wakes_received() const override { return wakes_received_; }
  bool confirms_later() const override { return true; }
  std::uint64_t delivered() override;
  bool settle() override;
  void close(bool orderly) override;
  Result<std::shared_ptr<FastPath>> fast_path() override;
  const FastPath* fast_path_if_any() const override { return hub_.get(); }

  void on_ready() override;
  void on_event(Event& event) override;
  Status send_letter(std::span<const std::byte> letter) override;

 private:
  // What was found where the owner cannot be told, is told from progress() at once.
  struct News final : public Alarm {
    explicit News(RdmaChannel& c) : channel(c) {}
    void on_alarm() override { channel.on_news(); }
    RdmaChannel& channel;
  };
  struct Pulse final : public Alarm {
    explicit Pulse(RdmaChannel& c) : channel(c) {}
    void on_alarm() override { channel.on_pulse(); }
    RdmaChannel& channel;
  };

  // The hub has letters, or has become empty.
  struct HubNews final : public Readiness {
    explicit HubNews(RdmaChannel& c) : channel(c) {}
    void on_readable() override;
    RdmaChannel& channel;
  };
  // No credit for a letter: try again after so long.
  static constexpr std::uint64_t kRetry_ns = 1'000'000;

  // That wait for credits. Who sends letters takes them too, a window of each at a time.
  static constexpr std::uint32_t kRefusals = 4 * kLetterWindow;

  bool has_news() const;
  void collect();
  void serve();
  void tell_all();
  void take_control(PacketKind kind, std::span<const std::byte> body);
  void take_letter(std::span<const std::byte> body);
  Status make_hub();
  void refuse(std::span<const std::byte> body, const Error& why);
  void flush_refusals();
  void flush_hub();
  void close_hub();
  void end(PeerState state);
  void on_news();
  void on_pulse();

  Reactor& reactor_;
  std::unique_ptr<ControlLink> link_;  // Null once closed.
  const Terms terms_;
  std::unique_ptr<std::byte[]> scratch_;
  ChannelOwner* owner_ = nullptr;
  PeerState peer_state_ = PeerState::kOpen;
  bool serving_ = false;  // The owner is told of something: the packet is still in its queue.
  bool said_goodbye_ = false;
  std::uint64_t wakes_received_ = 0;
  std::uint64_t completed_before_ = 0;  // At the last pulse.
  bool waiting_ = false;                // Something was under way at the last pulse.
  News news_{*this};
  Pulse pulse_{*this};
  HubNews hub_news_{*this};
  std::shared_ptr<Hub> hub_;
  Fifo<wire::RdmaRefused> refusals_{kRefusals};  // Of consumers that came while there was no hub.
};

}  // namespace comch::transport::rdma
