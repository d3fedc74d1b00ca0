// Consumer: every limit of its configuration, and every error that its header speaks of.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

constexpr auto kIgnore = [](ReceiveTask&) {};

struct ConsumerRulesTest : FastPair {
  std::unique_ptr<Consumer> fresh() {
    return Consumer::create(server.connection(), there.map()).value();
  }
  // With the rooms posted in an array, and a message for the first that it has not heard of.
  Consumer& stopped_with_a_message(std::span<Buffer* const> rooms) {
    Consumer& to = consumer(there);
    Producer& from = producer();
    EXPECT_EQ(to.post(rooms).value(), rooms.size());
    EXPECT_TRUE(submit(from, to.id(), here.data(0, "in time")));
    EXPECT_TRUE(to.stop());
    return to;
  }
};

// --- Configuration -----------------------------------------------------------------------

TEST_F(ConsumerRulesTest, HasOneToEightThousandTasksAndBothCallbacks) {
  const auto made = fresh();
  EXPECT_EQ(code(made->configure_receive(0, kIgnore, kIgnore)), Errc::invalid_value);
  EXPECT_EQ(code(made->configure_receive(Consumer::kMaxTasks + 1, kIgnore, kIgnore)),
            Errc::invalid_value);
  EXPECT_EQ(code(made->configure_receive(1, nullptr, kIgnore)), Errc::invalid_value);
  EXPECT_EQ(code(made->configure_receive(1, kIgnore, nullptr)), Errc::invalid_value);
  EXPECT_EQ(made->tasks(), 0U) << "what was refused changes nothing";
  EXPECT_TRUE(made->configure_receive(Consumer::kMaxTasks, kIgnore, kIgnore));
  EXPECT_EQ(made->tasks(), Consumer::kMaxTasks);
}

TEST_F(ConsumerRulesTest, TakesUpToTwoHundredAndFiftySixBytesOfImmediateData) {
  const auto made = fresh();
  EXPECT_EQ(made->immediate_size(), Consumer::kDefaultImmediate);
  EXPECT_EQ(code(made->set_immediate_size(Consumer::kMaxImmediate + 1)), Errc::invalid_value);
  EXPECT_EQ(made->immediate_size(), Consumer::kDefaultImmediate);
  EXPECT_TRUE(made->set_immediate_size(0));
  EXPECT_TRUE(made->set_immediate_size(Consumer::kMaxImmediate));
  EXPECT_EQ(made->immediate_size(), Consumer::kMaxImmediate);
}

TEST_F(ConsumerRulesTest, RunsWithTheMostOfEverything) {
  Consumer& to =
      consumer(there, {.depth = Consumer::kMaxTasks, .immediate = Consumer::kMaxImmediate});
  Producer& from = producer();
  for (std::uint32_t n = 0; n < Consumer::kMaxTasks; ++n) post(to, nullptr);
  EXPECT_EQ(code(to.allocate_receive(nullptr)), Errc::no_memory);
  EXPECT_EQ(to.posted(), Consumer::kMaxTasks);
  const std::string most = pattern(Consumer::kMaxImmediate);
  for (std::uint32_t n = 0; n < Consumer::kMaxTasks; ++n) {
    const std::array messages{Outgoing{.data = {}, .immediate = bytes(most)}};
    ASSERT_EQ(from.send(to.id(), messages).value(), 1U) << n;
  }
  const std::array messages{Outgoing{.data = {}, .immediate = bytes(most)}};
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::again);
  ASSERT_TRUE(run_until([&] { return immediates.size() == Consumer::kMaxTasks; }));
  EXPECT_EQ(std::ranges::count(immediates, most), Consumer::kMaxTasks);
}

TEST_F(ConsumerRulesTest, RunsWithTheLeastOfEverything) {
  Consumer& to = consumer(there, {.depth = 1, .immediate = 0});
  Producer& from = producer();
  for (int n = 0; n < 20; ++n) {
    post_rooms(to, there, 1, 1);
    EXPECT_EQ(code(submit(from, to.id(), nullptr, "i")), Errc::invalid_value);
    ASSERT_TRUE(submit(from, to.id(), here.data(0, "1")));
    EXPECT_EQ(code(submit(from, to.id(), here.data(0, "1"))), Errc::again);
    ASSERT_TRUE(run_until([&] { return texts.size() == static_cast<std::size_t>(n) + 1; }));
  }
}

