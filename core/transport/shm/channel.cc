// ShmChannel: see channel.h.
#include "transport/shm/channel.h"

#include <array>
#include <tuple>
#include <utility>

#include "base/say.h"
#include "os/clock.h"
#include "os/packet.h"
#include "transport/shm/doorbell.h"
#include "wire/fast_packet.h"
#include "wire/handshake.h"

namespace comch::transport::shm {
namespace {

using comch::shm::RingPlace;

const RingPlace& outgoing(const ChannelTerms& terms) {
  return terms.is_server ? terms.layout.to_client : terms.layout.to_server;
}

const RingPlace& incoming(const ChannelTerms& terms) {
  return terms.is_server ? terms.layout.to_server : terms.layout.to_client;
}

}  // namespace

ShmChannel::ShmChannel(Reactor& reactor, os::Fd socket, os::Mapping mapping,
                       const ChannelTerms& terms)
    : reactor_(reactor),
      socket_(std::move(socket)),
      mapping_(std::move(mapping)),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(terms.layout.max_message)),
      sender_(comch::shm::ring_at(mapping_.bytes().data(), outgoing(terms).shared),
              mapping_.bytes().data() + outgoing(terms).data, outgoing(terms).capacity,
              terms.layout.max_message, outgoing(terms).queue),
      receiver_(comch::shm::ring_at(mapping_.bytes().data(), incoming(terms).shared),
                mapping_.bytes().data() + incoming(terms).data, incoming(terms).capacity,
                terms.layout.max_message, incoming(terms).queue, terms.stamped && terms.is_server),
      data_sleeper_(comch::shm::ring_at(mapping_.bytes().data(), incoming(terms).shared).data_bell),
      space_sleeper_(
          comch::shm::ring_at(mapping_.bytes().data(), outgoing(terms).shared).space_bell),
      data_ringer_(comch::shm::ring_at(mapping_.bytes().data(), outgoing(terms).shared).data_bell,
                   !terms.own_membarrier),
      space_ringer_(comch::shm::ring_at(mapping_.bytes().data(), incoming(terms).shared).space_bell,
                    !terms.own_membarrier),
      may_relax_(terms.own_membarrier && terms.peer_has_membarrier),
      is_server_(terms.is_server),
      stamps_(terms.stamped && !terms.is_server),
      peer_uid_(terms.peer_uid),
      peer_pid_(terms.peer_pid),
      version_(terms.version) {
  socket_.close_in_children();
  if (terms.stamped && terms.is_server) {
    arrivals_.emplace(incoming(terms).queue, os::monotonic_ns());
  }
}

ShmChannel::~ShmChannel() {
  owner_ = nullptr;
  close(false);
}

Status ShmChannel::open() { return reactor_.watch(socket_.get(), *this); }

Status ShmChannel::send(std::span<const std::byte> message) {
  if (peer_state_ != PeerState::kOpen) [[unlikely]] {
    return fail(Errc::connection_reset, "the peer is gone");
  }
  Status pushed = stamps_ ? sender_.push(message, comch::shm::stamp_at(os::monotonic_ns()))
                          : sender_.push(message);
  if (!pushed) [[unlikely]] {
    if (pushed.error().code == Errc::connection_reset) broken("its receive position");
    return pushed;
  }
  if (data_ringer_.should_ring()) [[unlikely]]
    ring(data_ringer_);
  return {};  // Not `pushed`: copying it would cost as much as the push.
}

std::optional<std::span<const std::byte>> ShmChannel::look() {
  std::uint32_t size = 0;
  switch (receiver_.look(scratch_.get(), size)) {
    case comch::shm::Look::kMessage:
      // The clock is read behind the stamp, so that an honest one is of the past.
      if (arrivals_) arrivals_->look(receiver_.stamp(), os::monotonic_ns());
      return std::span<const std::byte>(scratch_.get(), size);
    case comch::shm::Look::kBroken:
      broken("a record in its ring");
      break;
    case comch::shm::Look::kNothing:
      break;
  }
  return std::nullopt;
}

void ShmChannel::pop() {
  receiver_.pop();
  if (arrivals_) arrivals_->pop();
}

std::optional<std::uint64_t> ShmChannel::arrival() const {
  if (!arrivals_) return std::nullopt;
  return arrivals_->first();
}

Sign ShmChannel::sign() const { return {.word = receiver_.sign(), .quiet = 0}; }

void ShmChannel::flush() {
  if (receiver_.flush() && space_ringer_.should_ring()) ring(space_ringer_);
}

bool ShmChannel::arm(bool for_data, bool for_space) {
  const bool data = for_data && data_sleeper_.arm();
  const bool space = for_space && space_sleeper_.arm();
  return data || space;
}

std::optional<WakeWord> ShmChannel::ask_for_word() { return shm::ask_for_word(data_sleeper_); }

void ShmChannel::disarm() {
  data_sleeper_.disarm();
  space_sleeper_.disarm();
}

void ShmChannel::relax() {
  if (!may_relax_) return;
  data_sleeper_.relax();
  space_sleeper_.relax();
}

void ShmChannel::ring(comch::shm::BellRinger<>& bell) {
  if (!socket_) return;
  shm::ring(bell, socket_);
  ++wakes_sent_;
}

void ShmChannel::close(bool orderly) {
  if (!socket_) return;
  if (hub_) std::ignore = hub_->flush(socket_);  // What was said before the end goes before it.
  close_hub();
  if (orderly && peer_state_ == PeerState::kOpen) {
    std::array<std::byte, wire::kMaxPacket> buffer;
    const std::size_t size = wire::encode(wire::Goodbye{.orderly = true}, buffer);
    std::ignore = os::send(socket_, std::span(buffer).first(size));
  }
  reactor_.unwatch(socket_.get());
  if (hub_) reactor_.unwatch(hub_->news().fd().get());
  os::hang_up(socket_, peer_uid_);
  socket_.reset();
}

