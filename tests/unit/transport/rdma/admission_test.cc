// Admission: machines on the list, and machines that are not.
#include "transport/rdma/admission.h"

#include <gtest/gtest.h>

#include "support/fake_verbs.h"

namespace comch::transport::rdma {
namespace {

struct RdmaAdmissionTest : testing::Test {
  bool admits(const std::vector<std::string>& peers, const char* peer) {
    return Admission::of(fabric.host("10.0.0.2"), peers).value().admits(*Address::parse(peer));
  }
  test::FakeFabric fabric;
};

TEST_F(RdmaAdmissionTest, AnEmptyListAdmitsNobody) { EXPECT_FALSE(admits({}, "10.0.0.1")); }

TEST_F(RdmaAdmissionTest, AnAddressAdmitsItsMachineAndNoOther) {
  EXPECT_TRUE(admits({"10.0.0.9", "10.0.0.1"}, "10.0.0.1"));
  EXPECT_FALSE(admits({"10.0.0.1"}, "10.0.0.3"));
  EXPECT_TRUE(admits({"fd00::1"}, "fd00::1"));
}

TEST_F(RdmaAdmissionTest, EverybodyIsAdmittedOnlyWhenAskedFor) {
  EXPECT_TRUE(admits({"any"}, "10.0.0.3"));
  EXPECT_TRUE(admits({"any"}, "fd00::3"));
}

TEST_F(RdmaAdmissionTest, AHostIsAdmittedByName) {
  fabric.name_host("dpu.local", "10.0.0.7");
  EXPECT_TRUE(admits({"dpu.local"}, "10.0.0.7"));
  EXPECT_FALSE(admits({"dpu.local"}, "10.0.0.8"));
}

TEST_F(RdmaAdmissionTest, AGidAdmitsTheAddressItStandsFor) {
  EXPECT_TRUE(admits({"gid:::ffff:10.0.0.1"}, "10.0.0.1"));
  EXPECT_TRUE(admits({"gid:fd00::1"}, "fd00::1"));
  EXPECT_FALSE(admits({"gid:::ffff:10.0.0.1"}, "10.0.0.2"));
}

// Which every interface may have.
TEST_F(RdmaAdmissionTest, ALinkLocalAddressOfOneInterfaceAdmitsNoneOfAnother) {
  const auto admission = Admission::of(fabric.host("10.0.0.2"), {"fe80::1%lo"}).value();
  Address peer = *Address::parse("fe80::1%lo");
  ASSERT_NE(peer.scope, 0U);
  EXPECT_TRUE(admission.admits(peer));
  peer.scope += 7;
  EXPECT_FALSE(admission.admits(peer));
  peer.scope = 0;
  EXPECT_FALSE(admission.admits(peer)) << "of whichever interface it is";
  EXPECT_TRUE(admits({"fe80::1"}, "fe80::1%lo")) << "of any";
}

TEST_F(RdmaAdmissionTest, AHostThatNobodyKnowsIsAnError) {
  EXPECT_EQ(Admission::of(fabric.host("10.0.0.2"), {"nowhere"}).error().code, Errc::not_found);
}

}  // namespace
}  // namespace comch::transport::rdma
