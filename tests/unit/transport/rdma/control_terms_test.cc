// ControlTerms: what a connection's packets may take.
#include "transport/rdma/control_terms.h"

#include <gtest/gtest.h>

namespace comch::transport::rdma {
namespace {

TEST(RdmaControlTermsTest, TheWindowStaysWithinAMegabyte) {
  constexpr ControlTerms kSmall{1, 1};
  EXPECT_EQ(ControlTerms::of(4080, 64).window, 64U);
  EXPECT_EQ(ControlTerms::of(4080, 8192).window, 256U);
  EXPECT_EQ(ControlTerms::of(65535, 8192).window, 16U);
  EXPECT_EQ(ControlTerms::of(1, 8192).window, (1U << 20U) / (kSmall.slot_size()));
}

TEST(RdmaControlTermsTest, APacketBeginsWithALineOfItsOwn) {
  for (const std::uint32_t size : {1U, 4080U, 65535U}) {
    EXPECT_EQ(ControlTerms::of(size, 64).slot_size() % 64, 0U);
    EXPECT_GT(ControlTerms::of(size, 64).slot_size(), size);
  }
}

// The sizes that core/SECURITY.md names, of a server as it is by default and of the longest queues.
TEST(RdmaControlTermsTest, QueuesTakeWhatTheDocumentSays) {
  EXPECT_NEAR(static_cast<double>(ControlTerms::of(4080, 64).queue_bytes()), 90e3, 5e3);
  EXPECT_LE(ControlTerms::of(1, 8192).queue_bytes(), 1'500'000U);
}

}  // namespace
}  // namespace comch::transport::rdma