TEST_F(ConsumerRulesTest, IsConfiguredOnlyWhileIdle) {
  Consumer& to = consumer(there);
  EXPECT_EQ(code(to.configure_receive(1, kIgnore, kIgnore)), Errc::bad_state);
  EXPECT_EQ(code(to.set_immediate_size(1)), Errc::bad_state);
  EXPECT_EQ(code(to.set_way(DataWay::kStaged)), Errc::bad_state);
  ASSERT_TRUE(to.stop());
  EXPECT_TRUE(to.set_way(DataWay::kStaged));
}

TEST_F(ConsumerRulesTest, StartsWithAnEngineAndItsTasksConfigured) {
  const auto made = fresh();
  EXPECT_EQ(code(made->start()), Errc::not_connected);
  engine->connect(*made).value();
  EXPECT_EQ(code(made->start()), Errc::bad_state);
  EXPECT_EQ(made->state(), ContextState::kIdle);
}

TEST_F(ConsumerRulesTest, ShowsOnlyMemoryThatCanBeShown) {
  Memory own(4096, false);  // malloc'd.
  const auto made = Consumer::create(server.connection(), own.map()).value();
  made->configure_receive(1, kIgnore, kIgnore).value();
  engine->connect(*made).value();
  made->set_way(DataWay::kMapped).value();
  EXPECT_EQ(code(made->start()), Errc::not_supported);
  EXPECT_EQ(made->state(), ContextState::kIdle);
  made->set_way(DataWay::kAuto).value();
  ASSERT_TRUE(made->start());
  EXPECT_EQ(made->way(), DataWay::kStaged);
  ASSERT_TRUE(made->stop());
  ASSERT_TRUE(run_until_idle(*made));
}

TEST_F(ConsumerRulesTest, MapsWhatCanBeShown) {
  EXPECT_EQ(consumer(there).way(), DataWay::kMapped);
  EXPECT_EQ(consumer(there, {.way = DataWay::kCma}).way(), DataWay::kCma);
}

TEST_F(ConsumerRulesTest, IsDestroyedOnlyWhileIdle) {
  auto made = fresh();
  made->configure_receive(1, kIgnore, kIgnore).value();
  engine->connect(*made).value();
  ASSERT_TRUE(made->start());
  EXPECT_EQ(code(Consumer::destroy(made)), Errc::in_use);
  ASSERT_NE(made, nullptr);
  ASSERT_TRUE(made->stop());
  ASSERT_TRUE(run_until_idle(*made));
  EXPECT_TRUE(Consumer::destroy(made));
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(code(Consumer::destroy(made)), Errc::invalid_value);
}

TEST_F(ConsumerRulesTest, NeedsAnEstablishedConnection) {
  Connection& connection = client.connection();
  ASSERT_TRUE(server->abort());
  ASSERT_TRUE(run_until([&] { return connection.state() != ConnectionState::kEstablished; }));
  EXPECT_EQ(code(Consumer::create(connection, here.map())), Errc::bad_state);
  EXPECT_EQ(code(Producer::create(connection)), Errc::bad_state);
}

// --- Tasks -------------------------------------------------------------------------------

