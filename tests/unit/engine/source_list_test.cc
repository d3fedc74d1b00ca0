// SourceList: who is polled, who sleeps, and sources that come and go while others are polled.
#include "engine/source_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace comch::engine {
namespace {

struct FakeSource final : Source {
  bool poll() override {
    ++polls;
    then();
    return std::exchange(busy, false);
  }
  bool arm() override {
    ++arms;
    return false;
  }
  std::optional<WakeWord> ask_for_word() override {
    if (!has_word) return std::nullopt;
    return WakeWord{.word = &word, .value = word};
  }
  bool ready() override { return is_ready; }
  void disarm() override { ++disarms; }
  void relax() override { ++relaxes; }
  bool is_read() const override { return is_for_application; }
  bool arms_always() const override { return has_more_to_arm; }

  int polls = 0, arms = 0, disarms = 0, relaxes = 0;
  bool busy = false;
  bool is_ready = false;
  bool is_for_application = false;
  bool has_more_to_arm = false;
  bool has_word = false;
  std::uint32_t word = 0;
  std::function<void()> then = [] {};
};

struct SourceListTest : testing::Test {
  void make_all_hot() {
    for (FakeSource& source : sources) list.make_hot(source);
  }
  std::size_t asleep() const {
    return static_cast<std::size_t>(
        std::count_if(sources.begin(), sources.end(), [](const FakeSource& source) {
          return SourceList::attention(source) == Attention::kAsleep;
        }));
  }