void ShmChannel::end(PeerState state) {
  // A peer that said goodbye may still turn out to have lied in its ring.
  if (peer_state_ == PeerState::kLost || peer_state_ == state) return;
  peer_state_ = state;
  if (socket_) reactor_.unwatch(socket_.get());
  close_hub();
  if (owner_ != nullptr) owner_->on_peer_end();
}

void ShmChannel::broken(const char* what) {
  if (peer_state_ != PeerState::kLost) {
    say(About(peer_uid_), LogLevel::kWarning,
        "the peer uid {} pid {} wrote nonsense into {}; its connection is closed", peer_uid_,
        peer_pid_, what);
  }
  end(PeerState::kLost);
}

// One packet per call: the reactor says again when there is more, and to ask for a second
// would cost every wake-up a system call. A peer that rings more often than it is read is
// slowed down by its own socket, not by us.
void ShmChannel::on_readable() {
  if (peer_state_ != PeerState::kOpen || !socket_) return;
  if (read_packet() && owner_ != nullptr) owner_->on_wake();
}

// True when the peer rang.
bool ShmChannel::read_packet() {
  std::array<std::byte, wire::kMaxPacket> buffer;
  Result<os::Packet> packet = os::receive(socket_, buffer, peer_uid_);
  if (!packet) {
    if (packet.error().code != Errc::again) end(PeerState::kLost);
    return false;
  }
  if (packet->end) {
    end(PeerState::kLost);
    return false;
  }
  const std::span<const std::byte> bytes = std::span(buffer).first(packet->size);
  if (packet->starved && wire::is_fast(bytes)) {
    // Other peers may have them all. Its line ends unanswered, which tells the peer.
    if (!std::exchange(told_starved_, true)) {
      say(About(peer_uid_), LogLevel::kError,
          "a consumer of the peer uid {} pid {} cannot be reached: no descriptor is left",
          peer_uid_, peer_pid_);
    }
    return false;
  }
  if (!packet->truncated && wire::is_fast(bytes)) {
    return read_fast(bytes, std::span(packet->fds).first(packet->fd_count));
  }
  if (packet->truncated || packet->fd_count != 0) {
    broken("its socket");
    return false;
  }
  const Result<wire::Packet> said = wire::decode(bytes);
  if (said && std::holds_alternative<wire::Doorbell>(*said)) {
    ++wakes_received_;
    return true;
  }
  if (said && std::holds_alternative<wire::Goodbye>(*said)) {
    end(std::get<wire::Goodbye>(*said).orderly ? PeerState::kOrderly : PeerState::kLost);
    return false;
  }
  broken("its socket");
  return false;
}

// --- The fast path -----------------------------------------------------------------------

Result<std::shared_ptr<FastPath>> ShmChannel::fast_path() {
  if (Status made = make_hub(); !made) return std::unexpected(made.error());
  return std::shared_ptr<FastPath>(hub_);
}

Status ShmChannel::make_hub() {
  if (hub_) return {};
  if (!socket_ || peer_state_ != PeerState::kOpen) {
    return fail(Errc::connection_reset, "the connection has ended");
  }
  Result<std::shared_ptr<Hub>> hub = Hub::create(is_server_, peer_uid_, peer_pid_, version_);
  if (!hub) return std::unexpected(hub.error());
  Status watched = reactor_.watch((*hub)->news().fd().get(), hub_news_);
  if (watched) hub_ = std::move(*hub);
  return watched;
}

bool ShmChannel::read_fast(std::span<const std::byte> bytes, std::span<os::Fd> fds) {
  const Result<wire::FastPacket> said = wire::decode_fast(bytes);
  if (!said) {
    broken("its socket");
    return false;
  }
  if (Status made = make_hub(); !made) {
    say(About(peer_uid_), LogLevel::kError,
        "a consumer of the peer uid {} pid {} cannot be reached: {}", peer_uid_, peer_pid_,
        describe(made.error()));
    return false;
  }
  const Result<std::optional<ConsumerNews>> news = hub_->take(*said, fds);
  if (!news) {
    broken("its socket");
    return false;
  }
  if (*news && owner_ != nullptr) owner_->on_consumer((*news)->id, (*news)->appeared);
  return false;
}

void ShmChannel::HubNews::on_readable() {
  channel.hub_->news().drain();
  channel.flush_hub();
  if (channel.owner_ != nullptr) channel.owner_->on_wake();
}

void ShmChannel::flush_hub() {
  const Result<bool> left = hub_->flush(socket_);
  if (left && *left) {
    reactor_.set_alarm(*this, reactor_.now_ns() + kRetry_ns);
  } else {
    reactor_.clear_alarm(*this);
  }
  if (left) return;
  say(About(peer_uid_), LogLevel::kError,
      "the peer uid {} pid {} cannot be told of consumers, and its connection is closed: {}",
      peer_uid_, peer_pid_, describe(left.error()));
  end(PeerState::kLost);
}

// The hub's news are still watched: the last port that leaves is to be heard of.
void ShmChannel::close_hub() {
  if (!hub_) return;
  reactor_.clear_alarm(*this);
  for (const std::uint32_t id : hub_->close()) {
    if (owner_ != nullptr) owner_->on_consumer(id, false);
  }
}

}  // namespace comch::transport::shm