TEST_F(ConsumerRulesTest, ATaskIsTheConsumersBetweenSubmitAndItsCallback) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Buffer* room = there.room(0, 64);
  ReceiveTask* task = to.allocate_receive(room).value();
  keep_received();
  task->set_user_data({.value = 7});
  EXPECT_EQ(task->user_data().value, 7U);
  EXPECT_EQ(&task->context(), &to);
  EXPECT_TRUE(task->status());
  ASSERT_TRUE(task->submit());
  EXPECT_EQ(to.tasks_in_flight(), 1U);
  EXPECT_EQ(to.posted(), 1U);
  EXPECT_EQ(code(task->status()), Errc::in_progress);
  EXPECT_EQ(code(task->submit()), Errc::bad_state);
  EXPECT_EQ(code(task->free()), Errc::bad_state);
  EXPECT_EQ(code(task->set_buffer(nullptr)), Errc::bad_state);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "one"), "imm"));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  EXPECT_EQ(to.posted(), 0U);
  EXPECT_TRUE(task->status());
  EXPECT_EQ(task->length(), 3U);
  EXPECT_EQ(task->producer(), from.id());
  EXPECT_EQ(text_of(task->immediate()), "imm");
  EXPECT_FALSE(task->handed_over());
  Buffer* strange = here.room(0, 8);
  EXPECT_EQ(code(task->set_buffer(strange)), Errc::invalid_value);
  EXPECT_EQ(task->buffer(), room);
  std::ignore = strange->drop_reference();
  ASSERT_TRUE(task->set_buffer(nullptr));
  std::ignore = room->drop_reference();
  EXPECT_EQ(code(task->set_buffer(room)), Errc::invalid_value) << "not lent";
  ASSERT_TRUE(task->free());
  EXPECT_EQ(code(task->free()), Errc::bad_state);
  EXPECT_EQ(code(task->submit()), Errc::bad_state);
}

TEST_F(ConsumerRulesTest, TryingToPostDoesAsSubmit) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  keep_received();
  ReceiveTask* task = to.allocate_receive(there.room(0, 64)).value();
  ASSERT_TRUE(task->try_submit());
  EXPECT_FALSE(task->try_submit()) << "posted already";
  EXPECT_EQ(to.posted(), 1U);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "one")));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  EXPECT_EQ(text_of(task->buffer()->contents()), "one");
  ASSERT_TRUE(to.stop());
  EXPECT_FALSE(task->try_submit()) << "stopping: it would come back through the callback";
  EXPECT_TRUE(task->free());
}

TEST_F(ConsumerRulesTest, ABufferIsPostedByOneTaskAtATime) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  keep_received();
  Buffer* const room = there.room(0, 64);
  ReceiveTask* const first = to.allocate_receive(room).value();
  ReceiveTask* const second = to.allocate_receive(room).value();
  ASSERT_TRUE(first->submit());
  EXPECT_EQ(code(second->submit()), Errc::bad_state);
  EXPECT_FALSE(second->try_submit());
  EXPECT_EQ(to.posted(), 1U);
  EXPECT_EQ(code(room->set_data_length(8)), Errc::bad_state) << "it is the consumer's";
  EXPECT_FALSE(room->reset_data_length());
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "one")));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  EXPECT_EQ(contents(*room), "one");
  EXPECT_TRUE(room->set_data_length(2));
  ASSERT_TRUE(second->submit()) << "it is the application's again";
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "two")));
  ASSERT_TRUE(run_until([&] { return received.size() == 2; }));
  EXPECT_EQ(contents(*room), "ontwo");
  std::ignore = room->drop_reference();
  EXPECT_TRUE(first->free());
  EXPECT_TRUE(second->free());
}

TEST_F(ConsumerRulesTest, ABufferOfATaskThatComesBackEmptyCanBePostedAgain) {
  Buffer* const room = there.room(0, 64);
  room->add_reference().value();
  Consumer& first = consumer(there);
  post(first, room);
  ASSERT_TRUE(first.stop());
  ASSERT_TRUE(run_until([&] { return returned.size() == 1; }));
  Consumer& second = consumer(there);
  ASSERT_TRUE(second.allocate_receive(room).value()->submit());
}

TEST_F(ConsumerRulesTest, ABufferThatIsLentAgainIsPostedNoMore) {
  Memory pool(64);
  Buffer* const room = pool.room(0, 64);
  auto gone = Consumer::create(server.connection(), pool.map()).value();
  gone->configure_receive(1, kIgnore, kIgnore).value();
  engine->connect(*gone).value();
  ASSERT_TRUE(gone->start());
  ASSERT_TRUE(run_until([&] { return gone->state() == ContextState::kRunning; }));
  post(*gone, room);
  gone.reset();
  room->drop_reference().value();
  Buffer* const again = pool.room(0, 64);
  ASSERT_EQ(again, room);
  EXPECT_TRUE(again->set_data_length(8));
  again->drop_reference().value();
}

