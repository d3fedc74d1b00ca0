// Producer: sending to a consumer of the other side, in each way that data can go.
#include "comch/producer.h"

#include <array>
#include <cerrno>

#include "os/syscalls.h"
#include "unit/comch/fast_pair.h"
#include "unit/transport/shm/failing_sends.h"

namespace comch::test {
namespace {

struct ProducerTest : FastPair {};

TEST_F(ProducerTest, PutsItsDataIntoThePostedBuffer) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "hello"), "imm"));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  EXPECT_EQ(texts[0], "hello");
  EXPECT_EQ(immediates[0], "imm");
  EXPECT_TRUE(sent[0]);
  EXPECT_EQ(text_of(there.range().first(5)), "hello");
}

TEST_F(ProducerTest, AnswersAgainWhileNothingIsPosted) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  EXPECT_EQ(submit(from, to.id(), here.data(0, "hello")).error().code, Errc::again);
  post_rooms(to, there, 1, 64);
  // Clears without progress.
  EXPECT_TRUE(submit(from, to.id(), here.data(0, "hello")));
  EXPECT_EQ(submit(from, to.id(), here.data(0, "hello")).error().code, Errc::again);
}

TEST_F(ProducerTest, KeepsThePostedBufferOfAMessageThatIsTooLong) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 8);
  EXPECT_EQ(submit(from, to.id(), here.data(0, "nine byte")).error().code, Errc::invalid_value);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "8 bytes!")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_EQ(texts[0], "8 bytes!");
}

TEST_F(ProducerTest, RefusesImmediateDataThatTheConsumerDoesNotTake) {
  Consumer& to = consumer(there, {.immediate = 4});
  Producer& from = producer();
  post_rooms(to, there, 1, 8);
  EXPECT_EQ(submit(from, to.id(), nullptr, "12345").error().code, Errc::invalid_value);
  ASSERT_TRUE(submit(from, to.id(), nullptr, "1234"));
  ASSERT_TRUE(run_until([&] { return immediates.size() == 1; }));
  EXPECT_EQ(immediates[0], "1234");
}

TEST_F(ProducerTest, KnowsNoConsumerThatIsNotThere) {
  consumer(there);
  Producer& from = producer();
  for (const std::uint32_t id : {0U, 1U, 0xffffU, 4711U}) {
    EXPECT_EQ(submit(from, ConsumerId{id}, nullptr, "x").error().code, Errc::invalid_value) << id;
  }
}

struct Ways : ProducerTest, testing::WithParamInterface<DataWay> {};

TEST_P(Ways, MessagesOfEveryLengthArriveWhole) {
  constexpr std::size_t kRoom = std::size_t{256} << 10U;
  Consumer& to = consumer(there, {.depth = 4, .immediate = 256, .way = GetParam()});
  Producer& from = producer();
  post_rooms(to, there, 2, kRoom);
  then_received = [](ReceiveTask& task) {
    task.buffer()->reset_data_length();
    ASSERT_TRUE(task.submit());
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{112}, std::size_t{113},
        std::size_t{4096}, std::size_t{65'535}, std::size_t{65'536}, std::size_t{100'001}, kRoom}) {
    for (const std::size_t immediate : {std::size_t{0}, std::size_t{33}, std::size_t{256}}) {
      const std::size_t before = texts.size();
      const std::string text = pattern(size, static_cast<unsigned>(immediate));
      const std::string given = pattern(immediate, 5);
      ASSERT_TRUE(submit(from, to.id(), size == 0 ? nullptr : here.data(0, text), given)) << size;
      ASSERT_TRUE(run_until([&] { return texts.size() > before && sent.size() > before; })) << size;
      ASSERT_TRUE(sent.back());
      ASSERT_EQ(texts.back(), text) << size;
      ASSERT_EQ(immediates.back(), given) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ways,
                         testing::Values(DataWay::kMapped, DataWay::kStaged, DataWay::kCma),
                         [](const auto& given) { return std::string(name(given.param)); });

TEST_F(ProducerTest, BothSidesCopyALongMessage) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, std::size_t{512} << 10U);
  const std::string text = pattern(std::size_t{512} << 10U);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, text)));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  EXPECT_EQ(texts[0], text);
  EXPECT_EQ(from.counters().cooperative_messages, 1U);
  EXPECT_EQ(to.counters().cooperative_messages, 1U);
}

TEST_F(ProducerTest, SendsManyAtOnceAndAnswersHowMany) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  post_rooms(to, there, 40, 64);
  std::vector<Outgoing> messages(64, Outgoing{.data = bytes("array"), .immediate = {}});
  EXPECT_EQ(from.send(to.id(), messages).value(), 40U);
  EXPECT_EQ(from.send(to.id(), messages).error().code, Errc::again);
  ASSERT_TRUE(run_until([&] { return texts.size() == 40; }));
  EXPECT_EQ(texts.back(), "array");
}

