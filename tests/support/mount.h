// Mount: a file tree of a test's own: comchfs on a temporary mount point, meeting in a
// temporary runtime directory.
//
//   if (auto reason = Mount::unavailable()) GTEST_SKIP() << *reason;
//   Mount tree;
//   ASSERT_TRUE(tree.ready()) << tree.log();
//   std::filesystem::create_directory(tree / "servers/echo");
//
// The program is the one named by the environment variable COMCHFS, which the meson.build
// of the test sets.
//
// Threads: forks, so make it before the test starts threads.
// Lifetime: the destructor unmounts, waits for the daemon to end well and fails the test
// when it does not, or when it leaves something in the runtime directory. After kill() the
// dead mount is taken away and only that is checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::test {

class Mount {
 public:
  // Why this machine cannot mount, in words for a skip; nothing when it can.
  static std::optional<std::string> unavailable();

  // `arguments` follow `comchfs -f MOUNTPOINT`.
  explicit Mount(const std::vector<std::string>& arguments = {});
  ~Mount();

  // Whether the tree answered before the deadline. When not, log() says why.
  bool ready() const { return ready_; }

  const std::filesystem::path& path() const { return point_; }
  std::filesystem::path operator/(std::string_view name) const { return point_ / name; }
  const std::filesystem::path& runtime_dir() const { return runtime_.path(); }

  // Says that servers of the test itself, whose names contain `text`, meet in the runtime
  // directory too: what is left of them is not the daemon's.
  void others_leave(const std::string& text) { of_others_.push_back(text); }

  // What the daemon wrote to its standard output and error.
  std::string log() const;

  ChildProcess& daemon() { return *daemon_; }

  // Unmounts; how the daemon ended, or nothing when it still runs at the deadline.
  std::optional<Exit> unmount();

 private:
  bool is_mounted() const;

  TempDir dir_;
  RuntimeDirectory runtime_;
  std::filesystem::path point_;
  std::optional<ChildProcess> daemon_;
  std::vector<std::string> of_others_;
  bool ready_ = false;
};

}  // namespace comch::test
