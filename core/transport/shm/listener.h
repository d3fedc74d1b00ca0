// ShmListener: the server's end of the handshake.
//
//   accept -> who is it? -> may this user come in? -> read Hello -> does it fit? -> Welcome
//
// Nothing a caller wrote is looked at before its identity, which is the kernel's word, was
// held against the server's access list. A caller that says nothing is dropped after
// kHandshake_ns; of many who say nothing, the oldest goes first.
//
// Threads: the reactor's. Lifetime: close() frees the name at once; the object itself stays
// until no call of its own is on the stack.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "os/seq_socket.h"
#include "transport/shm/rendezvous.h"
#include "transport/transport.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

class ShmListener final : public Listener, public Readiness {
 public:
  static Result<std::unique_ptr<ShmListener>> create(Reactor& reactor, const ListenRequest& request,
                                                     ListenerOwner& owner);
  ShmListener(Reactor& reactor, const ListenRequest& request, ListenerOwner& owner, Berth berth,
              os::ReserveFd reserve);
  ~ShmListener() override;

  void close() override;
  void on_readable() override;

 private:
  static constexpr std::uint64_t kHandshake_ns = 5'000'000'000;
  static constexpr std::size_t kMaxCallers = 64;  // Handshakes under way; picked, not tuned.
  static constexpr int kAcceptsPerCall = 16;

  class Caller;

  bool accept_one();
  void greet(Caller& caller, const wire::Hello& hello);
  void welcome(Caller& caller, const Request& request, const wire::Hello& hello,
               std::uint16_t version);
  std::unique_ptr<Caller> dismiss(Caller& caller);

  Reactor& reactor_;
  const ListenRequest request_;
  ListenerOwner& owner_;
  std::optional<Berth> berth_;  // Nothing once closed.
  os::ReserveFd reserve_;
  std::vector<std::unique_ptr<Caller>> callers_;  // Oldest first.
  std::uint64_t next_id_;
  bool starved_ = false;  // No descriptor was left; said once, until there is one again.
};

}  // namespace comch::transport::shm
