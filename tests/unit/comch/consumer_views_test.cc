// Consumer of the way kView: messages that are looked at where they lie.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct ConsumerViewsTest : FastPair {
  Consumer& viewer(std::uint32_t depth = 8, std::uint32_t immediate = 32) {
    return consumer(there, {.depth = depth, .immediate = immediate, .way = DataWay::kView});
  }

  static Status send(Producer& from, Consumer& to, std::string_view data,
                     std::string_view immediate = {}) {
    const Outgoing message{.data = bytes(data), .immediate = bytes(immediate)};
    const Result<std::size_t> sent = from.send(to.id(), {&message, 1});
    return sent ? Status() : std::unexpected(sent.error());
  }

  // Waits for `count` views, which stay.
  std::vector<View> see(Consumer& to, std::size_t count) {
    std::vector<View> views(count);
    std::size_t seen = 0;
    EXPECT_TRUE(run_until([&] {
      seen += to.poll_views(std::span(views).subspan(seen));
      return seen == count;
    }));
    return views;
  }
  static std::vector<std::string> texts_of(std::span<const View> views) {
    std::vector<std::string> all;
    for (const View& view : views)
      all.push_back(text_of(view.data) + "|" + text_of(view.immediate));
    return all;
  }
};

using Texts = std::vector<std::string>;

TEST_F(ConsumerViewsTest, MessagesAreSeenInOrderWithoutABufferPosted) {
  Consumer& to = viewer();
  Producer& from = producer();
  const std::string longest = pattern(112);
  ASSERT_TRUE(send(from, to, "first"));
  ASSERT_TRUE(send(from, to, "second", "and more"));
  ASSERT_TRUE(send(from, to, "", "no data"));
  ASSERT_TRUE(send(from, to, longest));
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "by a task")));
  const std::vector<View> views = see(to, 5);
  EXPECT_EQ(texts_of(views),
            (Texts{"first|", "second|and more", "|no data", longest + "|", "by a task|"}));
  EXPECT_EQ(views[1].producer, from.id());
  EXPECT_EQ(to.posted(), 0U);
  EXPECT_EQ(to.counters().received_messages, 5U);
  EXPECT_EQ(to.counters().received_bytes, 5U + 6U + 112U + 9U);
  EXPECT_TRUE(to.release_views(5));
}

TEST_F(ConsumerViewsTest, AViewStaysAsItIsUntilItIsReleased) {
  Consumer& to = viewer(4);
  Producer& from = producer();
  for (const char* text : {"a", "b", "c", "d"}) ASSERT_TRUE(send(from, to, text));
  EXPECT_EQ(send(from, to, "e").error().code, Errc::again);
  EXPECT_FALSE(from.has_space(to.id()));
  const std::vector<View> views = see(to, 4);
  EXPECT_EQ(send(from, to, "e").error().code, Errc::again) << "seen, and not released";
  ASSERT_TRUE(to.release_views(1));
  ASSERT_TRUE(send(from, to, "e"));
  EXPECT_EQ(send(from, to, "f").error().code, Errc::again);
  EXPECT_EQ(texts_of(std::span(views).subspan(1)), (Texts{"b|", "c|", "d|"}));
  EXPECT_EQ(texts_of(see(to, 1)), (Texts{"e|"}));
  EXPECT_TRUE(to.release_views(4));
}

TEST_F(ConsumerViewsTest, WhoWaitsForRoomIsToldWhenViewsAreReleased) {
  Consumer& to = viewer(2);
  Producer& from = producer();
  ASSERT_TRUE(send(from, to, "a"));
  ASSERT_TRUE(send(from, to, "b"));
  ASSERT_TRUE(from.request_space(to.id()));
  std::ignore = see(to, 2);
  settle(*engine);
  EXPECT_EQ(spaces, 0);
  ASSERT_TRUE(to.release_views(2));
  EXPECT_TRUE(run_until([&] { return spaces == 1; }));
}

TEST_F(ConsumerViewsTest, ManyMoreMessagesThanSlotsArriveInOrder) {
  Consumer& to = viewer(16);
  Producer& from = producer();
  const std::string text = pattern(1000);
  std::vector<Outgoing> batch;
  std::array<View, 5> views;
  std::size_t given = 0;
  std::size_t seen = 0;
  ASSERT_TRUE(run_until([&] {
    batch.clear();
    for (std::size_t n = given; n < std::min<std::size_t>(given + 9, 900); ++n) {
      batch.push_back({.data = bytes(text).subspan(n, 1 + n % 100), .immediate = {}});
    }
    if (!batch.empty()) given += from.send(to.id(), batch).value_or(0);
    const std::size_t count = to.poll_views(views);
    for (std::size_t n = 0; n < count; ++n, ++seen) {
      EXPECT_EQ(text_of(views[n].data), text.substr(seen, 1 + seen % 100));
    }
    EXPECT_TRUE(to.release_views(count));
    return seen == 900;
  }));
}

