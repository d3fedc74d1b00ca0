// Producer::reserve() and commit() of many loans at a time.
#include <array>
#include <string>
#include <vector>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct ManyLoansTest : FastPair {
  static constexpr std::size_t kRoom = 64;

  // Of those that are posted, `most` at most.
  std::vector<Loan> lend(Producer& from, const Consumer& to, std::size_t most) {
    std::vector<Loan> loans(most);
    loans.resize(from.reserve(to.id(), loans).value_or(0));
    return loans;
  }
  static FilledLoan fill(const Loan& loan, std::string_view text, std::string_view immediate = {}) {
    std::ranges::copy(bytes(text), loan.room.begin());
    return {.loan = loan, .length = text.size(), .immediate = bytes(immediate)};
  }
  static std::vector<FilledLoan> fill_all(const std::vector<Loan>& loans) {
    std::vector<FilledLoan> filled;
    for (std::size_t n = 0; n < loans.size(); ++n) {
      filled.push_back(fill(loans[n], std::to_string(n)));
    }
    return filled;
  }
  bool arrive(const std::vector<std::string>& expected) {
    return run_until([&] { return texts.size() >= expected.size(); }) && texts == expected;
  }
};

TEST_F(ManyLoansTest, AreAsManyAsArePostedAndArriveInTheOrderOfTheirCommit) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  EXPECT_EQ(from.reserve(to.id(), std::span<Loan>()).value(), 0U);
  EXPECT_EQ(from.commit(std::span<const FilledLoan>()).value(), 0U);
  std::array<Loan, 8> loans;
  EXPECT_EQ(code(from.reserve(to.id(), loans)), Errc::again);
  post_rooms(to, there, 5, kRoom);
  ASSERT_EQ(from.reserve(to.id(), loans).value(), 5U);
  for (std::size_t n = 0; n < 5; ++n) {
    EXPECT_EQ(loans[n].room.data(), loans[0].room.data() + n * kRoom);
    EXPECT_EQ(loans[n].room.size(), kRoom);
    EXPECT_EQ(loans[n].consumer, to.id());
  }
  EXPECT_EQ(code(from.reserve(to.id(), loans)), Errc::again);
  const std::array filled{fill(loans[3], "d"), fill(loans[0], "a", "beside"), fill(loans[4], "e"),
                          FilledLoan{.loan = loans[1]}, fill(loans[2], "c")};
  EXPECT_EQ(from.commit(filled).value(), 5U);
  ASSERT_TRUE(arrive({"d", "a", "e", "", "c"}));
  EXPECT_EQ(immediates[1], "beside");
  EXPECT_EQ(from.counters().loaned_messages, 5U);
  EXPECT_EQ(from.counters().sent_bytes, 4U);
  EXPECT_EQ(code(from.commit(filled)), Errc::invalid_value) << "they have ended";
}

TEST_F(ManyLoansTest, AreNoMoreThanMayBeLent) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  post_rooms(to, there, 64, kRoom);
  EXPECT_EQ(lend(from, to, 5).size(), 5U);
  const std::vector<Loan> loans = lend(from, to, 64);
  ASSERT_EQ(loans.size(), Producer::kMaxLoans - 5);
  std::array<Loan, 4> more;
  EXPECT_EQ(code(from.reserve(to.id(), more)), Errc::full);
  EXPECT_EQ(code(from.reserve(to.id())), Errc::full);
  ASSERT_TRUE(from.abandon(loans[1]));
  EXPECT_EQ(from.reserve(to.id(), more).value(), 1U);
  EXPECT_EQ(more[0].room.data(), loans[1].room.data()) << "the next to be used";
}

TEST_F(ManyLoansTest, EndAheadOfABufferWithoutRoomWhichStaysPosted) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, kRoom);
  post(to, nullptr);
  post(to, there.room(3 * kRoom, kRoom));
  const std::vector<Loan> loans = lend(from, to, 8);
  ASSERT_EQ(loans.size(), 2U);
  std::array<Loan, 8> more;
  EXPECT_EQ(code(from.reserve(to.id(), more)), Errc::invalid_value);
  ASSERT_TRUE(submit(from, to.id(), nullptr, "for what has no room"));
  ASSERT_EQ(from.reserve(to.id(), more).value(), 1U);
  EXPECT_EQ(more[0].room.data(), loans[0].room.data() + 3 * kRoom);
  EXPECT_EQ(from.commit(fill_all(loans)).value(), 2U);
  ASSERT_TRUE(arrive({"", "0", "1"}));
}

