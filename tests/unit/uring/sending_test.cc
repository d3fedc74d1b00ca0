// Sending: a send is answered the same whichever way it takes: alone, with its neighbours, kept
// because there is no room, or begun by what it is linked to.
#include "uring/sending.h"

#include <fmt/format.h>

#include <random>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

enum class Way : std::uint8_t {
  kTogether,  // Neighbours of one submit(), straight from where they were prepared.
  kAlone,     // A submit() for each.
  kLinked,    // Each behind something that ends at once, so that each has a place of its own.
};

// What an application has seen, in order.
using Story = std::vector<std::string>;

bool tells(const Story& story, std::string_view what) {
  return std::ranges::any_of(story, [&](const auto& line) { return line.contains(what); });
}

class Program : RingPair {
 public:
  Program(std::uint64_t seed, DataWay data_way, Way way)
      : RingPair(Place::kOwnRing, {.entries = 64, .completions = 512}, data_way), random_(seed) {
    if (data_way == DataWay::kView) {
      next(kLook).prep_view_multishot(*from, kDepth);
    } else {
      post(1);
    }
    // The first message makes a lane, of which the other side is told by and by.
    send("first", 0, kSkipSuccess);
    wait(1);
    const bool posts = data_way != DataWay::kView;
    // Whether there is a send must not be a matter of time: it depends on what was drawn before.
    std::uint64_t buffers = 0;
    for (int step = 0; step < 400; ++step) {
      if (below(3) == 0 && posts) {
        const std::size_t more = 1 + below(4);
        buffers += more;
        post(std::min<std::size_t>(more, kDepth - consumer->posted()));
      } else if (!posts || number_ - kSends < buffers + kMostWaiting) {
        await_space();
        send_some(way);
      }
      see();
    }
    see_the_end(posts);
  }
  // When a message is seen, and what of the sends is seen beside it, is a matter of time.
  const Story& sent() const { return sent_; }
  const Story& arrived() const { return arrived_; }

 private:
  void TestBody() override {}  // A RingPair is a test.

  static constexpr std::uint64_t kLook = 1;
  static constexpr std::uint64_t kSends = 10'000;  // Above it are sends.
  static constexpr std::uint64_t kMostWaiting = 100;

  std::uint64_t below(std::uint64_t most) { return random_() % most; }

  void send_some(Way way) {
    for (std::uint64_t n = 1 + below(12); n > 0; --n) {
      constexpr std::array<std::size_t, 8> kSizes{0, 1, 8, 64, 112, 113, 256, 257};
      constexpr std::array<std::size_t, 5> kImmediates{0, 0, 0, 16, 300};
      const std::size_t size = kSizes[below(kSizes.size())];
      const std::size_t immediate = kImmediates[below(kImmediates.size())];
      const std::uint8_t flags = below(5) == 0 ? kSkipSuccess : std::uint8_t{0};
      const std::size_t at = below(64);
      if (way == Way::kLinked) next(0, kHardLink | kSkipSuccess).prep_nop();
      next(++number_, flags)
          .prep_send_imm(*to, std::span(text_).subspan(at, size),
                         std::span(text_).subspan(at, immediate));
      if (way == Way::kAlone) ring->submit().value();
    }
    ring->submit().value();
  }
  void await_space() {
    const Deadline deadline;
    while (ring->space() != 64) {
      ASSERT_FALSE(deadline.passed());
      see();
    }
  }
  void see() {
    seen.clear();
    reap();
    for (const Seen& one : seen) {
      if (one.user_data > kSends) {
        sent_.push_back(fmt::format("{}: {} {}", one.user_data, one.res, one.flags));
      } else {
        arrived_.push_back(fmt::format("{} {} {}", one.res, one.text, one.immediate));
      }
    }
  }
  // All that was sent before is seen when this is.
  void see_the_end(bool posts) {
    send("the end", ++number_);
    ring->submit().value();
    const Deadline deadline;
    while (!tells(sent_, fmt::format("{}: 7 ", number_)) || !tells(arrived_, "7 the end")) {
      ASSERT_FALSE(deadline.passed());
      if (posts) post(kDepth - consumer->posted());
      see();
    }
  }
  static std::vector<std::byte> make_text() {
    std::vector<std::byte> text(512);
    for (std::size_t n = 0; n < text.size(); ++n) text[n] = std::byte('a' + n % 26);
    return text;
  }

  const std::vector<std::byte> text_ = make_text();
  std::mt19937_64 random_;
  std::uint64_t number_ = kSends;
  Story sent_;
  Story arrived_;
};

// Where they part, which is nowhere. (A story is too long to be printed.)
std::string first_difference(const Story& one, const Story& other) {
  const auto [in_one, in_other] = std::ranges::mismatch(one, other);
  const bool same = in_one == one.end() && in_other == other.end();
  if (same) return "";
  return fmt::format("{} // {}", in_one == one.end() ? "the end" : *in_one,
                     in_other == other.end() ? "the end" : *in_other);
}

struct SendingTest : testing::TestWithParam<DataWay> {};

TEST_P(SendingTest, EveryWayOfASendHasTheSameCompletionsAndTheSameMessages) {
  const std::uint64_t seed = comch::test::seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Program together(seed, GetParam(), Way::kTogether);
  for (const Way way : {Way::kAlone, Way::kLinked}) {
    const Program other(seed, GetParam(), way);
    EXPECT_EQ(first_difference(other.sent(), together.sent()), "") << int(way);
    EXPECT_EQ(first_difference(other.arrived(), together.arrived()), "") << int(way);
  }
  EXPECT_TRUE(tells(together.sent(), fmt::format(": {} ", -EINVAL))) << "nothing was refused";
  EXPECT_TRUE(tells(together.arrived(), "abcdefghijklmnop")) << "nothing has arrived";
}

INSTANTIATE_TEST_SUITE_P(By, SendingTest, testing::Values(DataWay::kMapped, DataWay::kView),
                         [](const auto& way) { return std::string(name(way.param)); });

struct LongSendingTest : RingPair {
  LongSendingTest() : RingPair(Place::kOwnRing, {}, DataWay::kStaged) {}

  void begin() {
    next(kPosted).prep_post_recv(*from, there.room(0, text.size()));
    send(text, 1);
    ring->submit().value();
    ASSERT_TRUE(producer->busy(consumer->id()));
  }

  const std::string text = std::string(400'000, 'x');
};

TEST_F(LongSendingTest, OneThatArrivesWhileItsProducerStopsIsComplete) {
  begin();
  std::ignore = producer->stop();
  wait(2);
  EXPECT_EQ(res(1), 400'000);
  EXPECT_EQ(res(kPosted), 400'000);
}

TEST_F(LongSendingTest, OneWhoseProducerIsAbortedIsNot) {
  begin();
  std::ignore = producer->abort();
  wait(1);
  EXPECT_EQ(res(1), -ESHUTDOWN);
}

}  // namespace
}  // namespace comch::uring::test
