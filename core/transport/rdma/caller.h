// Caller: one client whose handshake with a listener is under way, from accept to the moment when
// its link becomes a channel.
//
//   kHello --RemoteHello--> kProof --Proof--> kAnswered
//      |                    (with a key)          ^
//      +-----------RemoteHello, without a key-----+
//
// Threads: the reactor's. Lifetime: its listener's; any call may end it, through dismiss().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "transport/rdma/control_link.h"
#include "transport/rdma/settings.h"
#include "transport/transport.h"
#include "wire/remote_handshake.h"

namespace comch::transport::rdma {
class Caller;

class CallerOwner {
 public:
  // It is who it says, as far as a key can tell; welcome() or refuse() it now. False: it has been
  // let go.
  virtual bool on_hello(Caller& caller, const wire::RemoteHello& hello) = 0;
  // What it said cannot be: refuse() it for this reason now. False: as on_hello().
  virtual bool on_objection(Caller& caller, const Refusal& reason) = 0;
  // Let it go.
  virtual void on_gone(Caller& caller) = 0;

 protected:
  ~CallerOwner() = default;
};

class Caller final : public ControlLinkOwner, public Alarm {
 public:
  Caller(Reactor& reactor, std::shared_ptr<const Key> key, CallerOwner& owner);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Accepts the connection request that brought `id`. Errors: what the verbs say.
  Status accept(std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id, const ControlTerms& terms,
                std::span<const std::byte> call, const Patience& patience);

  // Before welcome(): memory for its packets, which it has had none for but the handshake's, so
  // that crowds who never come so far cost little. no_memory: see RLIMIT_MEMLOCK.
  Status open();
  // The last words to it. The link of the connection to be; null when that broke.
  std::unique_ptr<ControlLink> welcome(const wire::RemoteWelcome& welcome);
  void refuse(const Refusal& refusal);

  std::string peer() const { return link_ ? link_->id().peer().host() : std::string(); }

  void on_ready() override { std::ignore = serve(); }
  void on_event(Event& event) override;
  void on_alarm() override;

 private:
  enum class Step : std::uint8_t { kHello, kProof, kAnswered };
  // For each thing that it has to say.
  static constexpr std::uint64_t kHandshake_ns = 5'000'000'000;
  // What a client says before it is welcome: RemoteHello, and Proof.
  static constexpr std::uint32_t kGreetings = 1;
  static constexpr std::uint32_t kGreetingsWithKey = 2;
  // A refusal that was sent is given so long to arrive.
  static constexpr std::uint64_t kRefusal_ns = 1'000'000'000;

  // Each answers whether this object is still there.
  bool serve();
  bool take_packets();
  bool take(std::span<const std::byte> bytes);
  bool take_hello(std::span<const std::byte> bytes);
  bool take_proof(const wire::Proof& proof);
  bool object(const Refusal& reason);
  bool gone();

  template <class Packet>
  bool say(const Packet& packet);

  Reactor& reactor_;
  const std::shared_ptr<const Key> key_;
  CallerOwner& owner_;
  std::unique_ptr<ControlLink> link_;
  Step step_ = Step::kHello;
  wire::RemoteHello hello_;
  std::vector<std::byte> transcript_;  // Call, RemoteHello, the server's nonce.
};

}  // namespace comch::transport::rdma
