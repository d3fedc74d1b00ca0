// Hub: see hub.h.
#include "transport/shm/hub.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <variant>

#include "base/say.h"
#include "os/identity.h"
#include "os/packet.h"
#include "os/peer_memory.h"
#include "os/seq_socket.h"
#include "transport/shm/doorbell.h"

namespace comch::transport::shm {

Result<std::shared_ptr<Hub>> Hub::create(bool is_server, std::uint32_t peer_uid,
                                         std::int32_t peer_pid, std::uint16_t version) {
  Result<os::Event> news = os::Event::create();
  if (!news) return std::unexpected(news.error());
  return std::make_shared<Hub>(std::move(*news), is_server, peer_uid, peer_pid, version);
}

// Whom Allowance bounds as one of a user; see there.
static Allowance::User bounded_user(std::uint32_t uid) {
  if (uid == 0 || uid == os::own_uid()) return std::nullopt;
  return uid;
}

Hub::Hub(os::Event news, bool is_server, std::uint32_t peer_uid, std::int32_t peer_pid,
         std::uint16_t version)
    : news_(std::move(news)),
      peer_uid_(peer_uid),
      allowances_(bounded_user(peer_uid)),
      writable_pid_(os::writable_peer(peer_uid, peer_pid)),
      version_(version),
      ids_(is_server) {}

// --- Ports -------------------------------------------------------------------------------

Status Hub::enter(Kind kind, const os::Fd& listens, const os::Fd* rings) {
  const std::lock_guard lock(mutex_);
  if (closed_) return fail(Errc::connection_reset, "the connection has ended");
  const auto same = std::ranges::count(ports_, kind, &Port::kind);
  if (static_cast<std::size_t>(same) >= kMaxPorts) {
    return fail(Errc::full, "the connection has 1,024 of them on this side already");
  }
  ports_.push_back({kind, &listens, rings});
  return {};
}

void Hub::leave(const os::Fd& listens) {
  const std::lock_guard lock(mutex_);
  std::erase_if(ports_, [&](const Port& port) { return port.listens == &listens; });
  if (ports_.empty()) news_.signal();
}

std::size_t Hub::ports() const {
  const std::lock_guard lock(mutex_);
  return ports_.size();
}

void Hub::ring_producers() const {
  const std::lock_guard lock(mutex_);
  for (const Port& port : ports_) {
    if (port.rings != nullptr) shm::ring(*port.rings);
  }
}

std::uint32_t Hub::next_consumer_id() {
  const std::lock_guard lock(mutex_);
  return ids_.next_consumer();
}

std::uint32_t Hub::next_producer_id() {
  const std::lock_guard lock(mutex_);
  return ids_.next_producer();
}

// --- What this side says -----------------------------------------------------------------

void Hub::announce(const wire::Consumer& terms, std::array<os::Fd, 3> fds, std::size_t fd_count) {
  const std::lock_guard lock(mutex_);
  outbox_.push_back({terms, std::move(fds), fd_count, nullptr});
  news_.signal();
}

void Hub::withdraw(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  // What was not heard of need not end, and a peer that does not read keeps none of its
  // descriptors.
  const auto announces = [id](const Letter& letter) {
    const auto* terms = std::get_if<wire::Consumer>(&letter.packet);
    return terms != nullptr && terms->id == id;
  };
  if (std::erase_if(outbox_, announces) != 0) return;
  outbox_.push_back({wire::ConsumerEnd{id}, {}, 0, nullptr});
  news_.signal();
}

void Hub::say_later(std::shared_ptr<RemoteConsumer> consumer, const wire::FastPacket& packet) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  outbox_.push_back({packet, {}, 0, std::move(consumer)});
  news_.signal();
}

Status Hub::send(const Letter& letter, const os::Fd& socket) {
  std::array<int, 3> fds{};
  for (std::size_t n = 0; n < letter.fd_count; ++n) fds[n] = letter.fds[n].get();
  const std::span<const int> with(fds.data(), letter.fd_count);
  if (letter.to) return letter.to->say(letter.packet, with);
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(letter.packet, buffer);
  return os::send(socket, std::span(buffer).first(size), with);
}

