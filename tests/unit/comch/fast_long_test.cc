// Long messages of the fast path: each way that data goes, what waits behind them, and in which
// order all of it completes.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

struct FastLongTest : FastPair {
  ~FastLongTest() override { end_all(); }

  // Sends the text and takes it out, whole, of the buffer that it was put into.
  void expect_arrives(Consumer& to, Producer& from, const std::string& text) {
    const std::size_t before = texts.size();
    post(to, room.room(0, text.size()));
    ASSERT_TRUE(submit(from, to.id(), data.data(0, text)));
    ASSERT_TRUE(run_until([&] { return texts.size() > before && sent.size() > before; }));
    ASSERT_TRUE(sent.back());
    ASSERT_TRUE(texts.back() == text) << text.size();
  }

  Memory room{10 * kMiB};
  Memory data{10 * kMiB};
};

struct FastLongWays : FastLongTest, testing::WithParamInterface<DataWay> {};

TEST_P(FastLongWays, MessagesOfAllLengthsArriveWhole) {
  Consumer& to = consumer(room, {.way = GetParam()});
  Producer& from = producer();
  for (const std::size_t size : {std::size_t{1}, std::size_t{112}, std::size_t{113},
                                 std::size_t{4096}, std::size_t{65'536}, kMiB + 1, 9 * kMiB}) {
    expect_arrives(to, from, pattern(size, static_cast<unsigned>(size)));
  }
  EXPECT_EQ(to.way(), GetParam());
  const ProducerCounters counters = from.counters();
  EXPECT_EQ(counters.sent_messages, 7U);
  EXPECT_GE(counters.inline_messages, 1U);
  const auto of_way = [&](DataWay way, std::uint64_t count) {
    EXPECT_EQ(count, GetParam() == way ? 7 - counters.inline_messages : 0U) << name(way);
  };
  of_way(DataWay::kMapped, counters.mapped_messages + counters.cooperative_messages);
  of_way(DataWay::kStaged, counters.staged_messages);
  of_way(DataWay::kCma, counters.cma_messages);
  EXPECT_EQ(to.counters().received_bytes, counters.sent_bytes);
}

// More of them than are under way at a time, so that some wait; short ones stay behind.
TEST_P(FastLongWays, ManyCompleteInTheOrderOfTheirSubmission) {
  constexpr std::size_t kCount = 20;
  Consumer& to = consumer(room, {.depth = kCount, .way = GetParam()});
  Producer& from = producer();
  post_rooms(to, room, kCount, 200'000);
  std::vector<std::string> expected;
  for (std::size_t n = 0; n < kCount; ++n) {
    expected.push_back(pattern(n % 3 == 2 ? 10 : 150'000 + n, static_cast<unsigned>(n)));
    ASSERT_TRUE(submit(from, to.id(), data.data(n * 200'000, expected.back()))) << n;
  }
  ASSERT_TRUE(run_until([&] { return texts.size() == kCount && sent.size() == kCount; }));
  EXPECT_TRUE(texts == expected);
  EXPECT_EQ(std::ranges::count_if(sent, [](const Status& s) { return s.has_value(); }), 20);
}

// A way that takes several calls. Programs submit all that they have before they call progress().
TEST_P(FastLongWays, AsManyAreAcceptedWithoutProgressAsThereAreTasks) {
  constexpr std::size_t kCount = 64;
  Consumer& to = consumer(room, {.depth = 256, .way = GetParam()});
  Producer& from = producer();
  post_rooms(to, room, kCount, 100'000);
  const std::string text = pattern(100'000);
  for (std::size_t n = 0; n < kCount; ++n) {
    const Status submitted = submit(from, to.id(), data.data(0, text));
    ASSERT_TRUE(submitted) << n << ": " << submitted.error().what;
  }
  ASSERT_TRUE(run_until([&] { return sent.size() == kCount && texts.size() == kCount; }));
  post(to, room.room(0, 64));
  ASSERT_TRUE(submit(from, to.id(), nullptr, "and one more"));
  ASSERT_TRUE(run_until([&] { return texts.size() == kCount + 1; }));
  EXPECT_EQ(immediates.back(), "and one more");
  EXPECT_TRUE(texts[kCount - 1] == text);
}

TEST_P(FastLongWays, TheLastOfAnArrayMayBeUnderWayUntilItIsNotBusy) {
  Consumer& to = consumer(room, {.way = GetParam()});
  Producer& from = producer();
  const std::string text = pattern(9 * kMiB);
  post_rooms(to, room, 1, 64);
  post(to, room.room(64, text.size()));
  post(to, room.room(0, 64));
  const std::array messages{Outgoing{.data = bytes("short"), .immediate = bytes("1")},
                            Outgoing{.data = bytes(text), .immediate = bytes("2")},
                            Outgoing{.data = bytes("behind"), .immediate = {}}};
  ASSERT_EQ(from.send(to.id(), messages).value(), 2U);
  EXPECT_TRUE(from.busy(to.id()));
  EXPECT_EQ(code(from.ending(to.id())), Errc::in_progress);
  EXPECT_EQ(from.send(to.id(), messages).error().code, Errc::again);
  ASSERT_TRUE(run_until([&] { return !from.busy(to.id()) && texts.size() == 2; }));
  EXPECT_TRUE(from.ending(to.id()));
  EXPECT_EQ(immediates, (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(texts[1] == text);
  EXPECT_EQ(from.send(to.id(), std::span(messages).subspan(2)).value(), 1U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 3; }));
  EXPECT_TRUE(sent.empty()) << "arrays have no callbacks";
}

// --- Ends --------------------------------------------------------------------------------

TEST_P(FastLongWays, AProducerThatStopsFinishesWhatItHasAccepted) {
  constexpr std::size_t kCount = 6;
  Consumer& to = consumer(room, {.way = GetParam()});
  Producer& from = producer();
  post_rooms(to, room, kCount, 200'000);
  for (std::size_t n = 0; n < kCount; ++n) {
    ASSERT_TRUE(submit(from, to.id(), data.data(n * 200'000, pattern(200'000))));
  }
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_EQ(sent.size(), kCount);
  for (const Status& status : sent) EXPECT_TRUE(status);
  ASSERT_TRUE(run_until([&] { return texts.size() == kCount; }));
  EXPECT_TRUE(texts.back() == pattern(200'000));
}

// Each task comes back once, and whatever posted buffers were not used serve the next producer.
TEST_P(FastLongWays, AProducerThatGivesUpLosesNoPostedBuffer) {
  constexpr std::size_t kCount = 6;
  Consumer& to = consumer(room, {.depth = kCount, .way = GetParam()});
  Producer& from = producer();
  Producer& next = producer();
  then_received = [](ReceiveTask& task) {
    task.buffer()->reset_data_length();
    ASSERT_TRUE(task.submit());
  };
  post_rooms(to, room, kCount, kMiB);
  for (std::size_t n = 0; n < kCount; ++n) {
    ASSERT_TRUE(submit(from, to.id(), data.data(n * kMiB, pattern(kMiB))));
  }
  ASSERT_TRUE(from.abort());
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_EQ(sent.size(), kCount);
  const std::size_t before = texts.size();
  for (std::size_t n = 0; n < 3 * kCount; ++n) {
    ASSERT_TRUE(run_until([&] { return next.has_space(to.id()); })) << n;
    ASSERT_TRUE(submit(next, to.id(), data.data(0, "next")));
  }
  ASSERT_TRUE(run_until([&] {
    return std::ranges::count(texts, "next") == std::ptrdiff_t{3 * kCount};
  })) << before;
  ASSERT_TRUE(run_until([&] { return to.posted() == kCount; }));
}

TEST_P(FastLongWays, AConsumerThatStopsGivesEveryTaskBackOnBothSides) {
  constexpr std::size_t kCount = 6;
  Consumer& to = consumer(room, {.way = GetParam()});
  Producer& from = producer();
  post_rooms(to, room, kCount, kMiB);
  for (std::size_t n = 0; n < kCount; ++n) {
    ASSERT_TRUE(submit(from, to.id(), data.data(n * kMiB, pattern(kMiB))));
  }
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_TRUE(run_until([&] { return sent.size() == kCount; }));
  EXPECT_EQ(texts.size() + returned.size(), kCount);
  for (const Status& status : returned) EXPECT_EQ(status.error().code, Errc::shutdown);
  for (const Status& status : sent) {
    if (status) continue;
    EXPECT_EQ(status.error().code, Errc::connection_reset);
  }
  EXPECT_GE(static_cast<std::size_t>(std::ranges::count_if(
                sent, [](const Status& status) { return status.has_value(); })),
            texts.size())
      << "what has arrived was reported sent";
  EXPECT_EQ(from.state(), ContextState::kRunning) << "there may be other consumers";
}

TEST_P(FastLongWays, ALostPeerGivesEveryTaskBackOnce) {
  constexpr std::size_t kCount = 6;
  Consumer& to = consumer(room, {.way = GetParam()});
  Producer& from = producer();
  post_rooms(to, room, kCount, kMiB);
  for (std::size_t n = 0; n < kCount; ++n) {
    ASSERT_TRUE(submit(from, to.id(), data.data(n * kMiB, pattern(kMiB))));
  }
  ASSERT_TRUE(server->abort());
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(sent.size(), kCount);
  EXPECT_EQ(texts.size() + returned.size(), kCount);
  for (const Status& status : returned) EXPECT_EQ(status.error().code, Errc::connection_reset);
}

INSTANTIATE_TEST_SUITE_P(All, FastLongWays,
                         testing::Values(DataWay::kMapped, DataWay::kStaged, DataWay::kCma),
                         [](const auto& given) { return std::string(name(given.param)); });

// Nobody polls the consumer: what its stop would wait for never comes.
TEST_F(FastLongTest, AProducerWaitsTwoSecondsForAConsumerThatDoesNothing) {
  const auto own = ProgressEngine::create().value();
  int back = 0;
  const auto to = consumer_apart(
      *own, room, [](ReceiveTask&) { FAIL() << "half a message"; },
      [&](ReceiveTask& task) {
        ++back;
        std::ignore = task.buffer()->drop_reference();
        std::ignore = task.free();
      });
  Producer& from = producer();
  post(*to, room.room(0, 9 * kMiB));
  ASSERT_TRUE(submit(from, to->id(), data.data(0, pattern(9 * kMiB))));
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].error().code, Errc::time_out);
  ASSERT_TRUE(to->stop());
  ASSERT_TRUE(run_until([&] {
    own->progress();
    return to->state() == ContextState::kIdle;
  }));
  EXPECT_EQ(back, 1);
}

}  // namespace
}  // namespace comch::test
