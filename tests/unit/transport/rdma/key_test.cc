// Key: what a proof proves, and what not.
#include "transport/rdma/key.h"

#include <gtest/gtest.h>

#include <string_view>

#include "support/bytes.h"

namespace comch::transport::rdma {
namespace {

using test::bytes;

std::shared_ptr<const Key> key_of(std::string_view secret) {
  return Key::from_secret(bytes(secret)).value();
}

TEST(RdmaKeyTest, AProofHoldsForWhoHasTheSameSecret) {
  const auto proof = key_of("sixteen bytes...")->prove(KeyRole::kServer, bytes("said"));
  EXPECT_TRUE(key_of("sixteen bytes...")->holds(KeyRole::kServer, bytes("said"), proof));
  EXPECT_FALSE(key_of("sixteen bytes,,,")->holds(KeyRole::kServer, bytes("said"), proof));
}

TEST(RdmaKeyTest, AProofIsForOneRoleAndOneTranscript) {
  const auto secret = key_of("sixteen bytes...");
  const auto proof = secret->prove(KeyRole::kServer, bytes("said"));
  EXPECT_FALSE(secret->holds(KeyRole::kClient, bytes("said"), proof));
  EXPECT_FALSE(secret->holds(KeyRole::kServer, bytes("said else"), proof));
}

TEST(RdmaKeyTest, EveryBitOfAProofCounts) {
  const auto secret = key_of("sixteen bytes...");
  const auto proof = secret->prove(KeyRole::kClient, bytes("said"));
  for (std::size_t bit = 0; bit < proof.size() * 8; ++bit) {
    auto wrong = proof;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(secret->holds(KeyRole::kClient, bytes("said"), wrong)) << bit;
  }
}

TEST(RdmaKeyTest, AShortSecretIsNoKey) {
  EXPECT_EQ(Key::from_secret(bytes("fifteen bytes..")).error().code, Errc::invalid_value);
}

}  // namespace
}  // namespace comch::transport::rdma
