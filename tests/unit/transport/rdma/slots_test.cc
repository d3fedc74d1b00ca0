// Slots: registered pieces of one size.
#include "transport/rdma/slots.h"

#include <gtest/gtest.h>

#include "support/fake_link.h"

namespace comch::transport::rdma {
namespace {

TEST(RdmaSlotsTest, TheyLieSideBySideInOneRegion) {
  test::FakeLink link;
  Domain& domain = *link.client.id->domain();
  const auto before = link.fabric.counts("10.0.0.1").regions;
  const auto slots = Slots::create(domain, 4, 128, RegionAccess::kLocalWrite);
  ASSERT_TRUE(slots);
  EXPECT_EQ(link.fabric.counts("10.0.0.1").regions, before + 1);
  EXPECT_EQ(slots->size(), 128U);
  EXPECT_EQ(slots->at(1).data(), slots->at(0).data() + 128);
  EXPECT_EQ(slots->segment(3, 20).length, 20U);
  EXPECT_EQ(slots->segment(3, 20).address, slots->at(3).data());
}

TEST(RdmaSlotsTest, MemoryThatCannotBeRegisteredIsAnError) {
  test::FakeLink link;
  Domain& domain = *link.client.id->domain();
  link.fabric.fail_call(1, 12);
  EXPECT_EQ(Slots::create(domain, 4, 128, RegionAccess::kLocalWrite).error().sys, 12);
}

}  // namespace
}  // namespace comch::transport::rdma
