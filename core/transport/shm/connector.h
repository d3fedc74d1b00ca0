// ShmConnector: the client's end of the handshake.
//
// It calls the server, again and again while the server's backlog is full, says Hello,
// and waits for the answer until the deadline. What comes back is believed only after it
// was checked: one descriptor, sealed by its maker, of exactly the size that both ends
// compute for themselves.
//
// Threads: the reactor's. Lifetime: tells its owner one thing, once, from progress().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/fd.h"
#include "os/packet.h"
#include "os/peer_credentials.h"
#include "transport/transport.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

class ShmConnector final : public Connector, public Readiness, public Alarm {
 public:
  ShmConnector(Reactor& reactor, const ConnectRequest& request, ConnectorOwner& owner);
  ~ShmConnector() override;

  void on_readable() override;
  void on_alarm() override;

 private:
  static constexpr std::uint64_t kCallAgain_ns = 2'000'000;  // Picked, not tuned.

  void call();
  void say_hello();
  void hang_up();
  void refused(Errc code, std::string reason, int sys = 0);
  void refused_by_server(const wire::Refusal& refusal);
  void welcomed(const wire::Welcome& welcome, os::Packet& packet);

  Reactor& reactor_;
  const ConnectRequest request_;
  ConnectorOwner& owner_;
  os::Fd socket_;
  os::Credentials server_;  // Of the socket.
};

}  // namespace comch::transport::shm