TEST_F(ConsumerRulesTest, ATaskCanBePostedAgainInItsOwnCallback) {
  Consumer& to = consumer(there, {.depth = 2});
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  then_received = [](ReceiveTask& task) {
    task.buffer()->reset_data_length();
    ASSERT_TRUE(task.submit());
  };
  for (std::size_t n = 0; n < 200; ++n) {
    ASSERT_TRUE(run_until([&] { return from.has_space(to.id()); }));
    ASSERT_TRUE(submit(from, to.id(), here.data(0, std::to_string(n))));
    ASSERT_TRUE(run_until([&] { return texts.size() == n + 1; }));
    ASSERT_EQ(texts.back(), std::to_string(n));
  }
  EXPECT_EQ(to.posted(), 2U);
  EXPECT_EQ(to.counters().received_messages, 200U);
}

TEST_F(ConsumerRulesTest, ATaskOfAStoppingConsumerComesBackWithShutdown) {
  Consumer& to = consumer(there);
  ReceiveTask* task = to.allocate_receive(nullptr).value();
  EXPECT_EQ(to.stop().value(), ContextState::kStopping) << "a task is out";
  ASSERT_TRUE(task->submit());
  ReceiveTask* another = to.allocate_receive(nullptr).value();
  ASSERT_TRUE(another->free());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_EQ(returned.size(), 1U);
  EXPECT_EQ(code(returned[0]), Errc::shutdown);
}

TEST_F(ConsumerRulesTest, AMessageUsesUpABufferEvenIfItBringsImmediateDataAlone) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  post(to, nullptr);
  ASSERT_TRUE(submit(from, to.id(), nullptr, "for the first"));
  EXPECT_EQ(code(submit(from, to.id(), here.data(0, "x"))), Errc::invalid_value) << "no room";
  ASSERT_TRUE(submit(from, to.id(), nullptr, "for the second"));
  ASSERT_TRUE(run_until([&] { return texts.size() == 2; }));
  EXPECT_EQ(texts, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(immediates, (std::vector<std::string>{"for the first", "for the second"}));
}

// --- Arrays ------------------------------------------------------------------------------

TEST_F(ConsumerRulesTest, PostsAnArrayUpToTheFirstThatIsNotOfItsMap) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Buffer* first = there.room(0, 64);
  Buffer* strange = here.room(0, 64);
  EXPECT_EQ(to.post(std::array{first, static_cast<Buffer*>(nullptr), strange, first}).value(), 2U);
  EXPECT_EQ(to.post(std::array{strange}).value(), 0U);
  EXPECT_EQ(to.posted(), 2U);
  const std::array messages{Outgoing{.data = bytes("data"), .immediate = {}},
                            Outgoing{.data = {}, .immediate = bytes("imm")}};
  ASSERT_EQ(from.send(to.id(), messages).value(), 2U);
  std::array<Received, 1> one;
  ASSERT_TRUE(run_until([&] { return to.poll(one) == 1; }));
  EXPECT_EQ(one[0].buffer, first);
  EXPECT_EQ(one[0].length, 4U);
  EXPECT_EQ(one[0].producer, from.id());
  ASSERT_TRUE(run_until([&] { return to.poll(one) == 1; }));
  EXPECT_EQ(one[0].buffer, nullptr);
  EXPECT_EQ(text_of(one[0].immediate), "imm");
  EXPECT_EQ(to.poll(one), 0U);
  EXPECT_EQ(to.poll({}), 0U);
  std::ignore = first->drop_reference();
  std::ignore = strange->drop_reference();
}

