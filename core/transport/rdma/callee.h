// Callee: one server that a connector has called, from the Call to the moment when the link becomes
// a channel; what a Caller is at the other end.
//
//   kAnswer --Answer--> kChallenge --Challenge--> kWelcome --RemoteWelcome-->
//      |              (with a key)                   ^
//      +------Answer, without a key------------------+
//
// The Answer comes with the event that the link is there, and packets may be here before it: of
// those a refusal alone is heard.
//
// Threads: the reactor's. Lifetime: its connector's; any call may end it, through its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/rdma/call_round.h"
#include "transport/rdma/control_link.h"
#include "transport/rdma/settings.h"
#include "transport/transport.h"
#include "wire/remote_handshake.h"

namespace comch::transport::rdma {

class CalleeOwner {
 public:
  // It is the server, as far as a key can tell, and this client is welcome.
  virtual void on_welcome(std::unique_ptr<ControlLink> link,
                          const wire::RemoteWelcome& welcome) = 0;
  // It is not, or not for this client: the server may have the next port of its name.
  virtual void on_miss(CallRound::Failure failure) = 0;
  // No connection came of it.
  virtual void on_unreachable() = 0;
  // No other is to be called either.
  virtual void on_refused(Errc code, int sys, std::string reason) = 0;

 protected:
  ~CalleeOwner() = default;
};

class Callee final : public ControlLinkOwner {
 public:
  // `host`: where it is called. All but that outlives this object.
  Callee(const Settings& settings, const ConnectRequest& request, std::string host,
         CalleeOwner& owner)
      : settings_(settings), request_(request), host_(std::move(host)), owner_(owner) {}

  // Connects `id`, which has a route to it. Errors: what the verbs say.
  Status call(Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id);

  void on_ready() override;
  void on_event(Event& event) override;

 private:
  // What it has to say next.
  enum class Step : std::uint8_t { kAnswer, kChallenge, kWelcome };

  void answered(std::span<const std::byte> data);
  void greet();
  void rejected(std::span<const std::byte> data);
  void take(std::span<const std::byte> bytes);
  void challenged(const wire::Challenge& challenge);
  void welcomed(const wire::RemoteWelcome& welcome);
  void refused(const wire::Refusal& refusal);
  void nobody();
  void say(std::span<const std::byte> bytes);

  const Settings& settings_;
  const ConnectRequest& request_;
  const std::string host_;
  CalleeOwner& owner_;
  std::unique_ptr<ControlLink> link_;
  Step step_ = Step::kAnswer;
  std::vector<std::byte> transcript_;  // Call, RemoteHello, the server's nonce.
};

}  // namespace comch::transport::rdma
