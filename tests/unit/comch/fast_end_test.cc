// How consumers and producers come and go: what the other side hears of it, and what becomes of
// loans and of buffers that are handed over.
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct FastEndTest : FastPair {
  // A consumer of the client, running; its tasks are freed as they come back.
  std::unique_ptr<Consumer> clients_consumer() {
    auto made = Consumer::create(client.connection(), here.map()).value();
    const auto free = [](ReceiveTask& task) {
      if (Buffer* buffer = task.buffer()) std::ignore = buffer->drop_reference();
      std::ignore = task.free();
    };
    made->configure_receive(4, free, free).value();
    engine->connect(*made).value();
    EXPECT_TRUE(made->start());
    EXPECT_TRUE(run_until([&] { return made->state() == ContextState::kRunning; }));
    return made;
  }
};

TEST_F(FastEndTest, BothSidesHearOfTheOthersConsumersAndOfTheirEnds) {
  Consumer& ours = consumer(there);
  auto theirs = clients_consumer();
  ASSERT_TRUE(run_until([&] { return server.consumers.size() == 1; }));
  EXPECT_EQ(server.consumers[0], theirs->id());
  EXPECT_EQ(client.consumers, std::vector{ours.id()});
  EXPECT_NE(ours.id(), theirs->id());
  const ConsumerId before = theirs->id();
  ASSERT_TRUE(theirs->stop());
  ASSERT_TRUE(run_until([&] { return server.consumers.empty(); }));
  ASSERT_TRUE(run_until_idle(*theirs));
  ASSERT_TRUE(theirs->start());
  ASSERT_TRUE(run_until([&] { return server.consumers.size() == 1; }));
  EXPECT_NE(theirs->id(), before) << "another id after each start";
  ASSERT_TRUE(theirs->stop());
  ASSERT_TRUE(run_until_idle(*theirs));
  EXPECT_EQ(client.consumers, std::vector{ours.id()});
}

TEST_F(FastEndTest, TheEndOfTheConnectionIsTheEndOfTheConsumersThatWereHeardOf) {
  consumer(there);
  auto theirs = clients_consumer();
  ASSERT_TRUE(run_until([&] { return server.consumers.size() == 1; }));
  ASSERT_TRUE(client->abort());
  ASSERT_TRUE(run_until([&] { return server.consumers.empty() && client.consumers.empty(); }));
  ASSERT_TRUE(run_until_idle(*theirs));
  ASSERT_TRUE(client.run_until_idle());
}

TEST_F(FastEndTest, AnEndDoesNotStartOnceItsConnectionIsOverWhoeverHadIt) {
  auto never = Producer::create(client.connection()).value();
  const auto nothing = [](ProducerTask&) {};
  never->configure_send(1, nothing, nothing).value();
  engine->connect(*never).value();
  auto theirs = clients_consumer();
  ASSERT_TRUE(server->abort());
  ASSERT_TRUE(run_until_idle(*theirs));
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(code(never->start()), Errc::connection_reset);
  EXPECT_EQ(code(theirs->start()), Errc::connection_reset);
  ASSERT_TRUE(Client::destroy(client.client));
  EXPECT_EQ(code(never->start()), Errc::connection_reset);
  EXPECT_EQ(code(theirs->start()), Errc::connection_reset);
  EXPECT_EQ(never->state(), ContextState::kIdle);
  EXPECT_EQ(theirs->state(), ContextState::kIdle);
}

TEST_F(FastEndTest, AConsumerKeepsItsClientFromStopping) {
  auto theirs = clients_consumer();
  EXPECT_EQ(code(client->stop()), Errc::in_use);
  ASSERT_TRUE(theirs->stop());
  ASSERT_TRUE(run_until_idle(*theirs));
  EXPECT_TRUE(client->stop());
}

TEST_F(FastEndTest, AConsumerMayStopWhileItIsStarting) {
  auto made = Consumer::create(server.connection(), there.map()).value();
  const auto ignore = [](ReceiveTask&) {};
  made->configure_receive(4, ignore, ignore).value();
  engine->connect(*made).value();
  for (int n = 0; n < 10; ++n) {
    ASSERT_TRUE(made->start());
    ASSERT_TRUE(made->stop());
    ASSERT_TRUE(run_until_idle(*made));
  }
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
  settle(*engine);
  EXPECT_TRUE(client.consumers.empty());
}

