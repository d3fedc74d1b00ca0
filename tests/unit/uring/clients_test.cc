// A client's listener: the server's consumers that come to it, and their connection that ends.
#include <gtest/gtest.h>

#include <memory>

#include "unit/uring/listening_ring.h"

namespace comch::uring::test {
namespace {

// A client's, of a server that has a consumer; the client accepts at its own time.
struct ClientsTest : ListeningRing {
  ClientsTest() {
    client->set_max_message_size(64).value();
    client->set_recv_queue_size(4).value();
    ring->prepare(*client).value();
    engine->connect(*client).value();
    at_client = ring->register_listener(*client).value();
    accept();
    EXPECT_TRUE(client->start());
    Connection& connection = *look().connection();
    ring->advance(1);
    EXPECT_TRUE(until(*engine, [&] { return client->state() == ContextState::kRunning; }));
    control = ring->register_control(*client->connection().value()).value();
    consumer = Consumer::create(connection, memory.map()).value();
    ring->prepare(*consumer, 4).value();
    engine->connect(*consumer).value();
    EXPECT_TRUE(consumer->start());
    EXPECT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kRunning; }));
    // It has come to the client, too.
    EXPECT_TRUE(
        until(*engine, [&] { return !client->connection().value()->remote_consumers().empty(); }));
  }
  ~ClientsTest() override {
    end(*consumer);
    consumer.reset();
    end(*client);
    client.reset();
  }
  void end(Context& context) {
    if (context.state() != ContextState::kIdle) std::ignore = context.abort();
    EXPECT_TRUE(until(*engine, [&] { return context.state() == ContextState::kIdle; }));
  }
  void accept_at_client() {
    next(kPool).prep_accept_multishot(*at_client);
    ring->submit().value();
  }

  std::unique_ptr<Client> client = Client::create(host(), "echo").value();
  Memory memory{4096};
  std::unique_ptr<Consumer> consumer;
  Listener* at_client = nullptr;
  Control* control = nullptr;
};

TEST_F(ClientsTest, AnArrivalWhoseControlWasUnregisteredBeforeItIsShownHasNone) {
  EXPECT_TRUE(ring->unregister(*control));
  accept_at_client();
  const Completion& arrival = look();
  EXPECT_EQ(arrival.user_data, kPool);
  EXPECT_EQ(arrival.control(), nullptr);
  EXPECT_EQ(arrival.connection(), client->connection().value());
  ring->advance(1);
}

TEST_F(ClientsTest, AConsumerWhoseConnectionEndedBeforeItIsShownWasNeverThere) {
  EXPECT_TRUE(ring->unregister(*control));
  end(*consumer);
  end(*client);
  accept_at_client();
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
}

TEST_F(ClientsTest, AConsumerThatWentBeforeItIsShownWasNeverThere) {
  end(*consumer);
  ASSERT_TRUE(
      until(*engine, [&] { return client->connection().value()->remote_consumers().empty(); }));
  accept_at_client();
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
}

TEST_F(ClientsTest, AConnectionThatEndsWhileItsConsumerIsShownIsTakenOutOfTheCompletion) {
  accept_at_client();
  const Completion& arrival = look();
  EXPECT_EQ(arrival.control(), control);
  EXPECT_TRUE(ring->unregister(*control));
  EXPECT_EQ(arrival.control(), nullptr);
  std::ignore = server->abort();
  end(*client);
  EXPECT_EQ(arrival.connection(), nullptr);
  EXPECT_EQ(arrival.res, -ECONNABORTED);
  ring->advance(1);
}

}  // namespace
}  // namespace comch::uring::test
