// Consumer: posting, receiving, and how it ends.
#include "comch/consumer.h"

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct ConsumerTest : FastPair {};

TEST_F(ConsumerTest, IsStartingUntilTheOtherSideKnows) {
  auto made = Consumer::create(server.connection(), there.map()).value();
  const auto ignore = [](ReceiveTask&) {};
  made->configure_receive(4, ignore, ignore).value();
  engine->connect(*made).value();
  EXPECT_EQ(made->start().value(), ContextState::kStarting);
  EXPECT_EQ(made->allocate_receive(nullptr).error().code, Errc::bad_state);
  ASSERT_TRUE(run_until([&] { return made->state() == ContextState::kRunning; }));
  ASSERT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
  EXPECT_EQ(client.consumers[0], made->id());
  EXPECT_EQ(client.connection().remote_consumers(), client.consumers);
  EXPECT_EQ(made->stop().value(), ContextState::kIdle);
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
}

TEST_F(ConsumerTest, ReturnsWhatIsPostedWhenItStops) {
  Consumer& to = consumer(there);
  post_rooms(to, there, 3, 64);
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_EQ(returned.size(), 3U);
  for (const Status& status : returned) EXPECT_EQ(status.error().code, Errc::shutdown);
}

TEST_F(ConsumerTest, HandsOutWhatHasArrivedBeforeItStops) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 3, 64);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "just before")));
  settle(*engine);
  received.clear();
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "in the lane")));
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(texts.back(), "in the lane");
  EXPECT_EQ(returned.size(), 1U);
}

// Of a producer that this side has heard nothing of: its lane is still in the socket.
TEST_F(ConsumerTest, HandsOutTheFirstMessageOfAProducerBeforeItStops) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "in time")));
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(texts, std::vector<std::string>{"in time"});
  EXPECT_EQ(returned.size(), 1U);
}

TEST_F(ConsumerTest, LosesItsPeerWithEveryTaskReturnedOnce) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 3, 64);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "last words")));
  ASSERT_TRUE(client->abort());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(texts.back(), "last words");
  ASSERT_EQ(returned.size(), 2U);
  for (const Status& status : returned) {
    EXPECT_EQ(status.error().code, Errc::connection_reset);
  }
  ASSERT_TRUE(run_until([&] { return server.connections.empty(); }));
}

TEST_F(ConsumerTest, DoesNotTakeBuffersOfAnotherMap) {
  Consumer& to = consumer(there);
  Buffer* strange = here.room(0, 64);
  EXPECT_EQ(to.allocate_receive(strange).error().code, Errc::invalid_value);
  std::ignore = strange->drop_reference();
}

TEST_F(ConsumerTest, IsPolledInArrays) {
  Consumer& to = consumer(there, {.depth = 16});
  Producer& from = producer();
  std::array<Buffer*, 20> rooms{};
  for (std::size_t n = 0; n < rooms.size(); ++n) rooms[n] = there.room(n * 64, 64);
  ASSERT_EQ(to.post(rooms).value(), 16U);
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(submit(from, to.id(), here.data(0, "one of five"), "i"));
  std::array<Received, 8> out{};
  std::size_t count = 0;
  ASSERT_TRUE(run_until([&] {
    count += to.poll(std::span(out).subspan(count));
    return count == 5;
  }));
  EXPECT_EQ(out[4].buffer, rooms[4]);
  EXPECT_EQ(out[4].length, 11U);
  EXPECT_EQ(contents(*out[4].buffer), "one of five");
  EXPECT_EQ(text_of(out[4].immediate), "i");
  ASSERT_TRUE(to.stop());
  std::array<Buffer*, 16> back{};
  std::size_t taken = 0;
  ASSERT_TRUE(run_until([&] {
    taken += to.take_back(std::span(back).subspan(taken));
    return taken == 11;
  }));
  ASSERT_TRUE(run_until_idle(to));
  for (Buffer* room : rooms) std::ignore = room->drop_reference();
}

