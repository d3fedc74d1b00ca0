// Fabric: what a peer can write to by a queue pair it has the other end of, and knows the address
// and the key of, as if it had guessed them.
#include "transport/rdma/fabric.h"

#include "support/encoded.h"
#include "unit/transport/rdma/parties.h"
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

TEST(RdmaFabricTest, WhoHasCalledAndShownNothingWritesIntoNoConsumersMap) {
  test::RdmaParties parties;
  parties.connect();
  const auto hub = std::dynamic_pointer_cast<Hub>(parties.there().channel->fast_path().value());
  std::vector<std::byte> memory(64);
  MapLife life(memory);
  const wire::Target map{reinterpret_cast<std::uint64_t>(memory.data()),
                         hub->exposures().of(life).value()->remote_key};
  test::HandClient stranger(parties.fabric, test::RdmaParties::kClientHost);
  stranger.call(test::RdmaParties::kServerHost, "echo");
  parties.run();
  EXPECT_EQ(stranger.write(map.address, map.key), CompletionStatus::kRemoteAccess);
  EXPECT_EQ(memory, std::vector<std::byte>(64));
}

// The peer has a lane to a consumer of its own connection.
TEST(RdmaFabricTest, ThePeerOfOneConnectionWritesIntoNothingOfAnother) {
  Ports machines;
  const auto second = Hub::create(true, Ports::fabric_of(machines.link.server)).value();
  TestConsumer consumer(machines);
  const Fabric there = Ports::fabric_of(machines.link.client);
  const auto pair = Link::make(there, 4).value();
  const wire::RdmaLane wanted{.consumer = consumer.port->id(), .number = 99, .pair = pair->self()};
  ASSERT_TRUE(machines.server.hub->take(wire::encoded(wire::RdmaPacket(wanted))));
  machines.server.hub->flush(machines.server.post);
  const auto answer = wire::decode_rdma(machines.server.post.letters.back()).value();
  pair->connect(there, std::get<wire::RdmaLaneReady>(answer).pair).value();
  const auto write = [&](Hub& hub) {
    std::vector<std::byte> memory(64);
    MapLife life(memory);
    const std::vector<std::byte> text(8, std::byte{'!'});
    const wire::Target target{reinterpret_cast<std::uint64_t>(memory.data()),
                              hub.exposures().of(life).value()->remote_key};
    std::array<SendRequest, 1> request{write_to(target, 0, {text.data(), 8, 0}, 256)};
    pair->post(request).value();
    pair->poll();
    return memory[0] == text[0];
  };
  EXPECT_TRUE(write(*machines.server.hub));
  EXPECT_FALSE(pair->failure());
  EXPECT_FALSE(write(*second));
  EXPECT_TRUE(pair->failure());
}

}  // namespace
}  // namespace comch::transport::rdma