TEST_F(FastEndTest, AConsumerMayStopWhenItHearsThatItRuns) {
  auto made = Consumer::create(server.connection(), there.map()).value();
  const auto ignore = [](ReceiveTask&) {};
  made->configure_receive(4, ignore, ignore).value();
  made->on_state_changed([](Context& context, ContextState, ContextState now) {
    EXPECT_TRUE(now != ContextState::kRunning || context.stop());
  });
  engine->connect(*made).value();
  for (int n = 0; n < 3; ++n) {
    ASSERT_TRUE(made->start());
    ASSERT_TRUE(run_until_idle(*made));
  }
  settle(*engine);
  EXPECT_TRUE(client.consumers.empty());
}

TEST_F(FastEndTest, AProducerOfAConsumerThatIsGoneIsRefused) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  const ConsumerId id = to.id();
  const Loan loan = from.reserve(id).value();
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
  EXPECT_EQ(code(submit(from, id, nullptr, "x")), Errc::invalid_value);
  EXPECT_EQ(code(from.reserve(id)), Errc::invalid_value);
  EXPECT_EQ(code(from.commit(loan, 1)), Errc::invalid_value);
  EXPECT_EQ(code(from.request_space(id)), Errc::invalid_value);
  EXPECT_FALSE(from.has_space(id));
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(returned.size(), 1U) << "what was lent is the consumer's again";
}

TEST_F(FastEndTest, MemoryThatIsHeldStaysMappedBeyondTheConsumersEnd) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  const ConsumerId id = to.id();
  const PeerMemory memory = from.memory(id).value();
  EXPECT_EQ(memory.bytes.size(), there.range().size());
  const Loan loan = from.reserve(id).value();
  EXPECT_EQ(loan.room.data(), memory.bytes.data());
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
  EXPECT_EQ(code(from.memory(id)), Errc::invalid_value);
  ASSERT_TRUE(run_until_idle(to));
  memory.bytes.back() = std::byte{7};
  EXPECT_EQ(there.range().back(), std::byte{7});
}

TEST_F(FastEndTest, ALoanThatItsProducerTakesAlongServesTheNext) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Producer& next = producer();
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(submit(next, to.id(), here.data(0, "first")));
  std::ignore = from.reserve(to.id()).value();
  EXPECT_EQ(code(submit(next, to.id(), here.data(0, "x"))), Errc::again);
  ASSERT_TRUE(next.request_space(to.id()));
  settle(*engine);
  EXPECT_EQ(spaces, 0);
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until([&] { return spaces == 1; })) << "it is told";
  ASSERT_TRUE(submit(next, to.id(), here.data(0, "second")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 2; }));
  EXPECT_EQ(texts[1], "second");
}

TEST_F(FastEndTest, ASiblingIsToldOfALoanThatWasAbandoned) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Producer& next = producer();
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(submit(next, to.id(), nullptr, "first"));
  const Loan loan = from.reserve(to.id()).value();
  ASSERT_TRUE(next.request_space(to.id()));
  settle(*engine);
  EXPECT_EQ(spaces, 0);
  ASSERT_TRUE(from.abandon(loan));
  ASSERT_TRUE(run_until([&] { return spaces == 1; }));
  ASSERT_TRUE(submit(next, to.id(), nullptr, "second"));
}

// --- Handed over -------------------------------------------------------------------------

TEST_F(FastEndTest, WhatIsHeldComesBackWhenTheConsumerEnds) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  Buffer* buffer = here.data(0, "mine");
  ASSERT_TRUE(from.hand_over(to.id(), *buffer));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  EXPECT_EQ(handed_back[0], buffer);
  EXPECT_EQ(from.handed_over(), 0U);
  std::ignore = buffer->drop_reference();
}

TEST_F(FastEndTest, WhatIsHeldStaysMappedWhenTheConsumerEnds) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  Buffer* buffer = here.data(0, "mine");
  const HandedOver message = hand_over(from, to, *buffer);
  ASSERT_TRUE(message);
  const auto hold = to.hold(message);
  ASSERT_TRUE(hold);
  HandedOver strange = message;
  strange.bytes = strange.bytes.subspan(0, 0);
  EXPECT_EQ(hold->descriptor, -1);
  EXPECT_EQ(code(to.hold(strange)), Errc::invalid_value);
  std::byte elsewhere{};
  strange.bytes = std::span(&elsewhere, 1);
  EXPECT_EQ(code(to.hold(strange)), Errc::invalid_value);
  std::ignore = received[0]->buffer()->drop_reference();
  ASSERT_TRUE(received[0]->free());
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(text_of(message.bytes), "mine");
  EXPECT_EQ(code(to.hold(message)), Errc::invalid_value);
  std::ignore = buffer->drop_reference();
}

