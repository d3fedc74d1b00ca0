// JSON objects made member by member: what comes out is what would have, in the same order.
#include "json_object.h"

#include <gtest/gtest.h>

#include <string>

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

// Where each member was looked for among the others, n of them would take n * n looks.
TEST(JsonObjectTest, LooksForNothingThatIsThere) {
  ordered_json json = make_object(2);
  add_member(json, "a", 1);
  add_member(json, "a", 2);
  EXPECT_EQ(json.dump(), R"({"a":1,"a":2})");
  add_members(json, {{"a", 3}});
  EXPECT_EQ(json.dump(), R"({"a":1,"a":2,"a":3})");
}

// A list that grows is copied, with all that is below its members.
TEST(JsonObjectTest, CopiesNoMemberForAnotherThatItHasRoomFor) {
  constexpr std::size_t kMembers = 2'000;
  ordered_json json = make_object(kMembers);
  const auto& list = json.get_ref<const ordered_json::object_t&>();
  const auto* place = list.data();
  for (std::size_t n = 0; n < kMembers; ++n) add_member(json, "member" + std::to_string(n), n);
  EXPECT_EQ(list.size(), kMembers);
  EXPECT_EQ(list.data(), place);
}

}  // namespace
}  // namespace comch::fuse