TEST_F(ProducerTest, TriesTheUsualMessageAndLeavesEveryOtherToSend) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  const auto try_send = [&](std::string_view text) {
    return from.try_send(to.id(), std::as_bytes(std::span(text)));
  };
  post_rooms(to, there, 3, 8);
  EXPECT_FALSE(try_send("first"));  // Another one was sent to last: none.
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "first")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  EXPECT_TRUE(try_send("second"));
  EXPECT_FALSE(try_send("nine byte"));
  EXPECT_FALSE(try_send(""));
  EXPECT_TRUE(try_send("third"));
  EXPECT_FALSE(try_send("fourth"));  // Nothing is posted.
  ASSERT_TRUE(run_until([&] { return texts.size() == 3; }));
  EXPECT_EQ(texts, (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(ProducerTest, TriesTheUsualMessagesOfTheCallersRecordsAndLeavesTheFirstOtherOneToSend) {
  struct Record {
    std::uint64_t of_the_caller = 0;
    const std::byte* data = nullptr;
    std::uint64_t size = 0;
  };
  Consumer& to = consumer(there);
  Producer& from = producer();
  std::vector<Record> records;
  for (const std::string_view text : {"first", "second", "nine byte", "third", "fourth"}) {
    records.push_back({.data = bytes(text).data(), .size = text.size()});
  }
  const auto try_send = [&](std::size_t begin) {
    const OutgoingRecords some{.data = &records[begin].data,
                               .size = &records[begin].size,
                               .stride = sizeof(Record),
                               .count = records.size() - begin};
    return from.try_send(to.id(), some);
  };
  post_rooms(to, there, 4, 8);
  EXPECT_EQ(try_send(0), 0U);  // Another one was sent to last: none.
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "zeroth")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  EXPECT_EQ(try_send(0), 2U);
  EXPECT_EQ(try_send(2), 0U);
  EXPECT_EQ(try_send(3), 1U);  // And nothing is posted for the next one.
  EXPECT_EQ(try_send(4), 0U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 4; }));
  EXPECT_EQ(texts, (std::vector<std::string>{"zeroth", "first", "second", "third"}));
}

TEST_F(ProducerTest, AShortLaneTakesAsManyMessagesAsItHasAlthoughMoreIsPosted) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer(16);
  post_rooms(to, there, 40, 64);
  const std::vector<Outgoing> messages(64, Outgoing{.data = bytes("array"), .immediate = {}});
  EXPECT_EQ(from.send(to.id(), messages).value(), 16U);
  EXPECT_EQ(from.send(to.id(), std::span(messages).first(1)).error().code, Errc::again);
  Buffer* const more = here.data(0, "task");
  EXPECT_EQ(submit(from, to.id(), more).error().code, Errc::again);
  ASSERT_TRUE(from.request_space(to.id()));
  ASSERT_TRUE(run_until([&] { return texts.size() == 16 && spaces == 1; }));
  EXPECT_EQ(from.send(to.id(), messages).value(), 16U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 32; }));
  EXPECT_EQ(from.send(to.id(), messages).value(), 8U) << "what is posted still counts";
  ASSERT_TRUE(run_until([&] { return texts.size() == 40; }));
}

TEST_F(ProducerTest, ALoanOutlastsAShortLaneThatIsFull) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer(2);
  post_rooms(to, there, 4, 64);
  const Loan loan = from.reserve(to.id()).value();
  std::ranges::copy(bytes("lent"), loan.room.begin());
  const std::vector<Outgoing> messages(2, Outgoing{.data = bytes("array"), .immediate = {}});
  EXPECT_EQ(from.send(to.id(), messages).value(), 2U);
  EXPECT_EQ(from.commit(loan, 4).error().code, Errc::again);
  ASSERT_TRUE(run_until([&] { return texts.size() == 2; }));
  ASSERT_TRUE(from.commit(loan, 4));
  ASSERT_TRUE(run_until([&] { return texts.size() == 3; }));
  EXPECT_EQ(texts.back(), "lent");
}

