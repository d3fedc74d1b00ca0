// InLane: whom it wakes, and when. ports_test.cc and its neighbours read messages out of one.
#include <gtest/gtest.h>

#include <cstring>

#include "support/fake_link.h"
#include "transport/rdma/in_lane.h"

namespace comch::transport::rdma {
namespace {

struct RdmaInLaneTest : testing::Test {
  RdmaInLaneTest() {
    lane =
        InLane::make({.number = 0, .pair = producer->self()}, LaneShape::of(4, 32), there).value();
    producer->connect(here, lane->answer(1).pair).value();
  }
  // What its producer writes before it sleeps.
  void sleep(std::uint64_t episode) {
    void* const word = reinterpret_cast<void*>(lane->answer(1).lane.address);
    std::memcpy(word, &episode, sizeof episode);
  }
  std::uint64_t rings() const { return lane->link().wakes_sent(); }

  test::FakeLink link;
  const Fabric here = Fabric::of(*link.client.id, {}).value();
  const Fabric there = Fabric::of(*link.server.id, {}).value();
  const std::unique_ptr<Link> producer = Link::make(here, 4).value();
  std::shared_ptr<InLane> lane;
};

TEST_F(RdmaInLaneTest, ASleepingProducerIsRungWhenAPostHasArrived) {
  sleep(1);
  lane->tell(5);
  EXPECT_EQ(rings(), 0U) << "nothing is posted";
  lane->posted(6);
  lane->tell(5);
  EXPECT_EQ(rings(), 0U) << "it is on its way";
  lane->tell(6);
  EXPECT_EQ(rings(), 1U);
}

TEST_F(RdmaInLaneTest, AProducerIsRungOnceForEachSleepAndNotWhileItIsAwake) {
  lane->posted(1);
  lane->tell(1);
  EXPECT_EQ(rings(), 0U) << "it has never slept";
  sleep(1);
  for (std::uint64_t position = 2; position < 5; ++position) {
    lane->posted(position);
    lane->tell(position);
  }
  EXPECT_EQ(rings(), 1U);
}

TEST_F(RdmaInLaneTest, ARingForWhichThereIsNoRoomIsMadeUpFor) {
  const std::uint32_t most = lane->link().room();
  std::uint64_t position = 0;
  while (++position <= most + 1) {
    sleep(position);
    lane->posted(position);
    lane->tell(position);
    producer->poll();  // So that the next ring finds a receive.
  }
  EXPECT_EQ(rings(), most);
  lane->link().poll();
  lane->tell(position);
  EXPECT_EQ(rings(), most + 1);
}

}  // namespace
}  // namespace comch::transport::rdma
