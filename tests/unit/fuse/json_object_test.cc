// JSON objects made member by member: what comes out is what would have, in the same order.
#include "json_object.h"

#include <gtest/gtest.h>

#include <chrono>

namespace comch::fuse {
namespace {

using nlohmann::ordered_json;

TEST(JsonObjectTest, HasItsMembersInTheirOrder) {
  ordered_json json = make_object(2);
  EXPECT_EQ(json.dump(), "{}");
  add_member(json, "b", 1);
  add_member(json, "a", {{"x", "y"}});
  EXPECT_EQ(json.dump(), R"({"b":1,"a":{"x":"y"}})");
  EXPECT_EQ(json["a"]["x"], "y");
  add_members(json, {{"d", 4}, {"c", 3}});
  EXPECT_EQ(json.dump(), R"({"b":1,"a":{"x":"y"},"d":4,"c":3})");
}

// Ten times the members take about ten times as long, where looking for each takes a hundred.
TEST(JsonObjectTest, TakesTimeInProportion) {
  const auto time = [](int members) {
    auto best = std::chrono::nanoseconds::max();
    for (int n = 0; n < 5; ++n) {
      const auto begin = std::chrono::steady_clock::now();
      ordered_json json = make_object(static_cast<std::size_t>(members));
      for (int m = 0; m < members; ++m) add_member(json, "member" + std::to_string(m), m);
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
    }
    return best;
  };
  EXPECT_LT(time(20'000), 40 * time(2'000));
}

}  // namespace
}  // namespace comch::fuse
