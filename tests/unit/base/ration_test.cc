// Ration: how many lines the log takes, by a clock of the test's own.
#include "base/ration.h"

#include <gtest/gtest.h>

namespace comch {
namespace {

constexpr std::uint64_t kSecond_ns = 1'000'000'000;
constexpr std::uint64_t kStart_ns = 1'000 * kSecond_ns;

// How many of `asked` lines are taken at `now_ns`.
template <class Asks>
std::uint32_t granted(std::uint32_t asked, Asks&& ask) {
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; i < asked; ++i) taken += ask() ? 1 : 0;
  return taken;
}

TEST(Ration, TheFirstLineIsTakenAsItIs) {
  Ration ration;
  const Ration::Leave leave = ration.ask(0);
  EXPECT_TRUE(leave);
  EXPECT_EQ(leave.remark(), "");
}

TEST(Ration, TheLastOfAWindowSaysThatMoreAreCounted) {
  Ration ration;
  EXPECT_EQ(granted(Ration::kLines - 1, [&] { return ration.ask(kStart_ns); }), Ration::kLines - 1);
  const Ration::Leave last = ration.ask(kStart_ns + kSecond_ns);
  EXPECT_TRUE(last);
  EXPECT_EQ(last.remark(), " (more like it within 60 s are only counted)");
  EXPECT_FALSE(ration.ask(kStart_ns + kSecond_ns));
}

TEST(Ration, TheFirstBehindAWindowTellsHowManyWereWithheld) {
  Ration ration;
  EXPECT_EQ(granted(Ration::kLines + 250, [&] { return ration.ask(kStart_ns); }), Ration::kLines);
  EXPECT_FALSE(ration.ask(kStart_ns + Ration::kWindow_ns - 1));
  const Ration::Leave next = ration.ask(kStart_ns + 75 * kSecond_ns);
  EXPECT_TRUE(next);
  EXPECT_EQ(next.remark(), " (and 251 more like it in the last 75 s)");
  EXPECT_EQ(ration.ask(kStart_ns + 75 * kSecond_ns).remark(), "") << "it is told once";
}

TEST(Ration, FewLinesAreNeverRemarkedUpon) {
  Ration ration;
  std::uint64_t now_ns = kStart_ns;
  for (int n = 0; n < 1000; ++n) {
    now_ns += Ration::kWindow_ns / (Ration::kLines - 1) + 1;
    const Ration::Leave leave = ration.ask(now_ns);
    ASSERT_TRUE(leave);
    ASSERT_EQ(leave.remark(), "");
  }
}

TEST(Ration, AFloodOfAnHourIsTenLinesAMinute) {
  Ration ration;
  std::uint32_t taken = 0;
  for (std::uint64_t ms = 0; ms < 3'600'000; ms += 10) {
    taken += ration.ask(kStart_ns + ms * 1'000'000) ? 1 : 0;
  }
  EXPECT_EQ(taken, 60 * Ration::kLines);
}

TEST(Rations, AFloodOfOneKindHidesNoOther) {
  Rations rations;
  EXPECT_EQ(granted(1000, [&] { return rations.ask(1, kStart_ns); }), Ration::kLines);
  EXPECT_TRUE(rations.ask(2, kStart_ns));
}

TEST(Rations, KindsBeyondThoseRememberedShareOneRation) {
  Rations rations;
  std::uint64_t kind = 0;
  const auto next_kind = [&] { return rations.ask(++kind, kStart_ns); };
  EXPECT_EQ(granted(Rations::kKinds, next_kind), Rations::kKinds);
  EXPECT_EQ(granted(100'000, next_kind), Ration::kLines);
  EXPECT_TRUE(rations.ask(1, kStart_ns)) << "who came first has a ration still";
}

TEST(Rations, AKindWhoseWindowIsOverMakesRoom) {
  Rations rations;
  for (std::uint64_t kind = 1; kind <= Rations::kKinds; ++kind) {
    EXPECT_TRUE(rations.ask(kind, kStart_ns + kind));
  }
  const std::uint64_t later_ns = kStart_ns + Ration::kWindow_ns + Rations::kKinds;
  EXPECT_EQ(granted(1000, [&] { return rations.ask(99, later_ns); }), Ration::kLines);
  EXPECT_EQ(granted(1000, [&] { return rations.ask(1, later_ns); }), Ration::kLines);
}

TEST(Rations, TheKindOfNumberZeroIsAKind) {
  Rations rations;
  EXPECT_EQ(granted(1000, [&] { return rations.ask(0, kStart_ns); }), Ration::kLines);
}

}  // namespace
}  // namespace comch
