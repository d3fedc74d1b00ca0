// CallRound: who is called next, and which failure is told.
#include "transport/rdma/call_round.h"

#include <gtest/gtest.h>

#include <set>

#include "transport/rdma/server_port.h"

namespace comch::transport::rdma {
namespace {

using Weight = CallRound::Weight;

const std::vector<Address> kTwo{*Address::parse("10.0.0.1"), *Address::parse("fe80::2")};

TEST(RdmaCallRoundTest, EachAddressIsCalledAtEachPortOfTheName) {
  std::set<std::string> called;
  CallRound round(kTwo, name_hash("echo"), std::nullopt);
  for (; !round.over(); round.next_port()) {
    EXPECT_EQ(round.target().host(), round.host());
    called.insert(round.target().text());
  }
  EXPECT_EQ(called.size(), 2U * kPorts);
  EXPECT_TRUE(called.contains("10.0.0.1:25604"));
  EXPECT_TRUE(called.contains("[fe80::2]:25611"));
}

TEST(RdmaCallRoundTest, APortOfItsOwnIsTheOnlyOne) {
  CallRound round(kTwo, name_hash("echo"), 7);
  EXPECT_EQ(round.target().text(), "10.0.0.1:7");
  round.next_port();
  EXPECT_EQ(round.target().text(), "[fe80::2]:7");
  round.next_port();
  EXPECT_TRUE(round.over());
}

TEST(RdmaCallRoundTest, TheNextAddressIsCalledFromItsFirstPort) {
  CallRound round(kTwo, name_hash("echo"), std::nullopt);
  round.next_port();
  round.next_address();
  EXPECT_EQ(round.target().port, server_port(name_hash("echo"), 0));
  round.next_address();
  EXPECT_TRUE(round.over());
}

TEST(RdmaCallRoundTest, TheTimeThatIsLeftIsShared) {
  CallRound round(kTwo, 0, std::nullopt);
  EXPECT_EQ(round.share_of(100), 50U);
  round.next_port();
  EXPECT_EQ(round.share_of(80), 40U);
  round.next_address();
  EXPECT_EQ(round.share_of(60), 60U);
}

TEST(RdmaCallRoundTest, OfTheFailuresTheOneThatTellsMostIsKeptAndOfEqualsTheFirst) {
  CallRound round(kTwo, 0, std::nullopt);
  round.note({Weight::kNobody, Errc::not_found, 1, "nobody"});
  round.note({Weight::kSilent, Errc::time_out, 2, "silent"});
  round.note({Weight::kNobody, Errc::not_found, 3, "nobody, again"});
  EXPECT_EQ(round.failure().reason, "nobody");
  round.note({Weight::kRefused, Errc::authentication, 4, "refused"});
  EXPECT_EQ(round.failure().code, Errc::authentication);
}

TEST(RdmaCallRoundTest, WithoutAddressesItIsOver) { EXPECT_TRUE(CallRound().over()); }

}  // namespace
}  // namespace comch::transport::rdma
