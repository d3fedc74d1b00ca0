// inotify sees what the daemon itself makes and removes, not only what users do.
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "library_peer.h"
#include "shell.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using InotifyTest = TreeTest;

// Watches one directory.
class Watch {
 public:
  explicit Watch(const fs::path& directory)
      : file_(File::adopt(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK))) {
    const std::uint32_t events = IN_CREATE | IN_DELETE | IN_ONLYDIR;
    if (::inotify_add_watch(file_.fd(), directory.c_str(), events) < 0)
      ADD_FAILURE() << directory << ": " << std::strerror(errno);
  }

  // Whether `event` happened to `name` before the deadline.
  bool sees(std::uint32_t event, const std::string& name) {
    for (const Deadline deadline; !deadline.passed();) {
      const std::string bytes = file_.wait_and_read(4096, deadline).bytes;
      for (std::size_t at = 0; at < bytes.size();) {
        inotify_event head{};
        std::memcpy(&head, bytes.data() + at, sizeof head);
        const char* found = bytes.data() + at + sizeof head;
        if ((head.mask & event) != 0 && name == found) return true;
        at += sizeof head + head.len;
      }
    }
    return false;
  }

 private:
  File file_;
};

TEST_F(InotifyTest, SeesAConnectionAppearAndGo) {
  ASSERT_EQ(make_server("echo"), 0);
  Watch watch(at("servers/echo"));
  ASSERT_EQ(connect("me", "echo"), 0);
  EXPECT_TRUE(watch.sees(IN_CREATE, "conn0"));
  ASSERT_EQ(remove_directory(at("clients/me")), 0);
  EXPECT_TRUE(watch.sees(IN_DELETE, "conn0"));
}

TEST_F(InotifyTest, SeesTheConnectionOfAProgram) {
  ASSERT_EQ(make_server("echo"), 0);
  Watch watch(at("servers/echo"));
  const LibraryClient client("echo");
  EXPECT_TRUE(watch.sees(IN_CREATE, "conn0"));
}

TEST_F(InotifyTest, SeesConsumersOfTheOtherSideAppearAndGo) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  const fs::path consumer = at("servers/echo/conn0/consumers/c0");
  ASSERT_EQ(make_directory(consumer), 0);
  Watch watch(at("clients/me/conn/remote"));
  ASSERT_EQ(write_to(consumer / "enable", "1"), 0);
  const std::string id = value(consumer / "id");
  EXPECT_TRUE(watch.sees(IN_CREATE, id));
  ASSERT_EQ(remove_directory(consumer), 0);
  EXPECT_TRUE(watch.sees(IN_DELETE, id));
}

TEST_F(InotifyTest, SeesWhatUsersMakeAndRemove) {
  Watch watch(at("servers"));
  ASSERT_EQ(make_server("echo"), 0);
  EXPECT_TRUE(watch.sees(IN_CREATE, "echo"));
  ASSERT_EQ(remove_directory(at("servers/echo")), 0);
  EXPECT_TRUE(watch.sees(IN_DELETE, "echo"));
}

TEST_F(InotifyTest, InotifywaitSeesConn0) {
  if (!has_program("inotifywait")) GTEST_SKIP() << "inotifywait is not installed";
  ASSERT_EQ(make_server("echo"), 0);
  // The client comes when the watch is set up, which inotifywait says.
  const Said result = shell(root(),
                            "mkdir clients/me; inotifywait -t 5 -e create servers/echo 2>&1 | "
                            "while read -r line; do case $line in "
                            "*established*) echo echo > clients/me/server;; "
                            "*conn0*) echo seen;; esac; done");
  EXPECT_EQ(result, said("seen\n"));
}

}  // namespace
}  // namespace comch::test
