// RdmaConnector: the client's end of the handshake.
//
// It looks the host up, and calls each of its addresses at each port that the server's name may
// have, until one answers to that name: resolve, connect with a Call, RemoteHello, with a key
// Challenge and Proof, RemoteWelcome. Where none does, the failure that says most is told. A host
// that is silent gets its share of the time, and no event: the timer is this object's own.
//
// A host name is looked up beside the reactor's thread (lookup.h), within the same deadline; an
// address in numbers needs nobody to ask.
//
// Threads: the reactor's. Lifetime: tells its owner one thing, once, from progress().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/rdma/call_round.h"
#include "transport/rdma/callee.h"
#include "transport/rdma/lookup.h"
#include "transport/rdma/settings.h"
#include "transport/transport.h"

namespace comch::transport::rdma {

class RdmaConnector final : public Connector,
                            public CalleeOwner,
                            public IdOwner,
                            public LookupOwner,
                            public Alarm {
 public:
  RdmaConnector(Verbs& verbs, Reactor& reactor, Settings settings, const ConnectRequest& request,
                ConnectorOwner& owner);
  ~RdmaConnector() override;

  void on_alarm() override;
  void on_found(Result<std::vector<Address>> found) override;
  void on_event(Event& event) override;
  void on_welcome(std::unique_ptr<ControlLink> link, const wire::RemoteWelcome& welcome) override;
  void on_miss(CallRound::Failure failure) override;
  void on_unreachable() override;
  void on_refused(Errc code, int sys, std::string reason) override;

 private:
  using Weight = CallRound::Weight;

  void begin();
  void begin_to_call(std::vector<Address> addresses);
  void call_next();
  bool call();  // False: it cannot be called, which is noted.
  Status open_id();
  int patience_ms() const;
  Status connect();
  void hang_up();
  void note_uncallable(const Error& error);
  void miss_address(CallRound::Failure failure);
  std::string where() const;

  Verbs& verbs_;
  Reactor& reactor_;
  const Settings settings_;
  const ConnectRequest request_;
  ConnectorOwner& owner_;
  std::optional<Address> source_;
  CallRound round_;
  bool begun_ = false;
  std::unique_ptr<Lookup> lookup_;  // Until it is answered.
  std::shared_ptr<EventHub> hub_;
  std::unique_ptr<Id> id_;  // Until it is the callee's.
  std::unique_ptr<Callee>
      callee_;  // One for each call: what one has proven is nothing to the next.
};

}  // namespace comch::transport::rdma
