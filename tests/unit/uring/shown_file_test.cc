// Files that are registered to be shown: which of them both sides read, and what becomes of one
// that both cannot have all of.
#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
// More than this side reads in one call.
constexpr std::size_t kLong = 20 * kMiB;
constexpr std::size_t kShared = std::size_t{1} << 18U;

struct UringShownFileTest : TransferPair {
  ~UringShownFileTest() override {
    if (large) {
      std::ignore = large->abort();
      EXPECT_TRUE(run_until([&] {
        reap();
        return large->state() == ContextState::kIdle;
      }));
      EXPECT_TRUE(ring->unregister(*to_large));
      EXPECT_TRUE(ring->unregister(*from_large));
      EXPECT_TRUE(Consumer::destroy(large));
    }
  }

  // A consumer of long messages, with one buffer posted.
  void post_long() {
    large = Consumer::create(server.connection(), much.map()).value();
    ring->prepare(*large, 4).value();
    start_beside(*large);
    from_large = ring->register_source(*large).value();
    to_large = ring->register_destination(*producer, large->id()).value();
    next(kPosted).prep_post_recv(*from_large, much.room(0, kLong));
    ring->submit().value();
  }
  std::uint64_t read_by_both() const { return producer->counters().cooperative_messages; }

  Memory much{kLong};
  std::unique_ptr<Consumer> large;
  Source* from_large = nullptr;
  Destination* to_large = nullptr;
};

TEST_P(UringShownFileTest, OneOfAQuarterOfAMebibyteAndMoreIsReadByBothSides) {
  const std::string text = pattern(kShared + 5);
  const File source = file(text);
  const int number = ring->register_file(source, FileUse::kShown).value();
  for (std::uint64_t n = 0; n < 3; ++n) {
    next(kPosted).prep_post_recv(*from, there.room(0, kShared + 64));
    next(1, kFixedFile).prep_send_file(*to, number, kShared + n, 5 - n, bytes("beside"));
    wait(2);
    EXPECT_EQ(res(1), static_cast<std::int64_t>(kShared + n));
    ASSERT_NE(find(kPosted), nullptr);
    EXPECT_TRUE(find(kPosted)->text == text.substr(5 - n, kShared + n));
    EXPECT_EQ(find(kPosted)->immediate, "beside");
    EXPECT_EQ(read_by_both(), n + 1);
  }
  ASSERT_TRUE(ring->unregister_file(number));
}

TEST_P(UringShownFileTest, WhatIsShorterOrNotShownOrReadFromItsPositionThisSideReadsAlone) {
  const std::string text = pattern(kShared);
  const File source = file(text);
  const int shown = ring->register_file(source, FileUse::kShown).value();
  const int own = ring->register_file(source).value();
  const auto expect_arrives = [&](int number, std::size_t size, std::uint64_t offset) {
    next(kPosted).prep_post_recv(*from, there.room(0, kShared));
    next(1, kFixedFile).prep_send_file(*to, number, size, offset);
    wait(2);
    EXPECT_EQ(res(1), static_cast<std::int64_t>(size));
    ASSERT_NE(find(kPosted), nullptr);
    EXPECT_TRUE(find(kPosted)->text == text.substr(0, size));
  };
  expect_arrives(shown, kShared - 1, 0);
  expect_arrives(own, kShared, 0);
  expect_arrives(shown, kShared, kPosition);
  EXPECT_EQ(read_by_both(), 0U);
}

TEST_P(UringShownFileTest, OneThatEndsEarlierIsSentAsFarAsItGoes) {
  const std::string text = pattern(kShared);
  const File source = file(text);
  const int number = ring->register_file(source, FileUse::kShown).value();
  next(kPosted).prep_post_recv(*from, there.room(0, 2 * kShared));
  next(1, kFixedFile).prep_send_file(*to, number, 2 * kShared, 1);
  wait(2);
  EXPECT_EQ(res(1), static_cast<std::int64_t>(kShared - 1));
  ASSERT_NE(find(kPosted), nullptr);
  EXPECT_TRUE(find(kPosted)->text == text.substr(1));
}

TEST_P(UringShownFileTest, WhatBothCannotHaveAllOfThisSideReadsAlone) {
  const std::string text = pattern(kLong);
  const File source = file(text);
  const int number = ring->register_file(source, FileUse::kShown).value();
  post_long();
  next(1, kFixedFile).prep_send_file(*to_large, number, kLong, 0);
  next(2).prep_nop();
  ring->submit().value();
  ASSERT_EQ(::ftruncate(source, 9 * kMiB), 0);
  wait(3);
  EXPECT_EQ(res(1), static_cast<std::int64_t>(9 * kMiB));
  ASSERT_NE(find(kPosted), nullptr);
  EXPECT_TRUE(find(kPosted)->text == text.substr(0, 9 * kMiB));
  EXPECT_EQ(read_by_both(), 0U);
}

TEST_P(UringShownFileTest, WhileItIsReadItStaysRegisteredAndIsNotCancelled) {
  const std::string text = pattern(kLong);
  const File source = file(text);
  const int number = ring->register_file(source, FileUse::kShown).value();
  post_long();
  next(1, kFixedFile).prep_send_file(*to_large, number, kLong, 0);
  ring->submit().value();
  EXPECT_EQ(ring->unregister_file(number).error().code, Errc::in_use);
  next(2).prep_cancel(1);
  wait(3);
  EXPECT_EQ(res(2), -EALREADY);
  EXPECT_EQ(res(1), static_cast<std::int64_t>(kLong));
  ASSERT_NE(find(kPosted), nullptr);
  EXPECT_TRUE(find(kPosted)->text == text);
  EXPECT_EQ(read_by_both(), 1U);
  EXPECT_TRUE(ring->unregister_file(number));
}

TEST_P(UringShownFileTest, WhatIsNoFileToBeReadIsNotRegisteredToBeShown) {
  const Pipe pipe;
  const auto refused = ring->register_file(*pipe.from, FileUse::kShown);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_value);
}

INSTANTIATE_TEST_SUITE_P(All, UringShownFileTest, kWays, name_of_way);

}  // namespace
}  // namespace comch::uring::test
