// Accepting: who comes and goes, told by completions.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "comch/uring/ring.h"
#include "support/temp_dir.h"
#include "unit/comch/fast_pair.h"

namespace comch::uring::test {
namespace {

using namespace comch::test;
using namespace std::chrono_literals;

constexpr std::uint64_t kAccept = 1, kReceive = 2, kSend = 3, kCancel = 4, kPool = 5;

// A server whose clients come by a ring; clients and all are of one engine.
struct AcceptingTest : testing::Test {
  AcceptingTest() {
    server->set_max_message_size(64).value();
    server->set_recv_queue_size(4).value();
    ring->prepare(*server).value();
    engine->connect(*server).value();
    listener = ring->register_listener(*server).value();
    EXPECT_TRUE(server->start());
  }
  ~AcceptingTest() override {
    clients.clear();
    ring.reset();
    std::ignore = server->abort();
    EXPECT_TRUE(until(*engine, [&] { return server->state() == ContextState::kIdle; }));
  }

  Submission& next(std::uint64_t user_data, std::uint8_t flags = 0) {
    Submission* const s = ring->get();
    if (s == nullptr) throw std::runtime_error("no submission is free");
    s->user_data = user_data;
    s->flags = flags;
    return *s;
  }
  void accept(std::uint8_t flags = 0) {
    next(kAccept, flags).prep_accept_multishot(*listener);
    ring->submit().value();
  }
  ClientParty& join() {
    const std::size_t before = server->connections();
    ClientParty& client = *clients.emplace_back(std::make_unique<ClientParty>(*engine));
    EXPECT_TRUE(client.connect());
    EXPECT_TRUE(until(*engine, [&] { return server->connections() > before; }));
    return client;
  }
  void leave(ClientParty& client) {
    const std::size_t before = server->connections();
    EXPECT_TRUE(client->stop());
    EXPECT_TRUE(client.run_until_idle());
    EXPECT_TRUE(until(*engine, [&] { return server->connections() < before; }));
  }
  // The oldest completion, waited for; it stays.
  const Completion& look() {
    const auto ready = ring->submit_and_wait(1, 10s);
    if (!ready) throw std::runtime_error("nothing completes");
    return *ring->peek();
  }
  // Its result, and it is advanced over.
  std::int64_t take(std::uint64_t user_data) {
    const Completion& completion = look();
    EXPECT_EQ(completion.user_data, user_data);
    const std::int64_t res = completion.res;
    ring->advance(1);
    return res;
  }

  RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  std::unique_ptr<Server> server = Server::create(dpu(), function(), "echo").value();
  std::unique_ptr<Ring> ring = Ring::create(*engine, {.entries = 8}).value();
  Listener* listener = nullptr;
  std::vector<std::unique_ptr<ClientParty>> clients;
};

TEST_F(AcceptingTest, AConnectionComesWithWhatItsMessagesTake) {
  accept();
  ClientParty& client = join();
  const Completion& arrival = look();
  EXPECT_EQ(arrival.user_data, kAccept);
  EXPECT_EQ(arrival.res, 0);
  EXPECT_EQ(arrival.flags, kMore | kArrival);
  EXPECT_EQ(arrival.consumer(), ConsumerId{});
  EXPECT_EQ(arrival.connection->state(), ConnectionState::kEstablished);
  Control* const control = arrival.control;
  ring->advance(1);

  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ASSERT_TRUE(client.connection().try_send(bytes("hello")));
  EXPECT_EQ(take(kReceive), 5);
  next(kSend).prep_ctrl_send(*control, bytes("world"));
  EXPECT_EQ(take(kSend), 5);
  EXPECT_TRUE(until(*engine, [&] { return client.received == std::vector<std::string>{"world"}; }));
}

TEST_F(AcceptingTest, AnOrderlyEndEndsWhatWaitsAndIsToldOf) {
  accept();
  ClientParty& client = join();
  Control* const control = look().control;
  ring->advance(1);
  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  leave(client);
  EXPECT_EQ(take(kReceive), -ENOTCONN);
  const Completion& end = look();
  EXPECT_EQ(end.user_data, kAccept);
  EXPECT_EQ(end.res, -ENOTCONN);
  EXPECT_EQ(end.control, control);
  EXPECT_EQ(end.connection, nullptr);
  // Until this is advanced over, what is begun meanwhile ends, too.
  next(kSend).prep_ctrl_send(*control, bytes("too late"));
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ring->advance(1);
  EXPECT_EQ(take(kSend), -ENOTCONN);
  EXPECT_EQ(take(kReceive), -ENOTCONN);
}

TEST_F(AcceptingTest, ALossIsTold) {
  accept();
  ClientParty& client = join();
  ASSERT_EQ(take(kAccept), 0);
  ASSERT_TRUE(client->abort());
  EXPECT_EQ(take(kAccept), -ECONNRESET);
}

TEST_F(AcceptingTest, ArrivalsAreShownOneAtATimeAndNoneIsLost) {
  accept();
  for (int n = 0; n < 5; ++n) join();
  std::vector<const Connection*> seen;
  for (int n = 0; n < 5; ++n) {
    seen.push_back(look().connection);
    EXPECT_EQ(ring->ready(), 1U);
    ring->advance(1);
  }
  EXPECT_EQ(ring->ready(), 0U);
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::unique(seen).size(), 0U);
}

TEST_F(AcceptingTest, WhoComesBeforeAnybodyAcceptsIsShownLater) {
  join();
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
  accept();
  EXPECT_EQ(take(kAccept), 0);
}

TEST_F(AcceptingTest, WhoIsGoneBeforeItWasShownWasNeverThere) {
  leave(join());
  join();
  accept();
  EXPECT_EQ(take(kAccept), 0);
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
}

TEST_F(AcceptingTest, WhoGoesWhileItIsShownIsTakenOutOfTheCompletionAndEnds) {
  accept();
  ClientParty& client = join();
  const Completion& arrival = look();
  Control* const control = arrival.control;
  leave(client);
  EXPECT_EQ(arrival.res, -ECONNABORTED);
  EXPECT_EQ(arrival.connection, nullptr);
  next(kSend).prep_ctrl_send(*control, bytes("late"));
  ring->submit().value();
  ring->advance(1);
  EXPECT_EQ(take(kSend), -ENOTCONN);
  EXPECT_EQ(look().control, control);
  EXPECT_EQ(take(kAccept), -ENOTCONN);
}

TEST_F(AcceptingTest, ItEndsWhenItIsCancelledAndWhoIsThereStays) {
  accept();
  ClientParty& client = join();
  Control* const control = look().control;
  next(kCancel).prep_cancel(kAccept);
  ring->submit().value();
  EXPECT_EQ(ring->unregister(*listener).error().code, Errc::in_use);
  EXPECT_EQ(take(kAccept), 0);
  EXPECT_EQ(take(kAccept), -ECANCELED);
  EXPECT_EQ(take(kCancel), 0);
  EXPECT_EQ(ring->space(), 8U);
  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ASSERT_TRUE(client.connection().try_send(bytes("still here")));
  EXPECT_EQ(take(kReceive), 10);
  EXPECT_EQ(ring->unregister(*control).error().code, Errc::not_permitted);
  accept();
  leave(client);
  EXPECT_EQ(take(kAccept), -ENOTCONN);
}

TEST_F(AcceptingTest, OneAtATimeWithoutLinksAndWithAPlaceForItsCompletions) {
  accept(kLink);
  EXPECT_EQ(ring->ready(), 0U) << "a chain of one is none";
  accept();
  EXPECT_EQ(take(kAccept), -EBUSY);
  next(kCancel).prep_cancel(kAccept);
  EXPECT_EQ(take(kAccept), -ECANCELED);
  EXPECT_EQ(take(kCancel), 0);
  next(kAccept, kLink).prep_accept_multishot(*listener);
  next(kSend).prep_nop();
  EXPECT_EQ(take(kAccept), -EINVAL);
  EXPECT_EQ(take(kSend), -ECANCELED);
  // 16 places: 15 of operations that wait, and its own.
  for (int n = 0; n < 15; ++n) {
    next(kSend).prep_timeout(1h);
    ring->submit().value();
  }
  accept();
  EXPECT_EQ(take(kAccept), -ENOBUFS);
}

TEST_F(AcceptingTest, ListenersAreRegisteredOnceAndUnregisteredWhenNothingIsLeft) {
  EXPECT_EQ(ring->register_listener(*server).error().code, Errc::already_exist);
  join();
  EXPECT_EQ(ring->unregister(*listener).error().code, Errc::in_use);
  leave(*clients.front());
  EXPECT_TRUE(ring->unregister(*listener));
  listener = ring->register_listener(*server).value();
}

TEST_F(AcceptingTest, AConsumerComesAndCanBeSentTo) {
  accept();
  ClientParty& client = join();
  Connection& connection = *look().connection;
  ring->advance(1);
  auto producer = Producer::create(connection).value();
  ring->prepare(*producer).value();
  engine->connect(*producer).value();
  ASSERT_TRUE(producer->start());

  // The other side, which has a ring, too.
  Memory memory(4096);
  auto consumer = Consumer::create(client.connection(), memory.map()).value();
  const auto theirs = Ring::create(*engine).value();
  theirs->prepare(*consumer, 4).value();
  engine->connect(*consumer).value();
  ASSERT_TRUE(consumer->start());
  ASSERT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kRunning; }));
  Source* const source = theirs->register_source(*consumer).value();
  Submission* const posted = theirs->get();
  posted->prep_post_recv(*source, memory.room(0, 64));
  theirs->submit().value();

  const Completion& arrival = look();
  EXPECT_EQ(arrival.flags, kMore | kArrival);
  EXPECT_EQ(arrival.consumer(), consumer->id());
  EXPECT_EQ(arrival.connection, &connection);
  Destination* const to = ring->register_destination(*producer, arrival.consumer()).value();
  ring->advance(1);
  next(kSend).prep_send(*to, bytes("at once"));
  EXPECT_EQ(take(kSend), 7);
  ASSERT_EQ(theirs->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(text_of(theirs->peek()->contents()), "at once");
  std::ignore = theirs->peek()->buffer->drop_reference();
  theirs->advance(1);

  EXPECT_TRUE(ring->unregister(*to));
  for (Context* context :
       {static_cast<Context*>(consumer.get()), static_cast<Context*>(producer.get())}) {
    std::ignore = context->abort();
    EXPECT_TRUE(until(*engine, [&] { return context->state() == ContextState::kIdle; }));
  }
}