TEST_F(ProducerTest, LendsThePostedBufferItself) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  EXPECT_EQ(from.reserve(to.id()).error().code, Errc::again);
  post_rooms(to, there, 3, 64);
  const Loan first = from.reserve(to.id()).value();
  const Loan second = from.reserve(to.id()).value();
  EXPECT_EQ(first.room.size(), 64U);
  std::ranges::copy(bytes("second"), second.room.begin());
  std::ranges::copy(bytes("first"), first.room.begin());
  EXPECT_EQ(from.commit(second, 65).error().code, Errc::invalid_value);
  ASSERT_TRUE(from.commit(second, 6, bytes("2")));
  EXPECT_EQ(from.commit(second, 6).error().code, Errc::invalid_value);
  ASSERT_TRUE(from.abandon(first));
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "in its place")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 2; }));
  EXPECT_EQ(texts[0], "second");
  EXPECT_EQ(texts[1], "in its place");
  EXPECT_EQ(text_of(there.range().first(12)), "in its place");
}

TEST_F(ProducerTest, HandsABufferOverUntilItIsGivenBack) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  keep_received();
  Buffer* buffer = here.data(0, pattern(200'000));
  ASSERT_TRUE(from.hand_over(to.id(), *buffer, bytes("by place")));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  const HandedOver message = received[0]->handed_over();
  EXPECT_EQ(text_of(message.bytes), pattern(200'000));
  EXPECT_EQ(immediates[0], "by place");
  EXPECT_EQ(from.handed_over(), 1U);
  EXPECT_TRUE(handed_back.empty());
  ASSERT_TRUE(to.give_back(message));
  EXPECT_EQ(to.give_back(message).error().code, Errc::invalid_value);
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  EXPECT_EQ(handed_back[0], buffer);
  EXPECT_EQ(from.handed_over(), 0U);
  std::ignore = buffer->drop_reference();
  std::ignore = received[0]->buffer()->drop_reference();
  ASSERT_TRUE(received[0]->free());
}

TEST_F(ProducerTest, IsToldWhenSomethingIsPosted) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  ASSERT_TRUE(from.request_space(to.id()));
  settle(*engine);
  EXPECT_EQ(spaces, 0);
  post_rooms(to, there, 1, 64);
  ASSERT_TRUE(run_until([&] { return spaces == 1; }));
}

// Lanes that come and go, and that it does not look at, fill a consumer's line: so there is none
// to be made just now, as when another producer is just taking a buffer.
TEST_F(ProducerTest, IsToldOfSpaceThoughThereWasNoLaneWhenItAsked) {
  const std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  const auto drop = [](ReceiveTask& task) {
    std::ignore = task.buffer()->drop_reference();
    std::ignore = task.free();
  };
  const std::unique_ptr<Consumer> to = consumer_apart(*own, there, drop, drop);
  post(*to, there.room(0, 64));
  std::unique_ptr<Producer> from = producer_apart(*engine);
  while (from->has_space(to->id())) {
    ASSERT_EQ(from->stop().value(), ContextState::kIdle);
    from = producer_apart(*engine);
  }
  ASSERT_TRUE(from->request_space(to->id()));
  engine->progress();
  EXPECT_EQ(spaces, 0);
  EXPECT_TRUE(run_until([&] {
    own->progress();
    return spaces == 1;
  }));
  EXPECT_TRUE(from->has_space(to->id()));
  EXPECT_EQ(from->stop().value(), ContextState::kIdle);
  to->abort().value();
  EXPECT_TRUE(until(*own, [&] { return to->state() == ContextState::kIdle; }));
}

TEST_F(ProducerTest, ComesToIdleAtOnceWithNothingOutstanding) {
  Producer& from = producer();
  EXPECT_EQ(from.stop().value(), ContextState::kIdle);
  EXPECT_EQ(client->stop().value(), ContextState::kStopping);
}

TEST_F(ProducerTest, KeepsItsClientFromStopping) {
  Producer& from = producer();
  EXPECT_EQ(client->stop().error().code, Errc::in_use);
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(client->stop());
}

// A kernel that has no memory for a lane.
struct NoLane {
  static int memfd_create(const char*, unsigned) {
    errno = ENFILE;
    return -1;
  }
  static os::Syscalls table() {
    os::Syscalls table = os::kKernel;
    table.memfd_create = &memfd_create;
    return table;
  }
};

TEST_F(ProducerTest, WhoWaitsForSpaceIsToldWhenNoLaneCanBeMade) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  {
    const FailingSends full(EAGAIN);
    ASSERT_TRUE(from.request_space(to.id()));
  }
  static const os::Syscalls kNone = NoLane::table();
  const os::ScopedSyscalls scope(kNone);
  EXPECT_TRUE(run_until([&] { return spaces == 1; }));
  const std::array message{Outgoing{.data = bytes("x"), .immediate = {}}};
  EXPECT_EQ(from.send(to.id(), message).error().sys, ENFILE);
}

}  // namespace
}  // namespace comch::test