TEST_F(FastEndTest, WhatIsHeldCanBeReadByItsDescriptorWhereThoseAreKept) {
  auto to = Consumer::create(server.connection(), there.map()).value();
  const auto keep = [this](ReceiveTask& task) { received.push_back(&task); };
  to->configure_receive(4, keep, keep).value();
  ASSERT_TRUE(to->set_descriptors_kept(true));
  engine->connect(*to).value();
  ASSERT_TRUE(to->start());
  EXPECT_EQ(code(to->set_descriptors_kept(false)), Errc::bad_state);
  ASSERT_TRUE(run_until([&] { return to->state() == ContextState::kRunning; }));
  Producer& from = producer();
  post(*to, there.room(0, 64));
  Buffer* buffer = here.data(100, "mine");
  ASSERT_TRUE(run_until([&] { return from.hand_over(to->id(), *buffer).has_value(); }));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  const Held hold = to->hold(received[0]->handed_over()).value();
  std::ignore = received[0]->buffer()->drop_reference();
  ASSERT_TRUE(received[0]->free());
  received.clear();
  ASSERT_TRUE(to->stop());
  ASSERT_TRUE(run_until_idle(*to));
  std::array<char, 4> text{};
  EXPECT_EQ(::pread(hold.descriptor, text.data(), text.size(), static_cast<off_t>(hold.offset)), 4);
  EXPECT_EQ(std::string(text.data(), text.size()), "mine");
  std::ignore = buffer->drop_reference();
}

TEST_F(FastEndTest, WhatIsHeldCanBeGivenBackByAStoppingConsumer) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  Buffer* buffer = here.data(0, "mine");
  const HandedOver message = hand_over(from, to, *buffer);
  ASSERT_TRUE(message);
  EXPECT_EQ(to.stop().value(), ContextState::kStopping) << "a task is out";
  EXPECT_TRUE(to.give_back(message));
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  std::ignore = received[0]->buffer()->drop_reference();
  ASSERT_TRUE(received[0]->free());
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(code(to.give_back(message)), Errc::invalid_value);
  std::ignore = buffer->drop_reference();
}

// How often memory of maps is mapped in this process, which is both sides.
std::size_t mappings_of_maps() {
  std::ifstream file("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find("memfd:comch-map") != std::string::npos) ++count;
  }
  return count;
}

TEST_F(FastEndTest, MapsComeAndGoWithoutEndAndNoneStaysMappedAtTheConsumer) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  keep_received();
  const std::size_t before = mappings_of_maps();
  for (std::size_t n = 0; n < 600; ++n) {
    received.clear();
    post(to, nullptr);
    const auto map = std::make_unique<Memory>(4096);
    Buffer* const buffer = map->data(0, pattern(100, static_cast<unsigned>(n)));
    const Status handed = from.hand_over(to.id(), *buffer);
    ASSERT_TRUE(handed) << n << ": " << handed.error().what;
    ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
    const HandedOver message = received[0]->handed_over();
    ASSERT_EQ(text_of(message.bytes), pattern(100, static_cast<unsigned>(n)));
    ASSERT_TRUE(to.give_back(message));
    ASSERT_TRUE(received[0]->free());
    ASSERT_TRUE(run_until([&] { return handed_back.size() == n + 1; }));
    std::ignore = buffer->drop_reference();
  }
  EXPECT_TRUE(run_until([&] { return mappings_of_maps() == before; })) << mappings_of_maps();
}

// Whose last chunks the producer has copied, and which the consumer may not have looked at since.
TEST_F(FastEndTest, AMapMayEndAsSoonAsItsSharedCopyIsReportedSent) {
  const std::string text = pattern(std::size_t{128} << 10U);
  Consumer& to = consumer(there);
  Producer& from = producer();
  const std::size_t before = mappings_of_maps();
  for (std::size_t n = 0; n < 300; ++n) {
    post(to, there.room(0, text.size()));
    auto map = std::make_unique<Memory>(text.size());
    ASSERT_TRUE(submit(from, to.id(), map->data(0, text)));
    ASSERT_TRUE(run_until([&] { return sent.size() == n + 1; }));
    ASSERT_TRUE(sent.back());
    map.reset();
    ASSERT_TRUE(run_until([&] { return texts.size() == n + 1; })) << n;
    ASSERT_TRUE(texts.back() == text);
  }
  EXPECT_GT(from.counters().cooperative_messages, 0U);
  EXPECT_TRUE(run_until([&] { return mappings_of_maps() == before; })) << mappings_of_maps();
}

