// Callee: what a server says, and when it is heard; what becomes of each answer is in
// connector_test.cc and caller_test.cc.
#include "transport/rdma/callee.h"

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "support/encoded.h"
#include "transport/rdma/server_port.h"
#include "unit/transport/rdma/parties.h"
#include "unit/transport/rdma/stranger.h"

namespace comch::transport::rdma {
namespace {

using test::RdmaParties;
using test::Stranger;

// A connector of one call, which goes to the first port of "echo".
struct CalleeTest : testing::Test, RdmaParties, IdOwner, CalleeOwner {
  CalleeTest() { calling.key = Key::from_secret(test::bytes("the same long secret")).value(); }

  void call() {
    Address target = *Address::parse(kServerHost);
    target.port = server_port(name_hash("echo"), 0);
    hub = EventHub::create(fabric.host(kClientHost), reactor).value();
    id = hub->make_id(*this).value();
    ASSERT_TRUE(id->resolve_address(std::nullopt, target, 100));
    run();
  }
  void on_event(Event& event) override {
    if (event.kind == EventKind::kAddressResolved) {
      EXPECT_TRUE(id->resolve_route(100));
    } else if (event.kind == EventKind::kRouteResolved) {
      EXPECT_TRUE(callee->call(reactor, hub, std::move(id)));
    }
  }
  // Each ends it, as a connector does.
  void on_welcome(std::unique_ptr<ControlLink>, const wire::RemoteWelcome&) override {
    end("welcome");
  }
  void on_miss(CallRound::Failure failure) override { end(failure.reason); }
  void on_unreachable() override { end("unreachable"); }
  void on_refused(Errc, int, std::string why) override { end(why); }
  void end(const std::string& why) {
    reason = why;
    callee.reset();
  }

  const ConnectRequest request{
      .server_name = "echo", .representor = "", .limits = {4080, 64}, .acting = std::nullopt};
  std::shared_ptr<EventHub> hub;
  std::unique_ptr<Id> id;
  std::unique_ptr<Callee> callee = std::make_unique<Callee>(calling, request, kServerHost, *this);
  std::string reason;
};

TEST_F(CalleeTest, AServerWithTheKeyIsWelcoming) {
  serving.key = calling.key;
  ASSERT_TRUE(listen(server));
  call();
  EXPECT_EQ(reason, "welcome");
}

// On some devices a packet can be taken before the event that the connection is there.
TEST_F(CalleeTest, AWelcomeBeforeTheAnswerIsNotBelieved) {
  Stranger thief(fabric, reactor, kServerHost,
                 {.with = wire::encoded(wire::Answer{.wants_key = true}), .once_accepted = [&] {
                    thief.say(wire::RemoteWelcome{
                        .recv_queue_size = 64, .window = 64, .connection_id = 1, .process = {}});
                    callee->on_ready();
                  }});
  call();
  EXPECT_EQ(reason, "the server's answer is not a handshake");
}

TEST_F(CalleeTest, ARefusalBeforeTheAnswerIsHeard) {
  Stranger hasty(fabric, reactor, kServerHost, {.with = {}, .once_accepted = [&] {
                                                  hasty.say(wire::Refusal{Errc::full, "no room"});
                                                  callee->on_ready();
                                                  EXPECT_EQ(reason, "the server refused: no room");
                                                }});
  call();
}

}  // namespace
}  // namespace comch::transport::rdma
