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
#include "transport/rdma/control_link.h"
#include "transport/rdma/lookup.h"
#include "transport/rdma/settings.h"
#include "transport/transport.h"
#include "wire/remote_handshake.h"

namespace comch::transport::rdma {

class RdmaConnector final : public Connector,
                            public ControlLinkOwner,
                            public IdOwner,
                            public LookupOwner,
                            public Alarm {
 public:
  RdmaConnector(Verbs& verbs, Reactor& reactor, Settings settings, const ConnectRequest& request,
                ConnectorOwner& owner);
  ~RdmaConnector() override;

  void on_alarm() override;
  void on_found(Result<std::vector<Address>> found) override;
  void on_ready() override;
  void on_event(Event& event) override;

 private:
  using Weight = CallRound::Weight;

  void begin();
  void begin_to_call(std::vector<Address> addresses);
  void call_next_port();
  void call_next_address();
  void call_next();
  void call();
  Status open_id();
  int patience_ms() const;
  Status connect();
  void hang_up();
  void answered(std::span<const std::byte> data);
  void rejected(const Event& event);
  void take(std::span<const std::byte> bytes);
  void challenged(const wire::Challenge& challenge);
  void welcomed(const wire::RemoteWelcome& welcome);
  void refused_by_server(const wire::Refusal& refusal);
  void note(Weight weight, Errc code, int sys, std::string reason);
  void refused(Errc code, int sys, std::string reason);
  std::string where() const;

  template <class Packet>
  std::vector<std::byte> say(const Packet& packet);

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
  std::unique_ptr<Id> id_;             // Until it has a link.
  std::unique_ptr<ControlLink> link_;  // Of the present call.
  // Of the present call, as link_ is: what one server has proven is nothing to the next.
  struct Handshake {
    // What the server has to say next. A packet may be here before the event that has the Answer.
    enum class Step : std::uint8_t { kAnswer, kChallenge, kWelcome };
    Step step = Step::kAnswer;
    std::vector<std::byte> transcript;  // Call, RemoteHello, the server's nonce.
  };
  Handshake handshake_;
};

}  // namespace comch::transport::rdma