TEST_F(ConsumerViewsTest, ProducersTakeTurnsAndAreReleasedInTheOrderSeen) {
  Consumer& to = viewer(2);
  Producer& one = producer();
  Producer& two = producer();
  ASSERT_TRUE(send(one, to, "one"));
  ASSERT_TRUE(send(one, to, "one more"));
  ASSERT_TRUE(send(two, to, "two"));
  const std::vector<View> views = see(to, 3);
  const bool one_first = views[0].producer == one.id();
  EXPECT_EQ(texts_of(views), one_first ? (Texts{"one|", "one more|", "two|"})
                                       : (Texts{"two|", "one|", "one more|"}));
  ASSERT_TRUE(to.release_views(one_first ? 2 : 3));
  EXPECT_TRUE(one.has_space(to.id()));
  EXPECT_EQ(to.release_views(one_first ? 2 : 1).error().code, Errc::invalid_value);
  ASSERT_TRUE(to.release_views(one_first ? 1 : 0));
}

TEST_F(ConsumerViewsTest, WhatDoesNotFitASlotIsRefused) {
  Consumer& to = viewer();
  Producer& from = producer();
  EXPECT_EQ(send(from, to, pattern(113)).error().code, Errc::invalid_value);
  EXPECT_EQ(send(from, to, pattern(100), pattern(13)).error().code, Errc::invalid_value);
  EXPECT_EQ(send(from, to, pattern(1U << 16U)).error().code, Errc::invalid_value);
  EXPECT_EQ(send(from, to, "", pattern(33)).error().code, Errc::invalid_value);
  EXPECT_TRUE(send(from, to, pattern(96), pattern(16)));
  EXPECT_EQ(from.reserve(to.id()).error().code, Errc::not_supported);
  Buffer* buffer = here.data(0, "in place");
  EXPECT_EQ(from.hand_over(to.id(), *buffer).error().code, Errc::not_supported);
  std::ignore = buffer->drop_reference();
  EXPECT_EQ(texts_of(see(to, 1)), (Texts{pattern(96) + "|" + pattern(16)}));
  EXPECT_TRUE(to.release_views(1));
}

TEST_F(ConsumerViewsTest, ImmediateDataCountsRoundedUpToAMultipleOf8) {
  Consumer& to = viewer();
  Producer& from = producer();
  for (std::size_t immediate = 0; immediate <= 32; ++immediate) {
    const std::size_t most = 112 - (immediate + 7) / 8 * 8;
    const Status longer = send(from, to, pattern(most + 1), pattern(immediate));
    ASSERT_FALSE(longer) << immediate;
    EXPECT_EQ(longer.error().code, Errc::invalid_value);
    EXPECT_NE(std::string_view(longer.error().what).find("views"), std::string_view::npos);
    ASSERT_TRUE(send(from, to, pattern(most), pattern(immediate))) << immediate;
    EXPECT_EQ(texts_of(see(to, 1)), (Texts{pattern(most) + "|" + pattern(immediate)}));
    ASSERT_TRUE(to.release_views(1));
  }
}

TEST_F(ConsumerViewsTest, NothingIsPosted) {
  Consumer& to = viewer();
  Buffer* room = there.room(0, 64);
  EXPECT_EQ(to.allocate_receive(room).error().code, Errc::not_supported);
  EXPECT_EQ(to.post({&room, 1}).error().code, Errc::not_supported);
  std::ignore = room->drop_reference();
  std::array<Received, 1> out;
  EXPECT_EQ(to.poll(out), 0U);
  EXPECT_EQ(to.way(), DataWay::kView);
  EXPECT_EQ(name(to.way()), "view");
}

TEST_F(ConsumerViewsTest, OtherWaysHaveNoViews) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  ASSERT_TRUE(send(from, to, "into a buffer"));
  std::array<View, 1> views;
  EXPECT_EQ(to.poll_views(views), 0U);
  EXPECT_EQ(to.release_views(1).error().code, Errc::invalid_value);
}

TEST_F(ConsumerViewsTest, WhatHasArrivedIsSeenAfterStop) {
  Consumer& to = viewer();
  Producer& from = producer();
  ASSERT_TRUE(send(from, to, "before stop"));
  EXPECT_EQ(to.stop().value(), ContextState::kStopping);
  const std::vector<View> views = see(to, 1);
  EXPECT_EQ(texts_of(views), (Texts{"before stop|"}));
  std::array<View, 1> none;
  EXPECT_EQ(to.poll_views(none), 0U);
  settle(*engine);
  EXPECT_EQ(to.state(), ContextState::kStopping) << "a view is kept";
  ASSERT_TRUE(to.release_views(1));
  EXPECT_TRUE(run_until_idle(to));
}

TEST_F(ConsumerViewsTest, StopsAtOnceWithNothingToSee) {
  Consumer& to = viewer();
  EXPECT_EQ(to.stop().value(), ContextState::kIdle);
}

TEST_F(ConsumerViewsTest, ViewsOutliveTheirProducer) {
  Consumer& to = viewer();
  Producer& from = producer();
  ASSERT_TRUE(send(from, to, "last words"));
  ASSERT_TRUE(send(from, to, "not seen yet"));
  const std::vector<View> views = see(to, 1);
  ASSERT_TRUE(client->abort());
  ASSERT_TRUE(run_until([&] { return to.state() == ContextState::kStopping; }));
  EXPECT_EQ(texts_of(views), (Texts{"last words|"}));
  EXPECT_EQ(texts_of(see(to, 1)), (Texts{"not seen yet|"}));
  std::array<View, 1> none;
  EXPECT_EQ(to.poll_views(none), 0U);
  ASSERT_TRUE(to.release_views(2));
  EXPECT_TRUE(run_until_idle(to));
}

}  // namespace
}  // namespace comch::test
