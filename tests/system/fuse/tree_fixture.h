// TreeTest: a mounted tree. PairTest: a tree with a server and a client that talk.
//
//   TEST_F(PairTest, OneWriteIsOneMessage) {
//     EXPECT_EQ(send(client_end_, "hello"), 0);
//     EXPECT_EQ(get(server_end_), got("hello"));
//   }
//
// Lifetime: every test has a daemon, a mount point and a runtime directory of its own; a
// test that hangs is ended by its Watchdog.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file.h"
#include "support/mount.h"
#include "watchdog.h"

namespace comch::test {

class TreeTest : public testing::Test {
 protected:
  void SetUp() override;

  // What follows `comchfs -f MOUNTPOINT`.
  virtual std::vector<std::string> arguments() const { return {}; }

  const std::filesystem::path& root() const { return tree_->path(); }
  std::filesystem::path at(std::string_view name) const { return *tree_ / name; }
  Mount& tree() { return *tree_; }

  // Both answer the errno of the first step that failed, or 0.
  int make_server(std::string_view name) const;
  int connect(std::string_view client, std::string_view server) const;

  // The entries of a directory, sorted.
  static std::vector<std::string> list(const std::filesystem::path& directory);

 private:
  Watchdog watchdog_;
  std::unique_ptr<Mount> tree_;
};

class PairTest : public TreeTest {
 protected:
  void SetUp() override;

  // Ends the connection, changes a setting of both ends and connects them again. The
  // server's end has then another number.
  void configure_both(std::string_view setting, std::string_view text);

  std::filesystem::path server_, client_;          // Their directories.
  std::filesystem::path server_end_, client_end_;  // Of the connection.
};

// Waits until `server` has `count` connections; a client may know of its own earlier.
bool has_connections(const std::filesystem::path& server, std::size_t count);

// The directories connN below `server`, in the order of their numbers.
std::vector<std::filesystem::path> connections(const std::filesystem::path& server);

}  // namespace comch::test