TEST_F(ConsumerRulesTest, PostsAnArrayUpToTheFirstThatIsPostedAlready) {
  Consumer& to = consumer(there);
  Buffer* const first = there.room(0, 64);
  Buffer* const second = there.room(64, 64);
  Buffer* const third = there.room(128, 64);
  EXPECT_EQ(to.post(std::array{first, second, second, third}).value(), 2U);
  EXPECT_EQ(to.post(std::array{third, third}).value(), 1U);
  EXPECT_EQ(to.post(std::array{first}).value(), 0U);
  EXPECT_EQ(to.posted(), 3U);
  EXPECT_EQ(code(third->set_data(third->head(), 1)), Errc::bad_state);
  ASSERT_TRUE(to.stop());
  std::array<Buffer*, 3> back{};
  ASSERT_TRUE(run_until([&] { return to.take_back(back) == 3; }));
  for (Buffer* buffer : back) {
    EXPECT_TRUE(buffer->set_data(buffer->head(), 1)) << "it is the application's again";
    std::ignore = buffer->drop_reference();
  }
}

TEST_F(ConsumerRulesTest, AnIdleConsumerPostsAndPollsNothing) {
  const auto made = fresh();
  std::array<Received, 1> out;
  std::array<Buffer*, 1> back{};
  Buffer* room = there.room(0, 64);
  EXPECT_EQ(code(made->post(std::array{room})), Errc::bad_state);
  EXPECT_EQ(made->poll(out), 0U);
  EXPECT_EQ(made->take_back(back), 0U);
  EXPECT_EQ(made->posted(), 0U);
  EXPECT_EQ(static_cast<std::uint32_t>(made->id()), 0U);
  EXPECT_EQ(code(made->give_back(HandedOver{})), Errc::invalid_value);
  std::ignore = room->drop_reference();
}

// Nothing has come, but a producer was there and is not any more.
TEST_F(ConsumerRulesTest, ArraysComeBackWithoutAPollWhenThereIsNothingToPoll) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  std::array rooms{there.room(0, 64), there.room(64, 64)};
  ASSERT_EQ(to.post(rooms).value(), 2U);
  ASSERT_TRUE(submit(from, to.id(), nullptr, "first"));
  std::array<Received, 2> out;
  ASSERT_TRUE(run_until([&] { return to.poll(out) == 1; }));
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_TRUE(to.stop());
  std::array<Buffer*, 2> back{};
  ASSERT_TRUE(run_until([&] { return to.take_back(back) == 1; }));
  ASSERT_TRUE(run_until_idle(to));
  for (Buffer* room : rooms) std::ignore = room->drop_reference();
}

TEST_F(ConsumerRulesTest, ArraysThatArrivedBeforeStopAreStillPolled) {
  const std::array rooms{there.room(0, 64), there.room(64, 64)};
  Consumer& to = stopped_with_a_message(rooms);
  for (int n = 0; n < 100; ++n) engine->progress();  // It never settles: there is a message.
  std::array<Buffer*, 2> back{};
  EXPECT_EQ(to.take_back(back), 0U) << "first what has come";
  std::array<Received, 2> out;
  ASSERT_EQ(to.poll(out), 1U);
  EXPECT_EQ(contents(*out[0].buffer), "in time");
  std::size_t taken = 0;
  ASSERT_TRUE(run_until([&] { return (taken += to.take_back(back)) == 1; }));
  EXPECT_EQ(back[0], rooms[1]);
  ASSERT_TRUE(run_until_idle(to));
  for (Buffer* room : rooms) std::ignore = room->drop_reference();
}

// Its lane is still in the socket when the application looks.
TEST_F(ConsumerRulesTest, ArraysOfALaneThatIsHeardOfBehindAPollAreStillPolled) {
  const std::array rooms{there.room(0, 64), there.room(64, 64)};
  Consumer& to = stopped_with_a_message(rooms);
  std::array<Received, 2> out;
  // Between machines it is found at once.
  ASSERT_TRUE(to.poll(out) == 1 || run_until([&] { return to.poll(out) == 1; }));
  EXPECT_EQ(contents(*out[0].buffer), "in time");
  std::array<Buffer*, 2> back{};
  ASSERT_TRUE(run_until([&] { return to.take_back(back) == 1; }));
  ASSERT_TRUE(run_until_idle(to));
  for (Buffer* room : rooms) std::ignore = room->drop_reference();
}

}  // namespace
}  // namespace comch::test
