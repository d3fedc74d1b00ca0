// claim(): one server of a name on a machine.
#include "transport/rdma/claim.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace comch::transport::rdma {
namespace {

struct RdmaClaimTest : testing::Test {
  test::RuntimeDirectory runtime;
};

TEST_F(RdmaClaimTest, ANameIsTakenOnceAndFreeAgainAfterwards) {
  {
    const auto name = claim("rxe0", "function", "echo");
    ASSERT_TRUE(name);
    EXPECT_EQ(claim("rxe0", "function", "echo").error().code, Errc::already_exist);
    EXPECT_TRUE(claim("rxe0", "function", "other"));
    EXPECT_TRUE(claim("rxe0", "another", "echo"));
    EXPECT_TRUE(claim("rxe1", "function", "echo"));
  }
  EXPECT_TRUE(runtime.entries().empty());
  EXPECT_TRUE(claim("rxe0", "function", "echo"));
}

TEST_F(RdmaClaimTest, TheLongestNameHasAPlace) {
  EXPECT_TRUE(claim("mlx5_0", "0000:b1:00.0", std::string(119, 'n')));
}

}  // namespace
}  // namespace comch::transport::rdma
