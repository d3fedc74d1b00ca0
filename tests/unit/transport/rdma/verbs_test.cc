// Verbs: words for everything that can happen to a connection.
#include "transport/rdma/verbs.h"

#include <gtest/gtest.h>

#include <set>

namespace comch::transport::rdma {
namespace {

TEST(RdmaVerbsTest, EveryEventHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int n = 0; n <= static_cast<int>(EventKind::kOther); ++n) {
    EXPECT_TRUE(words.insert(name(static_cast<EventKind>(n))).second) << n;
  }
}

}  // namespace
}  // namespace comch::transport::rdma
