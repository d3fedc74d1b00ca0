// Bell: one ring for one sleep, and never none.
#include "transport/rdma/bell.h"

#include <gtest/gtest.h>

#include <cstring>

namespace comch::transport::rdma {
namespace {

struct RdmaBellTest : testing::Test {
  void arrive(std::uint64_t episode) { std::memcpy(word, &episode, sizeof episode); }
  alignas(8) std::byte word[8] = {};
  Bell bell;
  Ringer ringer;
};

TEST_F(RdmaBellTest, NobodyIsRungWhoHasNotAsked) { EXPECT_FALSE(ringer.should_ring(word)); }

TEST_F(RdmaBellTest, OneSleepIsRungForOnce) {
  ASSERT_TRUE(bell.due());
  arrive(bell.next());
  EXPECT_TRUE(ringer.should_ring(word));
  EXPECT_FALSE(ringer.should_ring(word));
}

TEST_F(RdmaBellTest, ANewSleepIsToldOfOnlyWhenTheLastWasRungFor) {
  arrive(bell.next());
  EXPECT_FALSE(bell.due()) << "the other side knows already";
  bell.rung();
  ASSERT_TRUE(bell.due());
  EXPECT_TRUE(ringer.should_ring(word));
  arrive(bell.next());
  EXPECT_TRUE(ringer.should_ring(word));
}

TEST_F(RdmaBellTest, WhatCouldNotBeToldIsDueAgain) {
  bell.next();
  bell.take_back();
  EXPECT_TRUE(bell.due());
}

TEST_F(RdmaBellTest, AnEpisodeReadWhileItIsWrittenCostsOneRingTooManyAtMost) {
  arrive(0xff);
  EXPECT_TRUE(ringer.should_ring(word));
  arrive(0x1ff);  // Half of 0x100 written over 0xff.
  EXPECT_TRUE(ringer.should_ring(word));
  arrive(0x100);
  EXPECT_TRUE(ringer.should_ring(word));
}

struct RdmaLooksDueTest : testing::Test {
  LooksDue looks;
};

TEST_F(RdmaLooksDueTest, WhatCarriesNoDataIsNoReasonToLook) {
  EXPECT_FALSE(looks.take(1));
  looks.sent(3);
  EXPECT_TRUE(looks.take(3));
  EXPECT_FALSE(looks.take(4)) << "an episode's own write";
}

TEST_F(RdmaLooksDueTest, DataIsLookedBehindOnceItIsComplete) {
  looks.sent(2);
  EXPECT_FALSE(looks.take(1));
  EXPECT_TRUE(looks.take(2));
  EXPECT_FALSE(looks.take(2));
}

TEST_F(RdmaLooksDueTest, DataThatKeepsComingIsLookedBehindAllTheSame) {
  looks.sent(1);
  looks.sent(2);
  looks.sent(3);
  EXPECT_TRUE(looks.take(2));
  looks.sent(4);
  EXPECT_TRUE(looks.take(3));
  EXPECT_TRUE(looks.take(4));
  EXPECT_FALSE(looks.take(9));
}

TEST_F(RdmaLooksDueTest, OneLookIsEnoughForAllThatIsComplete) {
  for (std::uint64_t position = 1; position <= 8; ++position) looks.sent(position);
  EXPECT_TRUE(looks.take(8));
  EXPECT_FALSE(looks.take(8));
}

}  // namespace
}  // namespace comch::transport::rdma
