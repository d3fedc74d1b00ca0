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

}  // namespace
}  // namespace comch::transport::rdma