Result<bool> Hub::flush(const os::Fd& socket) {
  const std::lock_guard lock(mutex_);
  if (!socket) outbox_.clear();
  // One that cannot go does not keep the others, which go elsewhere; the order of one socket
  // stays.
  std::deque<Letter> left;
  std::set<const RemoteConsumer*> full;
  std::optional<Error> failure;
  for (Letter& letter : outbox_) {
    if (!full.contains(letter.to.get())) {
      const Status sent = send(letter, socket);
      // Who is gone is noticed elsewhere.
      if (sent || sent.error().code == Errc::connection_reset) continue;
      if (sent.error().code != Errc::again) failure = sent.error();
    }
    full.insert(letter.to.get());
    left.push_back(std::move(letter));
  }
  outbox_ = std::move(left);
  if (failure) return std::unexpected(*failure);
  return !outbox_.empty();
}

// --- What the other side says ------------------------------------------------------------

std::shared_ptr<RemoteConsumer> Hub::find(std::uint32_t id) const {
  const std::lock_guard lock(mutex_);
  const auto it = remote_.find(id);
  return it == remote_.end() ? nullptr : it->second;
}

std::vector<std::uint32_t> Hub::remote_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> ids;
  ids.reserve(remote_.size());
  for (const auto& [id, consumer] : remote_) ids.push_back(id);
  return ids;
}

Result<std::optional<ConsumerNews>> Hub::take(const wire::FastPacket& packet,
                                              std::span<os::Fd> fds) {
  if (const auto* terms = std::get_if<wire::Consumer>(&packet)) return appeared(*terms, fds);
  if (const auto* end = std::get_if<wire::ConsumerEnd>(&packet); end != nullptr && fds.empty()) {
    return expired(end->id);
  }
  return fail(Errc::connection_reset, "a packet that belongs on a consumer's line");
}

Result<std::optional<ConsumerNews>> Hub::appeared(const wire::Consumer& terms,
                                                  std::span<os::Fd> fds) {
  if (remote_ids().size() >= kMaxPorts || find(terms.id)) {
    return fail(Errc::connection_reset, "too many consumers, or two of one id");
  }
  Result<std::shared_ptr<RemoteConsumer>> made =
      RemoteConsumer::make(terms, fds, writable_pid_, allowances_,
                           version_ >= 3 ? weak_from_this() : std::weak_ptr<Hub>(), version_ >= 4);
  if (!made) {
    if (made.error().code == Errc::connection_reset) return std::unexpected(made.error());
    // Its line ends unanswered, by which its owner knows that it cannot be reached.
    if (!std::exchange(told_unreachable_, true)) {
      say(LogLevel::kError, "cannot reach consumer {} of a peer: {}", terms.id,
          describe(made.error()));
    }
    return std::nullopt;
  }
  const wire::Accepted accepted{.membarrier = (*made)->own_membarrier};
  const Status said = (*made)->say(accepted, {});
  if (!said && said.error().code == Errc::again) {
    say_later(*made, accepted);
  } else if (!said) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  remote_.emplace(terms.id, std::move(*made));
  return ConsumerNews{terms.id, true};
}

Result<std::optional<ConsumerNews>> Hub::expired(std::uint32_t id) {
  std::shared_ptr<RemoteConsumer> gone;
  {
    const std::lock_guard lock(mutex_);
    const auto it = remote_.find(id);
    if (it == remote_.end()) return std::nullopt;  // One that could not be reached.
    gone = std::move(it->second);
    remote_.erase(it);
    // Nobody is to hear them, and they would keep what it has mapped here.
    std::erase_if(outbox_, [&](const Letter& letter) { return letter.to == gone; });
  }
  gone->set_gone();
  ring_producers();
  return ConsumerNews{id, false};
}

std::vector<std::uint32_t> Hub::close() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(closed_, true)) return {};
  std::vector<std::uint32_t> ids;
  for (const auto& [id, consumer] : remote_) {
    consumer->set_gone();
    ids.push_back(id);
  }
  remote_.clear();
  outbox_.clear();
  for (const Port& port : ports_) os::shut_down(*port.listens);
  return ids;
}

}  // namespace comch::transport::shm
