// Connection::arrival(): messages of several clients of a stamped server, one of whom lies.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "os/clock.h"
#include "os/memfd.h"
#include "shm/arrivals.h"
#include "shm/layout.h"
#include "support/temp_dir.h"
#include "transport/shm/rendezvous.h"
#include "unit/comch/parties.h"
#include "unit/transport/shm/liar.h"

namespace comch {
namespace {

using test::ClientParty;
using test::ServerParty;

const test::Settings kSettings{.queue = 8};

// A client that stamps its messages as it likes, or speaks an older version.
struct Liar {
  Liar(ProgressEngine& engine, const ServerParty& server, std::uint16_t version) {
    const std::size_t others = server.connections.size();
    socket = transport::shm::call("0000:b1:00.0", kSettings.name).value();
    EXPECT_TRUE(test::say_packet(socket, wire::Hello{.max_version = version,
                                                     .max_message_size = kSettings.max_message,
                                                     .recv_queue_size = kSettings.queue,
                                                     .acting = std::nullopt,
                                                     .representor = "0000:b1:00.0",
                                                     .name = kSettings.name}));
    EXPECT_TRUE(test::until(engine, [&] { return server.connections.size() > others; }));
    test::Heard heard = test::hear(socket);
    welcome = std::get<wire::Welcome>(heard.packet.value());
    const auto layout = shm::ControlLayout::make({.max_message = kSettings.max_message,
                                                  .to_server_queue = kSettings.queue,
                                                  .to_client_queue = kSettings.queue})
                            .value();
    region.emplace(os::Mapping::map(heard.raw.fds[0], layout.size).value());
    std::byte* const base = region->bytes().data();
    ring.emplace(shm::ring_at(base, layout.to_server.shared), base + layout.to_server.data,
                 layout.to_server.capacity, layout.max_message, layout.to_server.queue);
  }

  os::Fd socket;
  wire::Welcome welcome;
  std::optional<os::Mapping> region;
  std::optional<shm::RecordSender<>> ring;
};

struct ArrivalTest : testing::Test {
  ArrivalTest() {
    EXPECT_TRUE(server->set_stamped(true));
    server.then_connected = [](Connection& connection) { connection.pause(); };
    EXPECT_TRUE(server->start());
    EXPECT_TRUE(honest.connect());
  }

  // Sends, and lets so much time pass as stamps can tell apart.
  static void send(ClientParty& client, const char* text) {
    ASSERT_TRUE(client.connection().try_send(test::bytes(text)));
    const std::uint64_t later = os::monotonic_ns() + (std::uint64_t{2} << shm::kStampUnitBits);
    while (os::monotonic_ns() < later) continue;
  }
  // Takes the oldest of what all clients have sent.
  std::string take_oldest() {
    Connection* oldest = nullptr;
    std::uint64_t arrival = 0;
    for (Connection* connection : server.connections) {
      if (!connection->peek()) continue;
      if (oldest != nullptr && arrival <= connection->arrival()) continue;
      oldest = connection;
      arrival = connection->arrival();
    }
    return oldest == nullptr ? "(nothing)" : test::text_of(oldest->take().value());
  }

  test::RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  ServerParty server{*engine, kSettings};
  ClientParty honest{*engine, kSettings};
};

TEST_F(ArrivalTest, OrdersTheMessagesOfAllClients) {
  ClientParty other(*engine, kSettings);
  ASSERT_TRUE(other.connect());
  send(honest, "a1");
  send(honest, "a2");
  send(other, "b1");
  send(honest, "a3");
  for (const char* const expected : {"a1", "a2", "b1", "a3"}) EXPECT_EQ(take_oldest(), expected);
}

TEST_F(ArrivalTest, OfAMessageIsWhenItWasSentNotWhenItWasSeen) {
  const std::uint64_t before = os::monotonic_ns();
  ASSERT_TRUE(honest.connection().try_send(test::bytes("m")));
  const std::uint64_t after = os::monotonic_ns();
  test::settle(*engine);
  ASSERT_TRUE(server.connection().peek());
  EXPECT_GE(server.connection().arrival() + 64, before) << "to the unit of a stamp";
  EXPECT_LE(server.connection().arrival(), after);
}

TEST_F(ArrivalTest, ALiarComesAheadForOneQueueAndNoMore) {
  Liar liar(*engine, server, wire::kNewestVersion);
  ASSERT_TRUE(liar.welcome.stamped);
  const std::uint64_t long_ago = shm::stamp_at(os::monotonic_ns() - 3'600'000'000'000);
  const auto lie = [&] { return liar.ring->push(test::bytes("lie"), long_ago).has_value(); };
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(lie());
    ASSERT_EQ(take_oldest(), "lie");
  }
  ASSERT_TRUE(honest.connection().try_send(test::bytes("truth")));
  std::uint32_t ahead = 0;
  while (lie() && take_oldest() != "truth") ASSERT_LE(++ahead, kSettings.queue);
  EXPECT_EQ(take_oldest(), "lie") << "the liar is served on";
}

TEST_F(ArrivalTest, AStampOfTheFutureDelaysNobody) {
  Liar liar(*engine, server, wire::kNewestVersion);
  const std::uint64_t future = shm::stamp_at(os::monotonic_ns() + 3'600'000'000'000);
  ASSERT_TRUE(liar.ring->push(test::bytes("lie"), future));
  EXPECT_EQ(take_oldest(), "lie") << "what comes alone is taken";
  ASSERT_TRUE(liar.ring->push(test::bytes("lie"), future));
  ASSERT_TRUE(honest.connection().try_send(test::bytes("truth")));
  EXPECT_EQ(take_oldest(), "truth");
  EXPECT_EQ(take_oldest(), "lie");
}

TEST_F(ArrivalTest, AMessageWithoutTheStampThatWasAskedForEndsItsConnection) {
  Liar liar(*engine, server, wire::kNewestVersion);
  ASSERT_TRUE(liar.ring->push(test::bytes("plain")));
  server.connections.back()->resume();
  ASSERT_TRUE(test::until(*engine, [&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.endings[0]->code, Errc::connection_reset);
  EXPECT_EQ(server.connections.size(), 1u) << "the other client is there";
}

TEST_F(ArrivalTest, OfAClientOfVersionOneIsWhenItsMessageIsSeen) {
  Liar old(*engine, server, 1);
  EXPECT_EQ(old.welcome.version, 1);
  EXPECT_FALSE(old.welcome.stamped);
  ASSERT_TRUE(old.ring->push(test::bytes("plain")));
  ASSERT_TRUE(honest.connection().try_send(test::bytes("stamped")));
  EXPECT_EQ(take_oldest(), "stamped");
  EXPECT_EQ(take_oldest(), "plain");
}

TEST_F(ArrivalTest, NobodyStampsForAServerThatDidNotAsk) {
  ServerParty plain(*engine, {.name = "plain", .queue = 8});
  ASSERT_TRUE(plain->start());
  EXPECT_EQ(server->set_stamped(false).error().code, Errc::bad_state);
  ClientParty client(*engine, {.name = "plain", .queue = 8});
  ASSERT_TRUE(client.connect());
  ASSERT_TRUE(client.connection().try_send(test::bytes("m")));
  EXPECT_TRUE(test::until(*engine, [&] { return plain.received.size() == 1; }));
}

}  // namespace
}  // namespace comch
