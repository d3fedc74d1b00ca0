// Stranger: a program at a port that the name "echo" may have, which is no server of that name.
//
//   Stranger stranger(fabric, reactor, "10.0.0.2", {.with = noise});   // Accepts, saying so.
//   stranger.say(wire::RemoteWelcome{});                               // To whom it has accepted.
//
// Threads: the reactor's.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "support/encoded.h"
#include "transport/rdma/event_hub.h"
#include "transport/rdma/server_port.h"
#include "unit/transport/rdma/hand_client.h"

namespace comch::test {

class Stranger final : public rdma::IdOwner {
 public:
  struct Manners {
    std::uint32_t port = 0;  // Which one of the name's.
    bool accepts = true;     // Or rejects.
    std::vector<std::byte> with;
    std::function<void()> once_accepted = [] {};  // Its caller does not know yet.
  };

  Stranger(FakeFabric& fabric, transport::Reactor& reactor, const char* host, Manners manners)
      : manners_(std::move(manners)),
        hub_(rdma::EventHub::create(fabric.host(host), reactor).value()),
        listening_(hub_->make_id(*this).value()) {
    rdma::Address any;
    any.port = rdma::server_port(rdma::name_hash("echo"), manners_.port);
    listening_->listen(any, 1).value();
  }
  void on_event(rdma::Event& event) override {
    if (event.kind != rdma::EventKind::kConnectRequest) return;
    if (!manners_.accepts) {
      event.incoming->reject(manners_.with).value();
      return;
    }
    end_.id = std::move(event.incoming);
    end_.equip(8);
    for (std::uint64_t n = 0; n < 4; ++n) FakeLink::post_receive(end_, n, 1024);
    end_.id->accept(manners_.with, {}).value();
    manners_.once_accepted();
  }
  bool has_caller() const { return end_.id != nullptr; }

  template <class Packet>
  void say(const Packet& packet) {
    send_packet(end_, std::span(end_.memory).subspan(2048), rdma::PacketKind::kHandshake,
                wire::encoded(packet));
  }

 private:
  const Manners manners_;
  std::shared_ptr<rdma::EventHub> hub_;
  std::unique_ptr<rdma::Id> listening_;
  FakeEnd end_;
};

}  // namespace comch::test