TEST_F(FastEndTest, WhatIsHeldCanBeReadWhenItsProducerAndItsMapAreGone) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post(to, nullptr);
  const std::size_t before = mappings_of_maps();
  auto map = std::make_unique<Memory>(4096);
  Buffer* const buffer = map->data(0, "mine");
  const HandedOver message = hand_over(from, to, *buffer);
  ASSERT_TRUE(message);
  ASSERT_TRUE(from.abort());
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  std::ignore = buffer->drop_reference();
  map.reset();
  ASSERT_TRUE(run_until([&] { return from.state() == ContextState::kIdle; }));
  for (int n = 0; n < 100; ++n) engine->progress();
  EXPECT_EQ(text_of(message.bytes), "mine");
  EXPECT_EQ(mappings_of_maps(), before + 1);
  EXPECT_EQ(code(to.give_back(message)), Errc::invalid_value) << "its producer is gone";
  EXPECT_EQ(mappings_of_maps(), before);
  ASSERT_TRUE(received[0]->free());
}

TEST_F(FastEndTest, AThousandAndTwentyFourBuffersAreHandedOverAtATime) {
  constexpr std::size_t kMost = Producer::kMaxHandedOver;
  Consumer& to = consumer(there, {.depth = 2 * kMost});
  Producer& from = producer();
  for (std::size_t n = 0; n < 2 * kMost; ++n) post(to, nullptr);
  keep_received();
  Buffer* buffer = here.data(0, "mine");
  for (std::size_t n = 0; n < kMost; ++n) ASSERT_TRUE(from.hand_over(to.id(), *buffer)) << n;
  EXPECT_EQ(code(from.hand_over(to.id(), *buffer)), Errc::full);
  EXPECT_EQ(from.handed_over(), kMost);
  ASSERT_TRUE(run_until([&] { return received.size() == kMost; }));
  // Given back in another order than they came.
  for (std::size_t n = kMost; n > 0; --n) {
    ASSERT_TRUE(to.give_back(received[n - 1]->handed_over()));
    ASSERT_TRUE(received[n - 1]->free());
  }
  ASSERT_TRUE(run_until([&] { return handed_back.size() == kMost; }));
  EXPECT_TRUE(from.hand_over(to.id(), *buffer));
  ASSERT_TRUE(run_until([&] { return received.size() == kMost + 1; }));
  ASSERT_TRUE(received.back()->free());
}

// abort() takes the lane apart that the callback was called from.
TEST_F(FastEndTest, AProducerMayAbortWhenABufferReturnsWhileALongMessageIsUnderWay) {
  constexpr std::size_t kLong = std::size_t{9} << 20U;
  Memory room{kLong + 64};
  Memory data{kLong + 64};
  Consumer& to = consumer(room);
  auto from = Producer::create(client.connection()).value();
  int returns = 0;
  const auto free = [&](ProducerTask& task) { done(task); };
  from->configure_send(4, free, free).value();
  from->on_returned([&](Producer& producer, ConsumerId, Buffer& buffer, const Status&) {
        ++returns;
        std::ignore = buffer.drop_reference();
        std::ignore = producer.abort();
      })
      .value();
  engine->connect(*from).value();
  ASSERT_TRUE(from->start());
  keep_received();
  post(to, room.room(kLong, 64));
  post(to, room.room(0, kLong));
  ASSERT_TRUE(from->hand_over(to.id(), *data.data(kLong, "lent")));
  ASSERT_TRUE(run_until([&] { return !received.empty(); }));
  ASSERT_TRUE(submit(*from, to.id(), data.data(0, pattern(kLong))));
  ASSERT_TRUE(to.give_back(received[0]->handed_over()));
  ASSERT_TRUE(run_until_idle(*from));
  EXPECT_GE(returns, 1);
  for (ReceiveTask* task : received) {
    if (Buffer* buffer = task->buffer()) std::ignore = buffer->drop_reference();
    std::ignore = task->free();
  }
  end_all();
}

}  // namespace
}  // namespace comch::test
