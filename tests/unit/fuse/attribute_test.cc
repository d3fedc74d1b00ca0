// Tests of fuse/attribute.h: sizes, modes and open of value files. Reading and writing
// need the kernel and are tested on a mount.
#include "attribute.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

struct AttributeTest : testing::Test {
  std::shared_ptr<Attribute> make(AttributeSpec spec) {
    return std::make_shared<Attribute>(record, std::move(spec), operations, watch);
  }

  std::string value = "64";
  Operations operations;
  AttributeWatch watch;
  std::shared_ptr<ObjectRecord> record =
      std::make_shared<ObjectRecord>("x", 0, 0, 0755, ObjectRecord::FailureHandler{});
};

TEST_F(AttributeTest, SizeIsThatOfTheValueAndItsNewline) {
  const auto attribute = make({.show = [this] { return value; }});
  EXPECT_EQ(attribute->attributes().st_size, 3);
  value = "1024";
  EXPECT_EQ(attribute->attributes().st_size, 5);
  value.clear();
  EXPECT_EQ(attribute->attributes().st_size, 0);  // An empty `error` has no line at all.
}

TEST_F(AttributeTest, TextKeepsItsOwnNewlines) {
  const auto attribute = make({.show = [] { return std::string("a\nb\n"); }, .is_text = true});
  EXPECT_EQ(attribute->content(), "a\nb\n");
}

TEST_F(AttributeTest, ReadOnlyValueCannotBeOpenedForWritingByRootEither) {
  const auto attribute = make({.show = [this] { return value; }});
  EXPECT_EQ(attribute->attributes().st_mode & 0777, 0444U);
  EXPECT_EQ(attribute->open({.for_reading = false, .for_writing = true, .caller = {}}).error(),
            EACCES);
}

TEST_F(AttributeTest, SettingWhoseWriteMayBeHeldHasPrivateIdsAndNoCachedName) {
  const auto setting = make({.show = [this] { return value; },
                             .store = [](std::string_view) { return Outcome::done(); },
                             .may_be_held = true});
  EXPECT_EQ(setting->attributes().st_mode & 0777, 0644U);
  EXPECT_TRUE(setting->has_private_ids());
  EXPECT_EQ(setting->entry_timeout_s(), 0);
}

TEST_F(AttributeTest, OpenFileKnowsWhenTheValueHasChangedSinceItWasSeen) {
  const auto attribute = make({.show = [this] { return value; }});
  auto opened = attribute->open({.for_reading = true, .for_writing = false, .caller = {}});
  ASSERT_TRUE(opened);
  (*opened)->record = record;
  EXPECT_EQ((*opened)->readiness() & POLLPRI, 0U);
  value = "65";
  EXPECT_NE((*opened)->readiness() & POLLPRI, 0U);
  record->removed = true;
  EXPECT_NE((*opened)->readiness() & POLLERR, 0U);
}

}  // namespace
}  // namespace comch::fuse
