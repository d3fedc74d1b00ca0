// Tests of fuse/node_table.h: ids of nodes, shared and private, and forgetting.
#include "node_table.h"

#include <gtest/gtest.h>

#include "directory.h"
#include "stream_node.h"

namespace comch::fuse {
namespace {

struct NodeTableTest : testing::Test {
  NodeTableTest() { table.set_root(root); }

  std::shared_ptr<ObjectRecord> record =
      std::make_shared<ObjectRecord>("", 0, 0, 0755, ObjectRecord::FailureHandler{});
  std::shared_ptr<Directory> root = std::make_shared<Directory>(record);
  std::shared_ptr<Node> stream = std::make_shared<StreamNode>(
      record, Direction{.readable = true},
      [](const Caller&) -> std::expected<std::unique_ptr<OpenFile>, int> {
        return std::unexpected(ENODEV);
      });
  std::shared_ptr<Directory> directory = std::make_shared<Directory>(record);
  NodeTable table;
};

TEST_F(NodeTableTest, RootHasTheKernelsIdForEver) {
  table.forget(1, 100);
  EXPECT_EQ(table.find(1), root);
}

TEST_F(NodeTableTest, DirectoryKeepsOneIdForAllLookups) {
  const auto id = table.remember(directory);
  EXPECT_EQ(table.remember(directory), id);
  EXPECT_EQ(table.id_of(*directory), id);
  table.forget(id, 1);
  EXPECT_EQ(table.find(id), directory);
  table.forget(id, 1);
  EXPECT_EQ(table.find(id), nullptr);
  EXPECT_EQ(table.id_of(*directory), 0U);
}

TEST_F(NodeTableTest, StreamGetsAFreshIdForEveryLookup) {
  const auto first = table.remember(stream);
  const auto second = table.remember(stream);
  EXPECT_NE(first, second);
  table.forget(first, 1);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.find(second), stream);
}

TEST_F(NodeTableTest, IdsAreNeverGivenTwice) {
  const auto first = table.remember(directory);
  table.forget(first, 1);
  EXPECT_NE(table.remember(directory), first);
}

TEST_F(NodeTableTest, ForgettingTooMuchOrAStrangerDoesNoHarm) {
  const auto id = table.remember(directory);
  table.forget(id, 1000);
  table.forget(id, 1);
  table.forget(987654, 1);
  EXPECT_EQ(table.find(id), nullptr);
}

}  // namespace
}  // namespace comch::fuse
