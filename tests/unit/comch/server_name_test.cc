// Server names: what may be one.
#include "comch/server_name.h"

#include <gtest/gtest.h>

#include <string>

namespace comch {
namespace {

using namespace std::string_view_literals;

TEST(ServerNameTest, ANameHasAtMostItsMaximumOfBytesWithTheClosingNul) {
  EXPECT_TRUE(check_server_name(std::string(119, 'n'), {}));
  EXPECT_EQ(check_server_name(std::string(120, 'n'), {}).error().code, Errc::invalid_value);
  EXPECT_TRUE(check_server_name("abc", {.max_name_length = 4}));
  EXPECT_EQ(check_server_name("abcd", {.max_name_length = 4}).error().code, Errc::invalid_value);
}

TEST(ServerNameTest, ANameIsOnePartOfAPath) {
  for (const std::string_view bad : {""sv, "."sv, ".."sv, "a/b"sv, "/"sv, "a\0b"sv, "\0"sv}) {
    EXPECT_EQ(check_server_name(bad, {}).error().code, Errc::invalid_value) << bad;
  }
  for (const std::string_view good : {"..."sv, ".hidden"sv, "a b"sv, "\xc3\xa4"sv, "a\nb"sv}) {
    EXPECT_TRUE(check_server_name(good, {})) << good;
  }
}

TEST(ServerNameTest, AClientMayNameAServerOfAnotherMachine) {
  EXPECT_TRUE(check_wanted_server("echo", {}));
  EXPECT_TRUE(check_wanted_server("rdma://10.0.0.2/echo", {}));
  for (const std::string_view bad : {"", "a/b", "rdma://10.0.0.2/", "rdma:///echo"}) {
    EXPECT_EQ(check_wanted_server(bad, {}).error().code, Errc::invalid_value) << bad;
  }
}

}  // namespace
}  // namespace comch
