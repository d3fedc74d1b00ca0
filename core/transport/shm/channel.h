// ShmChannel: a connection's control path in memory that both processes map.
//
// Messages go through two RecordRings, one each way. The unix socket of the handshake
// stays open beside them: its end is the peer's death, a packet on it is the peer ringing
// (Doorbell) or leaving in order (Goodbye). So one descriptor serves for waking, for
// telling who rang and for noticing a kill -9, and no peer can swallow another's wake-up.
//
// Threads: the reactor's. Lifetime: owns the socket and the mapping.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "os/fd.h"
#include "os/memfd.h"
#include "shm/arrivals.h"
#include "shm/bell.h"
#include "shm/layout.h"
#include "shm/record_ring.h"
#include "transport/shm/hub.h"
#include "transport/transport.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

// Which end of the connection this is, and what both ends can do.
struct ChannelTerms {
  comch::shm::ControlLayout layout;
  bool is_server = false;
  bool peer_has_membarrier = false;
  bool own_membarrier = false;
  bool stamped = false;                          // Messages to the server say when they were sent.
  std::uint16_t version = wire::kNewestVersion;  // That both speak.
  std::uint32_t peer_uid = 0;  // Who is at the other end, by the kernel's word: for the log,
  std::int32_t peer_pid = 0;   // and for what the hub lets it do.
};

class ShmChannel final : public Channel, public Readiness, public Alarm {
 public:
  ShmChannel(Reactor& reactor, os::Fd socket, os::Mapping mapping, const ChannelTerms& terms);
  ~ShmChannel() override;

  // Begins to listen to the socket. operating_system: see sys.
  Status open();

  void attach(ChannelOwner& owner) override { owner_ = &owner; }
  Status send(std::span<const std::byte> message) override;
  bool has_room(std::uint32_t bytes) override { return sender_.has_room(bytes); }
  std::optional<std::span<const std::byte>> look() override;
  Sign sign() const override;
  bool has_message() override { return !receiver_.broken() && receiver_.ready(); }
  void pop() override;
  std::optional<std::uint64_t> arrival() const override;
  void flush() override;
  bool arm(bool for_data, bool for_space) override;
  std::optional<WakeWord> ask_for_word() override;
  void disarm() override;
  void relax() override;
  PeerState peer_state() const override { return peer_state_; }
  std::uint64_t wakes_sent() const override { return wakes_sent_; }
  std::uint64_t wakes_received() const override { return wakes_received_; }
  void close(bool orderly) override;
  Result<std::shared_ptr<FastPath>> fast_path() override;
  const FastPath* fast_path_if_any() const override { return hub_.get(); }

  void on_readable() override;
  void on_alarm() override { flush_hub(); }

 private:
  void ring(comch::shm::BellRinger<>& bell);
  void end(PeerState state);
  void broken(const char* what);
  bool read_packet();
  bool read_fast(std::span<const std::byte> bytes, std::span<os::Fd> fds);
  Status make_hub();
  void flush_hub();
  void close_hub();

  // The hub has letters, or has become empty.
  struct HubNews final : public Readiness {
    explicit HubNews(ShmChannel& c) : channel(c) {}
    void on_readable() override;
    ShmChannel& channel;
  };
  // The other side does not read: try again after so long.
  static constexpr std::uint64_t kRetry_ns = 1'000'000;

  Reactor& reactor_;
  os::Fd socket_;
  os::Mapping mapping_;
  std::unique_ptr<std::byte[]> scratch_;
  comch::shm::RecordSender<> sender_;
  comch::shm::RecordReceiver<> receiver_;
  comch::shm::BellSleeper<> data_sleeper_;   // Of the ring we receive from.
  comch::shm::BellSleeper<> space_sleeper_;  // Of the ring we send to.
  comch::shm::BellRinger<> data_ringer_;     // Of the ring we send to.
  comch::shm::BellRinger<> space_ringer_;    // Of the ring we receive from.
  ChannelOwner* owner_ = nullptr;
  std::uint64_t wakes_sent_ = 0;
  std::uint64_t wakes_received_ = 0;
  PeerState peer_state_ = PeerState::kOpen;
  bool may_relax_;
  bool told_starved_ = false;
  const bool is_server_;
  const bool stamps_;                             // What this side sends.
  std::optional<comch::shm::Arrivals> arrivals_;  // Of what it receives, if that is stamped.
  const std::uint32_t peer_uid_;
  const std::int32_t peer_pid_;
  const std::uint16_t version_;
  HubNews hub_news_{*this};
  std::shared_ptr<Hub> hub_;
};

}  // namespace comch::transport::shm
