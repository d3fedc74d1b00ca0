// Hub: where the fast path of one connection's end comes together. Consumers of this process
// tell the other side of themselves through it, and producers of this process find here the
// consumers of the other side.
//
//   consumer's thread    hub.announce(terms, fds)            ... withdraw(id)
//   connection's thread  hub.flush(socket)                   what was announced goes out
//                        hub.take(packet, fds)               what the other side announced
//   producer's thread    hub.find(id)
//
// The connection's thread owns the socket; the others leave what is to be said in the outbox
// and ring news().
//
// Threads: as above, each call any unless it says otherwise; all is behind one mutex, for
// nothing of it is done per message. Lifetime: shared by the channel and its ports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "os/event.h"
#include "os/fd.h"
#include "transport/port_ids.h"
#include "transport/shm/allowances.h"
#include "transport/shm/remote_consumer.h"
#include "transport/transport.h"
#include "wire/fast_packet.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

// A consumer of the other side that has come or gone.
struct ConsumerNews {
  std::uint32_t id = 0;
  bool appeared = false;
};

class Hub final : public FastPath, public std::enable_shared_from_this<Hub> {
 public:
  // operating_system: no descriptor.
  // `peer_uid`, `peer_pid`: who is at the other end, by the kernel's word. `version`: what both
  // speak.
  static Result<std::shared_ptr<Hub>> create(bool is_server, std::uint32_t peer_uid,
                                             std::int32_t peer_pid,
                                             std::uint16_t version = wire::kNewestVersion);
  Hub(os::Event news, bool is_server, std::uint32_t peer_uid, std::int32_t peer_pid,
      std::uint16_t version);

  // What the other side may take by what it shows.
  Allowances& allowances() { return allowances_; }
  std::uint32_t peer_uid() const { return peer_uid_; }  // Who it is, by the kernel's word.

  // A port of this process begins, or ends. `listens`: its socket, which is shut down when the
  // connection is lost; `rings`: the socket's other end, or null where the peer alone has it.
  // Both stay where they are until leave().
  // connection_reset: the connection is over. full: there are kMaxPorts of the kind.
  enum class Kind : std::uint8_t { kConsumer, kProducer };
  Status enter(Kind kind, const os::Fd& listens, const os::Fd* rings);
  void leave(const os::Fd& listens);
  std::size_t ports() const override;
  // Wakes the producers of this process: something has changed for all of them.
  void ring_producers() const;

  std::uint32_t next_consumer_id();
  std::uint32_t next_producer_id();

  // Consumers of this process.
  void announce(const wire::Consumer& terms, std::array<os::Fd, 3> fds, std::size_t fd_count);
  void withdraw(std::uint32_t id);

  // Consumers of the other side; null: none of this id.
  std::shared_ptr<RemoteConsumer> find(std::uint32_t id) const;
  std::vector<std::uint32_t> remote_ids() const override;
  // To be said on the consumer's line as soon as it can.
  void say_later(std::shared_ptr<RemoteConsumer> consumer, const wire::FastPacket& packet);

  // The connection's thread. Readable: call flush(), and look at ports().
  const os::Event& news() const { return news_; }
  // Sends what is in the outbox. True: something could not be sent yet; call again soon. Others:
  // something never can be, and the connection must end; who is gone needs no letters.
  Result<bool> flush(const os::Fd& socket);
  // A packet of the connection's socket. Nothing: it changed nothing that matters by now.
  // connection_reset: no correct peer sends this.
  Result<std::optional<ConsumerNews>> take(const wire::FastPacket& packet, std::span<os::Fd> fds);
  // The connection is over: every port is told. The ids that were still there come back.
  std::vector<std::uint32_t> close();

 private:
  static constexpr std::size_t kMaxPorts = 1024;

  struct Letter {
    wire::FastPacket packet;
    std::array<os::Fd, 3> fds;
    std::size_t fd_count = 0;
    std::shared_ptr<RemoteConsumer> to;  // Null: to the connection's socket.
  };
  struct Port {
    Kind kind;
    const os::Fd* listens;
    const os::Fd* rings;
  };

  static Status send(const Letter& letter, const os::Fd& socket);
  Result<std::optional<ConsumerNews>> appeared(const wire::Consumer& terms, std::span<os::Fd> fds);
  Result<std::optional<ConsumerNews>> expired(std::uint32_t id);

  const os::Event news_;
  const std::uint32_t peer_uid_;
  Allowances allowances_;
  bool told_unreachable_ = false;    // The connection's thread's. Said once of a peer.
  const std::int32_t writable_pid_;  // See os::writable_peer().
  const std::uint16_t version_;
  mutable std::mutex mutex_;
  // All behind mutex_.
  bool closed_ = false;
  PortIds ids_;
  std::deque<Letter> outbox_;
  std::vector<Port> ports_;
  std::map<std::uint32_t, std::shared_ptr<RemoteConsumer>> remote_;
};

}  // namespace comch::transport::shm