  SourceList list;
  std::array<FakeSource, SourceList::kHotWhenQuiet + 6> sources;
};

TEST_F(SourceListTest, SaysWhetherAHotSourceHasSomethingToDo) {
  make_all_hot();
  EXPECT_FALSE(list.any_ready());
  sources[1].is_ready = true;
  EXPECT_TRUE(list.any_ready());
  list.remove(sources[1]);
  EXPECT_FALSE(list.any_ready());
}

TEST_F(SourceListTest, EveryHotSourceIsPolledOnce) {
  make_all_hot();
  make_all_hot();
  sources[3].busy = true;
  EXPECT_TRUE(list.poll());
  EXPECT_FALSE(list.poll());
  for (const FakeSource& source : sources) EXPECT_EQ(source.polls, 2);
}

TEST_F(SourceListTest, ASourceWithASignIsPolledWhenTheSignIsNotZero) {
  std::uint64_t word = 0;
  list.make_hot(sources[0]);
  EXPECT_FALSE(list.poll());
  sources[0].notes.sign = {.word = &word, .quiet = 0};
  EXPECT_FALSE(list.poll());
  EXPECT_EQ(sources[0].polls, 1);
  word = 1;
  sources[0].busy = true;
  EXPECT_TRUE(list.poll());
  EXPECT_EQ(sources[0].polls, 2);
  word = 0;
  EXPECT_FALSE(list.poll());
  EXPECT_EQ(sources[0].polls, 3) << "what a poll finds changes the sign: a new one is due";
}

TEST_F(SourceListTest, ASignSaysWhatItsWordIsWhileThereIsNothing) {
  std::uint64_t word = 7;
  list.make_hot(sources[0]);
  sources[0].notes.sign = {.word = &word, .quiet = 7};
  EXPECT_FALSE(list.poll());
  EXPECT_EQ(sources[0].polls, 0);
  word = 0;
  EXPECT_FALSE(list.poll());
  EXPECT_EQ(sources[0].polls, 1);
}

TEST_F(SourceListTest, MakingASourceHotForgetsItsSign) {
  const std::uint64_t word = 0;
  list.make_hot(sources[0]);
  sources[0].notes.sign = {.word = &word, .quiet = 0};
  list.make_hot(sources[0]);
  EXPECT_FALSE(list.poll());
  EXPECT_EQ(sources[0].polls, 1);
}

TEST_F(SourceListTest, QuietSourcesAreLeftOutOfMostCallsInWhichAnotherIsBusy) {
  list.make_hot(sources[0]);
  list.make_hot(sources[1]);
  sources[1].busy = true;
  list.poll();
  list.settle(false);  // Which forgets that they are new.
  sources[1].busy = true;
  list.poll();
  list.settle(false);
  const int polls = sources[0].polls;
  for (int n = 0; n < 4 * SourceList::kCallsWithoutQuiet; ++n) {
    sources[1].busy = true;
    EXPECT_TRUE(list.poll());
  }
  EXPECT_EQ(sources[0].polls - polls, 4);
}

TEST_F(SourceListTest, AnAnswerOfNothingMeansThatEverySourceWasPolled) {
  list.make_hot(sources[0]);
  list.make_hot(sources[1]);
  list.poll();
  list.settle(false);
  sources[1].busy = true;
  list.poll();
  list.settle(false);  // Only sources[1] was busy.
  for (int n = 0; n < 20; ++n) {
    const int polls = sources[0].polls;
    EXPECT_FALSE(list.poll());
    EXPECT_EQ(sources[0].polls, polls + 1);
  }
}

TEST_F(SourceListTest, AQuietSourceThatBecomesBusyIsPolledInEveryCall) {
  list.make_hot(sources[0]);
  list.make_hot(sources[1]);
  list.poll();
  list.settle(false);
  sources[1].busy = true;
  list.poll();
  list.settle(false);
  sources[0].busy = true;  // Nobody else is: it is polled at once.
  EXPECT_TRUE(list.poll());
  for (int n = 0; n < 20; ++n) {
    const int polls = sources[0].polls;
    sources[1].busy = true;
    EXPECT_TRUE(list.poll());
    EXPECT_EQ(sources[0].polls, polls + 1);
  }
}

TEST_F(SourceListTest, ARemovedSourceIsNotPolled) {
  make_all_hot();
  list.remove(sources[0]);
  list.remove(sources[0]);
  list.poll();
  EXPECT_EQ(sources[0].polls, 0);
  EXPECT_EQ(list.hot(), sources.size() - 1);
  EXPECT_EQ(SourceList::attention(sources[0]), Attention::kOff);
}

TEST_F(SourceListTest, ASourceMayRemoveItselfAndOthersWhileItIsPolled) {
  make_all_hot();
  sources[1].then = [&] {
    list.remove(sources[1]);
    list.remove(sources[0]);
    list.remove(sources[2]);
  };
  list.poll();
  EXPECT_EQ(sources[2].polls, 0);
  list.poll();
  EXPECT_EQ(sources[0].polls, 1);
  EXPECT_EQ(sources[1].polls, 1);
  EXPECT_EQ(sources[3].polls, 2);
}

TEST_F(SourceListTest, ASourceMadeHotWhilePollingWaitsForTheNextTurn) {
  list.make_hot(sources[0]);
  sources[0].then = [&] {
    list.remove(sources[0]);
    list.make_hot(sources[0]);
    list.make_hot(sources[1]);
  };
  list.poll();
  EXPECT_EQ(sources[0].polls, 1);
  EXPECT_EQ(sources[1].polls, 0);
  sources[0].then = [] {};
  list.poll();
  EXPECT_EQ(sources[0].polls, 2);
  EXPECT_EQ(sources[1].polls, 1);
}

TEST_F(SourceListTest, AFewQuietSourcesStayHotAndTheOthersFallAsleep) {
  make_all_hot();
  list.settle(false);
  EXPECT_EQ(asleep(), 0u) << "fresh sources count as active";
  list.settle(false);
  EXPECT_EQ(asleep(), sources.size() - SourceList::kHotWhenQuiet);
  for (const FakeSource& source : sources) {
    const bool sleeps = SourceList::attention(source) == Attention::kAsleep;
    EXPECT_EQ(source.arms, sleeps ? 1 : 0);
    EXPECT_EQ(source.disarms, 0);
  }
}

TEST_F(SourceListTest, ASourceThatDidSomethingDoesNotFallAsleep) {
  make_all_hot();
  list.settle(false);
  for (FakeSource& source : sources) source.busy = true;
  list.poll();
  list.settle(false);
  EXPECT_EQ(asleep(), 0u);
}

TEST_F(SourceListTest, ASourceWithSomethingToDoAfterAllStaysAwake) {
  make_all_hot();
  list.settle(false);
  for (FakeSource& source : sources) source.is_ready = true;
  list.settle(false);
  EXPECT_EQ(asleep(), 0u);
  for (const FakeSource& source : sources) EXPECT_EQ(source.arms, source.disarms);
}

TEST_F(SourceListTest, ASleeperThatIsWokenIsDisarmedAndPolled) {
  make_all_hot();
  list.settle(false);
  list.settle(false);
  for (FakeSource& source : sources) {
    if (SourceList::attention(source) != Attention::kAsleep) continue;
    list.make_hot(source);
    EXPECT_EQ(source.disarms, 1);
    const int before = source.polls;
    list.poll();
    EXPECT_EQ(source.polls, before + 1);
  }
  EXPECT_EQ(list.hot(), sources.size());
}

TEST_F(SourceListTest, ASleeperThatIsRemovedIsDisarmed) {
  make_all_hot();
  list.settle(false);
  list.settle(false);
  for (FakeSource& source : sources) list.remove(source);
  for (const FakeSource& source : sources) EXPECT_EQ(source.arms, source.disarms);
  EXPECT_EQ(list.hot(), 0u);
}

TEST_F(SourceListTest, BeforeSleepEverySourceIsArmedAndAsked) {
  make_all_hot();
  EXPECT_FALSE(list.arm_all());
  sources[5].is_ready = true;
  EXPECT_TRUE(list.arm_all()) << "asked again: arming is not repeated";
  for (const FakeSource& source : sources) EXPECT_EQ(source.arms, 1);
  list.disarm_all();
  for (const FakeSource& source : sources) EXPECT_EQ(source.disarms, 1);
}

TEST_F(SourceListTest, BeforeSleepNobodyIsArmedWhomTheApplicationReadsAndDoesNotHeed) {
  make_all_hot();
  sources[0].is_ready = sources[0].is_for_application = true;
  sources[1].is_for_application = true;
  EXPECT_TRUE(list.arm_all()) << "at first every one is heeded";
  list.disarm_all();
  list.heed_none();
  EXPECT_FALSE(list.arm_all());
  for (const FakeSource& source : sources)
    EXPECT_EQ(source.arms, source.is_for_application ? 1 : 2);
  list.disarm_all();
  list.heed(sources[1]);
  EXPECT_FALSE(list.arm_all());
  EXPECT_EQ(sources[1].arms, 2);
  list.disarm_all();
  list.heed(sources[0]);
  EXPECT_TRUE(list.arm_all());
  list.disarm_all();
  list.heed_none();
  EXPECT_FALSE(list.arm_all()) << "what was heeded before counts no more";
  sources[2].is_ready = true;
  EXPECT_TRUE(list.arm_all());
  list.disarm_all();
  sources[2].is_ready = false;
  list.heed_all();
  EXPECT_TRUE(list.arm_all());
}

TEST_F(SourceListTest, BeforeSleepThoseThatHaveWordsAreAskedForThemAsFarAsThereIsRoom) {
  make_all_hot();
  for (const int n : {1, 2, 4, 5}) sources[static_cast<std::size_t>(n)].has_word = true;
  std::array<WakeWord, 3> room;
  SourceList::Words words{.room = room};
  EXPECT_FALSE(list.arm_all(words));
  ASSERT_EQ(words.count, 3U);
  EXPECT_EQ(room[0].word, &sources[1].word);
  EXPECT_EQ(room[1].word, &sources[2].word);
  EXPECT_EQ(room[2].word, &sources[4].word);
  const std::array before = room;
  list.disarm_all();
  list.remove(sources[1]);
  words.count = 0;
  EXPECT_FALSE(list.arm_all(words));
  ASSERT_EQ(words.count, 3U);
  EXPECT_EQ(room[0].source, before[1].source) << "a source keeps its number,";
  EXPECT_EQ(room[1].source, before[2].source);
  for (const WakeWord& other : before)
    EXPECT_NE(room[2].source, other.source) << "and it is its own";
  list.disarm_all();
  EXPECT_FALSE(list.arm_all()) << "who waits for none asks for none";
}

TEST_F(SourceListTest, ThatOfASourceWhichIsNotHeededIsNotAskedFor) {
  list.make_hot(sources[0]);
  sources[0].has_word = sources[0].is_for_application = true;
  list.heed_none();
  std::array<WakeWord, 1> room;
  SourceList::Words words{.room = room};
  EXPECT_FALSE(list.arm_all(words));
  EXPECT_EQ(words.count, 0U);
}

TEST_F(SourceListTest, OneThatHasMoreToArmIsArmedInAnyCaseAndNotHeeded) {
  list.make_hot(sources[0]);
  sources[0].is_ready = sources[0].is_for_application = sources[0].has_more_to_arm = true;
  list.heed_none();
  EXPECT_FALSE(list.arm_all());
  EXPECT_EQ(sources[0].arms, 1);
}

// Asleep it would be found by nobody who heeds it again.
TEST_F(SourceListTest, ASourceThatIsNotHeededFallsAsleepOnlyWhenItHasNothing) {
  make_all_hot();
  for (FakeSource& source : sources) source.is_ready = source.is_for_application = true;
  list.heed_none();
  list.settle(false);
  list.settle(false);
  EXPECT_EQ(asleep(), 0u);
  for (FakeSource& source : sources) source.is_ready = false;
  list.settle(false);
  list.settle(false);
  EXPECT_EQ(asleep(), sources.size() - SourceList::kHotWhenQuiet);
  for (const FakeSource& source : sources) {
    const bool sleeps = SourceList::attention(source) == Attention::kAsleep;
    EXPECT_EQ(source.arms - source.disarms, sleeps ? 1 : 0) << "its peer rings";
  }
}

TEST_F(SourceListTest, ASourceIsRelaxedOnceUntilItIsArmed) {
  list.make_hot(sources[0]);
  list.settle(false);
  EXPECT_EQ(sources[0].relaxes, 0);
  list.settle(true);
  list.settle(true);
  EXPECT_EQ(sources[0].relaxes, 1);
  list.arm_all();
  list.settle(true);
  EXPECT_EQ(sources[0].relaxes, 1) << "an armed source must not be relaxed";
  list.disarm_all();
  list.settle(true);
  EXPECT_EQ(sources[0].relaxes, 2);
}

}  // namespace
}  // namespace comch::engine
