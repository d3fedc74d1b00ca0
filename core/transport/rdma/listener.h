// RdmaListener: the server's end of the handshake.
//
//   connect request -> may this machine come in? -> Call: my name's hash? -> accept
//   RemoteHello -> (Challenge, Proof) -> my name? does it fit? -> RemoteWelcome
//
// Nothing a caller wrote is looked at before its address was held against the admission. A caller
// that says nothing is dropped after five seconds; of many who say nothing, the oldest goes first.
//
// Threads: the reactor's. Lifetime: close() frees the name at once; the object itself stays
// until no call of its own is on the stack.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "os/held_name.h"
#include "transport/rdma/admission.h"
#include "transport/rdma/caller.h"
#include "transport/rdma/control_link.h"
#include "transport/rdma/event_hub.h"
#include "transport/rdma/settings.h"
#include "transport/transport.h"
#include "wire/remote_handshake.h"

namespace comch::transport::rdma {

class RdmaListener final : public Listener, public IdOwner, public CallerOwner {
 public:
  // already_exist: the name is taken. full: so are all its ports. not_found: an address that is
  // not this machine's, or a peer that nobody knows.
  static Result<std::unique_ptr<RdmaListener>> create(Verbs& verbs, Reactor& reactor,
                                                      const Settings& settings,
                                                      const ListenRequest& request,
                                                      ListenerOwner& owner);
  ~RdmaListener() override;

  void close() override;
  void on_event(Event& event) override;
  bool on_hello(Caller& caller, const wire::RemoteHello& hello) override;
  bool on_objection(Caller& caller, const Refusal& reason) override;
  void on_gone(Caller& caller) override { std::ignore = dismiss(caller); }

 private:
  // Handshakes under way: a server's usual clients, who may all come at once; and fewer where the
  // queues that each of them needs are long.
  static constexpr std::size_t kMostCallers = 512;
  static constexpr std::size_t kQueueBytes = std::size_t{256} << 20U;
  static constexpr int kBacklog = 256;

  RdmaListener(Reactor& reactor, const Settings& settings, const ListenRequest& request,
               ListenerOwner& owner, Admission admission, os::HeldName name);
  Status listen(Verbs& verbs);
  Status listen_at(const std::vector<Address>& addresses, std::uint16_t port);
  std::optional<Refusal> object(const Id& id, std::span<const std::byte> data) const;
  void take_call(Event& event);
  void reject(Id& id, const Refusal& refusal) const;
  Status accept(Event& event);
  bool refuse(Caller& caller, const Refusal& refusal) const;
  std::unique_ptr<Caller> dismiss(Caller& caller);

  Reactor& reactor_;
  const Settings settings_;
  const ListenRequest request_;
  const ControlTerms terms_;
  const std::size_t max_callers_;
  ListenerOwner& owner_;
  const Admission admission_;
  std::optional<os::HeldName> name_;  // Nothing once closed.
  std::shared_ptr<EventHub> hub_;
  std::vector<std::unique_ptr<Id>> ids_;          // One for each address.
  std::vector<std::unique_ptr<Caller>> callers_;  // Oldest first.
  std::uint64_t next_id_;
};

}  // namespace comch::transport::rdma