TEST_F(AcceptingTest, AClientIsToldOfTheServersConsumers) {
  accept();
  auto client = Client::create(host(), "echo").value();
  client->set_max_message_size(64).value();
  client->set_recv_queue_size(4).value();
  ring->prepare(*client).value();
  engine->connect(*client).value();
  Listener* const at_client = ring->register_listener(*client).value();
  ASSERT_TRUE(client->start());
  Connection& connection = *look().connection;
  ring->advance(1);
  next(kPool).prep_accept_multishot(*at_client);
  Memory memory(4096);
  auto consumer = Consumer::create(connection, memory.map()).value();
  ring->prepare(*consumer, 4).value();
  engine->connect(*consumer).value();
  ASSERT_TRUE(consumer->start());
  const Completion& arrival = look();
  EXPECT_EQ(arrival.user_data, kPool);
  EXPECT_EQ(arrival.consumer(), consumer->id());
  EXPECT_EQ(arrival.connection, client->connection().value());
  ring->advance(1);
  std::ignore = consumer->abort();
  EXPECT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kIdle; }));
  std::ignore = client->abort();
  EXPECT_TRUE(until(*engine, [&] { return client->state() == ContextState::kIdle; }));
}

// A client's, of a server that has a consumer; the client accepts at its own time.
struct ClientsTest : AcceptingTest {
  ClientsTest() {
    client->set_max_message_size(64).value();
    client->set_recv_queue_size(4).value();
    ring->prepare(*client).value();
    engine->connect(*client).value();
    at_client = ring->register_listener(*client).value();
    accept();
    EXPECT_TRUE(client->start());
    Connection& connection = *look().connection;
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
  EXPECT_EQ(arrival.control, nullptr);
  EXPECT_EQ(arrival.connection, client->connection().value());
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
  EXPECT_EQ(arrival.control, control);
  EXPECT_TRUE(ring->unregister(*control));
  EXPECT_EQ(arrival.control, nullptr);
  std::ignore = server->abort();
  end(*client);
  EXPECT_EQ(arrival.connection, nullptr);
  EXPECT_EQ(arrival.res, -ECONNABORTED);
  ring->advance(1);
}

}  // namespace
}  // namespace comch::uring::test