TEST_F(ManyLoansTest, AreSentUpToOneThatCannotBe) {
  Consumer& to = consumer(there, {.immediate = 4});
  Consumer& other = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 6, kRoom);
  post(other, there.room(8 * kRoom, kRoom));
  const std::vector<Loan> loans = lend(from, to, 6);
  ASSERT_EQ(loans.size(), 6U);
  std::vector<FilledLoan> filled = fill_all(loans);
  filled[1].length = kRoom + 1;
  filled[2].immediate = bytes("too long");
  filled[4] = filled[3];
  filled[5].loan = lend(from, other, 1).at(0);

  const std::span<const FilledLoan> all(filled);
  EXPECT_EQ(from.commit(all).value(), 1U);
  EXPECT_EQ(code(from.commit(all.subspan(1))), Errc::invalid_value) << "longer than its room";
  EXPECT_EQ(code(from.commit(all.subspan(2))), Errc::invalid_value) << "its immediate data";
  EXPECT_EQ(from.commit(all.subspan(3)).value(), 1U) << "the second has ended with the first";
  EXPECT_EQ(code(from.commit(all.subspan(4))), Errc::invalid_value);
  ASSERT_TRUE(arrive({"0", "3"}));
  filled[1].length = 1;
  filled[2].immediate = bytes("four");
  filled[4].loan = loans[4];
  EXPECT_EQ(from.commit(std::array{filled[1], filled[2], filled[5], filled[4]}).value(), 2U)
      << "the one behind is another consumer's";
  EXPECT_EQ(from.commit(std::array{filled[5], filled[4]}).value(), 1U);
  EXPECT_EQ(from.commit(std::array{filled[4]}).value(), 1U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 6; }));
}

TEST_F(ManyLoansTest, OfAConsumerThatIsNotThereOrNotMappedThereAreNone) {
  Consumer& staged = consumer(there, {.way = DataWay::kStaged});
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(staged, there, 1, kRoom);
  post_rooms(to, there, 1, kRoom);
  std::array<Loan, 2> loans;
  EXPECT_EQ(code(from.reserve(staged.id(), loans)), Errc::not_supported);
  for (const std::uint32_t id : {0U, 1U, 0xffffU, 4711U}) {
    EXPECT_EQ(code(from.reserve(ConsumerId{id}, loans)), Errc::invalid_value);
  }
  ASSERT_EQ(from.reserve(to.id(), loans).value(), 1U);
  const std::array filled{fill(loans[0], "lost")};
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
  EXPECT_EQ(code(from.commit(filled)), Errc::invalid_value);
  EXPECT_EQ(code(from.reserve(to.id(), loans)), Errc::invalid_value);
  EXPECT_TRUE(from.abandon(loans[0]));
}

TEST_F(ManyLoansTest, ComeBehindALongMessageThatIsUnderWay) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  const std::string text = pattern(256U << 10U);
  post(to, there.room(8 * kRoom, text.size()));
  post_rooms(to, there, 3, kRoom);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, text)));
  ASSERT_TRUE(sent.empty()) << "the consumer is to copy a part of it";
  const std::vector<Loan> loans = lend(from, to, 8);
  ASSERT_EQ(loans.size(), 3U);
  EXPECT_EQ(from.commit(fill_all(loans)).value(), 3U);
  ASSERT_TRUE(arrive({text, "0", "1", "2"}));
  ASSERT_TRUE(run_until([&] { return sent.size() == 1; })) << "loans are no tasks";
}

TEST_F(ManyLoansTest, OutlastAShortLaneThatIsFull) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer(2);
  post_rooms(to, there, 5, kRoom);
  const std::vector<Loan> loans = lend(from, to, 5);
  ASSERT_EQ(loans.size(), 5U);
  const std::vector<FilledLoan> filled = fill_all(loans);
  EXPECT_EQ(from.commit(filled).value(), 2U);
  EXPECT_EQ(code(from.commit(std::span(filled).subspan(2))), Errc::again);
  ASSERT_TRUE(arrive({"0", "1"}));
  EXPECT_EQ(from.commit(std::span(filled).subspan(2)).value(), 2U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 4; }));
  EXPECT_EQ(from.commit(std::span(filled).last(1)).value(), 1U);
  ASSERT_TRUE(arrive({"0", "1", "2", "3", "4"}));
}

TEST_F(ManyLoansTest, LeaveOtherProducersTheirShare) {
  Consumer& to = consumer(there, {.depth = 16});
  Producer& from = producer();
  Producer& other = producer();
  post_rooms(to, there, 16, kRoom);
  std::vector<Loan> all = lend(from, to, 1);
  const std::vector<Loan> first = lend(other, to, 32);
  EXPECT_GE(first.size(), 1U);
  EXPECT_LT(first.size(), 15U);
  std::size_t found = all.size() + first.size();
  std::vector<FilledLoan> filled = fill_all(all);
  EXPECT_EQ(from.commit(filled).value(), 1U);
  while (found < 16) {
    const std::vector<Loan> more = lend(from, to, 32);
    ASSERT_FALSE(more.empty()) << found;
    EXPECT_EQ(from.commit(fill_all(more)).value(), more.size());
    found += more.size();
  }
  EXPECT_EQ(other.commit(fill_all(first)).value(), first.size());
  ASSERT_TRUE(run_until([&] { return texts.size() == 16; }));
}

}  // namespace
}  // namespace comch::test
