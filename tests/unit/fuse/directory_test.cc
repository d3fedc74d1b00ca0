// Tests of fuse/directory.h: what is listed, what is hidden, and what a removed one shows.
#include "directory.h"

#include <gtest/gtest.h>

#include "stream_node.h"

namespace comch::fuse {
namespace {

struct DirectoryTest : testing::Test {
  DirectoryTest() { add_stream(*directory, "recv", make_stream()); }

  std::shared_ptr<Node> make_stream() {
    return std::make_shared<StreamNode>(
        record, Direction{.readable = true},
        [](const Caller&) -> std::expected<std::unique_ptr<OpenFile>, int> {
          return std::unexpected(EIO);
        });
  }

  std::shared_ptr<ObjectRecord> record =
      std::make_shared<ObjectRecord>("x", 10, 20, 0755, ObjectRecord::FailureHandler{});
  std::shared_ptr<Directory> directory =
      std::make_shared<Directory>(record, Directory::Content::kObject);
};

TEST_F(DirectoryTest, StreamIsListedAsALinkIntoADirectoryThatIsNotListed) {
  const auto names = directory->list();
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names[0].name, "recv");
  EXPECT_EQ(names[0].type, static_cast<mode_t>(S_IFLNK));
  EXPECT_EQ(directory->find("recv")->target(), ".io/recv");
  const auto hidden = std::dynamic_pointer_cast<Directory>(directory->find(".io"));
  ASSERT_TRUE(hidden);
  EXPECT_TRUE(S_ISREG(hidden->find("recv")->attributes().st_mode));
}

TEST_F(DirectoryTest, StreamPretendsToHaveAPageAndIsPrivate) {
  const auto hidden = std::dynamic_pointer_cast<Directory>(directory->find(".io"));
  const struct stat attributes = hidden->find("recv")->attributes();
  EXPECT_EQ(attributes.st_size, 4096);
  EXPECT_EQ(attributes.st_blocks, 8);
  EXPECT_EQ(attributes.st_mode & 0777, 0400U);
  EXPECT_EQ(attributes.st_uid, 10U);
}

TEST_F(DirectoryTest, ChmodAndChownOfAnObjectReachItsFiles) {
  ASSERT_EQ(directory->change({.mode = 0770, .owner = 11, .group = {}, .size = {}}), 0);
  const auto hidden = std::dynamic_pointer_cast<Directory>(directory->find(".io"));
  const struct stat attributes = hidden->find("recv")->attributes();
  EXPECT_EQ(attributes.st_mode & 0777, 0440U);
  EXPECT_EQ(attributes.st_uid, 11U);
  EXPECT_EQ(hidden->change({.mode = 0777, .owner = {}, .group = {}, .size = {}}), EPERM);
}

TEST_F(DirectoryTest, StreamCanBeTruncatedToNothingOnly) {
  const auto stream = make_stream();
  EXPECT_EQ(stream->change({.mode = {}, .owner = {}, .group = {}, .size = 0}), 0);
  EXPECT_EQ(stream->change({.mode = {}, .owner = {}, .group = {}, .size = 1}), EINVAL);
}

TEST_F(DirectoryTest, RemovedObjectShowsNothing) {
  record->removed = true;
  EXPECT_TRUE(directory->list().empty());
  EXPECT_EQ(directory->find("recv"), nullptr);
}

TEST_F(DirectoryTest, UsersMakeAndRemoveNothingInAPlainDirectory) {
  EXPECT_EQ(directory->make_directory("a", 0755, {}).error(), EPERM);
  EXPECT_EQ(directory->remove_directory("recv"), EPERM);
}

}  // namespace
}  // namespace comch::fuse