TEST_F(ConsumerTest, IsPolledIntoRecordsOfWhichAllIsWritten) {
  Consumer& to = consumer(there, {.depth = 16});
  Producer& from = producer();
  std::array<Buffer*, 12> rooms{};
  for (std::size_t n = 0; n < rooms.size(); ++n) rooms[n] = there.room(n * 64, 64);
  ASSERT_EQ(to.post(rooms).value(), rooms.size());
  // One by one, as in a conversation; every third brings immediate data.
  for (std::size_t n = 0; n < rooms.size(); ++n) {
    const std::string text = "number " + std::to_string(n);
    const std::string_view beside = n % 3 == 2 ? "beside" : "";
    ASSERT_TRUE(submit(from, to.id(), here.data(0, text), beside));
    Incoming junk;
    std::memset(static_cast<void*>(&junk), 0xff, sizeof junk);
    std::array out{junk, junk};
    ASSERT_TRUE(run_until([&] { return to.poll(out, 77 + n, 0x100) == 1; })) << n;
    EXPECT_EQ(out[0].user_data, 77 + n);
    EXPECT_EQ(out[0].res, static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(out[0].flags, 0x100U);
    EXPECT_EQ(out[0].producer, from.id());
    EXPECT_EQ(out[0].buffer, rooms[n]);
    EXPECT_EQ(contents(*rooms[n]), text);
    EXPECT_EQ(text_of(out[0].contents()), text);
    EXPECT_EQ(out[0].bytes, rooms[n]->data());
    EXPECT_EQ(text_of(out[0].immediate()), beside);
    EXPECT_EQ(out[0].handle, 0U);
  }
  EXPECT_EQ(to.poll(std::span<Incoming>(), 1, 0), 0U);
  Buffer* const none = nullptr;
  ASSERT_EQ(to.post({&none, 1}).value(), 1U);
  ASSERT_TRUE(submit(from, to.id(), nullptr, "alone"));
  Incoming last;
  ASSERT_TRUE(run_until([&] { return to.poll({&last, 1}, 1, 0) == 1; }));
  EXPECT_EQ(last.buffer, nullptr);
  EXPECT_TRUE(last.contents().empty());
  EXPECT_EQ(text_of(last.immediate()), "alone");
  EXPECT_EQ(to.counters().received_messages, rooms.size() + 1);
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  for (Buffer* room : rooms) std::ignore = room->drop_reference();
}

// Most are posted as the one before; some have another room, or are none.
TEST_F(ConsumerTest, FillsTheBuffersOfAnArrayInTheirOrderWhateverRoomTheyHave) {
  constexpr std::size_t kCount = 60;
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  std::array<Buffer*, kCount> rooms{};
  std::array<Outgoing, kCount> messages{};
  const std::string text = pattern(kCount);
  for (std::size_t n = 0; n < kCount; ++n) {
    const bool is_none = n % 23 == 9;
    if (!is_none) rooms[n] = there.room(n * 64, n < 30 ? 64 : n + 2);
    const auto message = bytes(text).subspan(n, 1);
    messages[n] = is_none ? Outgoing{.data = {}, .immediate = message}
                          : Outgoing{.data = message, .immediate = {}};
  }
  std::array<Received, kCount> out{};
  for (int lap = 0; lap < 5; ++lap) {
    ASSERT_EQ(to.post(rooms).value(), kCount);
    std::size_t accepted = 0;
    std::size_t count = 0;
    ASSERT_TRUE(run_until([&] {
      accepted += from.send(to.id(), std::span(messages).subspan(accepted)).value_or(0);
      count += to.poll(std::span(out).subspan(count));
      return count == kCount;
    }));
    for (std::size_t n = 0; n < kCount; ++n) {
      ASSERT_EQ(out[n].buffer, rooms[n]) << n;
      if (rooms[n] == nullptr) continue;
      EXPECT_EQ(contents(*rooms[n]), text_of(messages[n].data)) << n;
      rooms[n]->reset_data_length();
    }
    std::ranges::rotate(rooms, rooms.begin() + 1);
    std::ranges::rotate(messages, messages.begin() + 1);
  }
  for (Buffer* room : rooms) {
    if (room != nullptr) std::ignore = room->drop_reference();
  }
}

TEST_F(ConsumerTest, PutsWhatComesBehindTheBuffersData) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Buffer* half = there.room(0, 64);
  std::ranges::copy(bytes("begun, "), there.range().begin());
  ASSERT_TRUE(half->set_data_length(7));
  post(to, half);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "and done")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_EQ(texts[0], "begun, and done");
}

TEST_F(ConsumerTest, KeepsItsServersConnectionFromDisconnect) {
  Consumer& to = consumer(there);
  EXPECT_EQ(server->disconnect(server.connection()).error().code, Errc::in_use);
  EXPECT_EQ(server->stop().error().code, Errc::in_use);
  ASSERT_TRUE(to.stop());
  EXPECT_TRUE(server->disconnect(server.connection()));
}

TEST_F(ConsumerTest, NeedsAMapThatTheOtherSideMayWrite) {
  auto map = MemoryMap::create().value();
  map->allocate(4096).value();
  EXPECT_EQ(Consumer::create(server.connection(), *map).error().code, Errc::bad_state);
  map->add_device(host()).value();
  map->start().value();
  EXPECT_EQ(Consumer::create(server.connection(), *map).error().code, Errc::not_permitted);
}

TEST_F(ConsumerTest, ACallbackMayPostManyOfAnyRoom) {
  constexpr std::size_t kMany = 45;
  const auto room = [](std::size_t n) { return n % 5 == 0 ? 0U : n % 7 == 0 ? 32U : 64U; };
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  then_received = [&, usual = then_received](ReceiveTask& task) {
    for (std::size_t n = 0; n < kMany && texts.size() == 1; ++n) {
      post(to, room(n) == 0 ? nullptr : there.room(1024 + n * 64, room(n)));
      EXPECT_EQ(to.posted(), n + 1);
    }
    usual(task);
  };
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "first")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  for (std::size_t n = 0; n < kMany; ++n) {
    const std::string text = std::to_string(n);
    Buffer* const message = room(n) == 0 ? nullptr : here.data(64 + n * 64, text);
    ASSERT_TRUE(submit(from, to.id(), message, room(n) == 0 ? text : "")) << n;
  }
  ASSERT_TRUE(run_until([&] { return texts.size() == kMany + 1; }));
  for (std::size_t n = 0; n < kMany; ++n) {
    EXPECT_EQ(texts[n + 1] + immediates[n + 1], std::to_string(n));
    if (room(n) == 0) continue;
    EXPECT_EQ(text_of(there.range().subspan(1024 + n * 64, 1)), texts[n + 1].substr(0, 1));
  }
  EXPECT_EQ(to.posted(), 0U);
}

TEST_F(ConsumerTest, WhatACallbackPostsComesBackIfItStopsTheConsumer) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  then_received = [&, first = then_received](ReceiveTask& task) {
    for (std::size_t n = 0; n < 20; ++n) post(to, there.room(1024 + n * 64, 64));
    std::ignore = to.stop();
    first(task);
  };
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "first")));
  ASSERT_TRUE(run_until_idle(to));
  EXPECT_EQ(returned.size(), 20U);
  for (const Status& status : returned) EXPECT_EQ(code(status), Errc::shutdown);
}

}  // namespace
}  // namespace comch::test
