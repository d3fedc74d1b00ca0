// Registration: once per device and kind of access, with the least rights, and over with the map.
#include "transport/rdma/registration.h"

#include <gtest/gtest.h>

#include "support/fake_link.h"

namespace comch::transport::rdma {
namespace {

struct RdmaRegistrationTest : testing::Test {
  std::uint64_t regions() const { return link.fabric.counts("10.0.0.1").regions; }
  std::uint64_t registrations() const { return link.fabric.counts("10.0.0.1").registrations; }

  test::FakeLink link;
  Domain& domain = *link.client.id->domain();
  std::vector<std::byte> memory = std::vector<std::byte>(8192);
  Exposures exposures{domain.make_another().value()};
  const std::uint64_t before = registrations();
};

TEST_F(RdmaRegistrationTest, AMapIsRegisteredOnceForEachKindOfAccess) {
  MapLife life(memory);
  const MemoryRegion* const sending = registered_for_sending(life, domain).value();
  EXPECT_EQ(registered_for_sending(life, domain).value(), sending);
  EXPECT_EQ(registrations() - before, 1U);
  const MemoryRegion* const writing = exposures.of(life).value();
  EXPECT_NE(writing, sending);
  EXPECT_EQ(exposures.of(life).value(), writing);
  EXPECT_EQ(registrations() - before, 2U);
  EXPECT_EQ(sending->address, memory.data());
  EXPECT_EQ(sending->length, memory.size());
}

TEST_F(RdmaRegistrationTest, ARegistrationEndsWithTheLifeOfItsMap) {
  const std::uint64_t others = regions();
  {
    MapLife life(memory);
    ASSERT_TRUE(exposures.of(life));
    EXPECT_EQ(regions() - others, 1U);
  }
  EXPECT_EQ(regions(), others);
}

TEST_F(RdmaRegistrationTest, EachConnectionThatMayWriteToAMapHasARegistrationWhichEndsWithIt) {
  MapLife life(memory);
  const std::uint64_t others = regions();
  const MemoryRegion* const one = exposures.of(life).value();
  {
    Exposures more(domain.make_another().value());
    EXPECT_NE(more.of(life).value(), one);
    EXPECT_EQ(regions() - others, 2U);
  }
  EXPECT_EQ(regions() - others, 1U);
  EXPECT_EQ(exposures.of(life).value(), one);
}

TEST_F(RdmaRegistrationTest, MemoryThatIsSentFromMayNotBeWrittenFromAfar) {
  MapLife life(memory);
  const MemoryRegion* const sending = registered_for_sending(life, domain).value();
  auto request = test::FakeLink::text(link.server, "data", 1);
  request.opcode = SendOpcode::kWrite;
  request.remote_address = reinterpret_cast<std::uint64_t>(memory.data());
  request.remote_key = sending->remote_key;
  ASSERT_TRUE(test::FakeLink::post(link.server, request));
  EXPECT_EQ(test::FakeLink::poll(link.server).at(0).status, CompletionStatus::kRemoteAccess);
}

TEST_F(RdmaRegistrationTest, AFailureIsAnsweredAndTriedAgain) {
  MapLife life(memory);
  link.fabric.fail_call(1, ENOMEM);
  const auto failed = exposures.of(life);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().sys, ENOMEM);
  EXPECT_TRUE(exposures.of(life));
}

}  // namespace
}  // namespace comch::transport::rdma
