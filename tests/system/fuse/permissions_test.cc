// Who may use what: owners, modes, access lists, and that a daemon of root's is no way
// around them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "attempt.h"
#include "library_peer.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

// Two people who are not root; that nobody is called so here does not matter.
constexpr std::uint32_t kAnna = 61001, kBert = 61002;

// Temporary directories are for their owner only: lets others pass through to `path`.
void open_way_to(const fs::path& path) {
  for (fs::path step = path; step != step.root_path(); step = step.parent_path()) {
    struct stat info = {};
    ASSERT_EQ(::stat(step.c_str(), &info), 0);
    if ((info.st_mode & S_IXOTH) != 0) continue;
    ASSERT_EQ(::chmod(step.c_str(), (info.st_mode & 07777) | 0011), 0);
  }
}

struct PermissionTest : TreeTest {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
    TreeTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    open_way_to(root().parent_path());
    open_way_to(tree().runtime_dir());
  }

  // The errno of what `uid` tries.
  static int as_user(std::uint32_t uid, const std::function<int()>& call) {
    return Attempt([&] {
             become_user(uid, uid);
             return failed(call());
           })
        .result()
        .error;
  }

  int connect_as(std::uint32_t uid, const std::string& client, const std::string& server) {
    return as_user(uid, [&] { return connect(client, server); });
  }

  // A server of root's with one setting changed before it starts.
  void make_server_with(const std::string& setting, const std::string& text) {
    ASSERT_EQ(make_server("echo"), 0);
    const fs::path server = at("servers/echo");
    ASSERT_EQ(write_to(server / "enable", "0"), 0);
    ASSERT_EQ(write_to(server / setting, text), 0);
    ASSERT_EQ(write_to(server / "enable", "1"), 0);
  }
};

struct stat stat_of(const fs::path& path) {
  struct stat info = {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info;
}

TEST_F(PermissionTest, ObjectBelongsToItsCreator) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("annas"); }), 0);
  EXPECT_EQ(stat_of(at("servers/annas")).st_uid, kAnna);
  EXPECT_EQ(stat_of(at("servers/annas")).st_gid, kAnna);
  EXPECT_EQ(stat_of(at("servers/annas/enable")).st_uid, kAnna);
  EXPECT_EQ(stat_of(at("servers/annas/recv")).st_uid, kAnna);
}

TEST_F(PermissionTest, OthersMayLookButNeitherChangeNorUseNorRemove) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("annas"); }), 0);
  ASSERT_EQ(connect_as(kAnna, "anna", "annas"), 0);
  const auto bert = [&](const std::function<int()>& call) { return as_user(kBert, call); };
  EXPECT_EQ(bert([&] { return text_of(at("servers/annas/state")).error; }), 0);
  EXPECT_EQ(bert([&] { return write_to(at("servers/annas/enable"), "0"); }), EACCES);
  EXPECT_EQ(bert([&] { return send(at("clients/anna/conn"), "hello"); }), EACCES);
  EXPECT_EQ(bert([&] { return look(at("servers/annas/conn0")).error; }), EACCES);
  const int removed = bert([&] { return remove_directory(at("servers/annas")); });
  EXPECT_TRUE(removed == EACCES || removed == EPERM) << removed;
  EXPECT_EQ(value(at("servers/annas/state")), "running");
}

struct QuotaTest : PermissionTest {
  std::vector<std::string> arguments() const override { return {"-o", "user_objects=3"}; }
};

// Descriptors are all users', and a server takes five of them.
TEST_F(QuotaTest, UserHasSoManyObjectsAndNoMoreUntilHeRemovesOne) {
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(as_user(kAnna, [&] { return make_server(name); }), 0);
  }
  const auto make = [&](const char* name) {
    return as_user(kAnna, [&] { return ::mkdir(at(name).c_str(), 0755) == 0 ? 0 : errno; });
  };
  ASSERT_EQ(make("clients/c"), 0);
  EXPECT_EQ(make("clients/d"), EDQUOT);
  EXPECT_EQ(as_user(kBert, [&] { return make_server("berts"); }), 0);
  for (int n = 0; n < 5; ++n) EXPECT_EQ(make_server("roots" + std::to_string(n)), 0);
  ASSERT_EQ(as_user(kAnna, [&] { return remove_directory(at("servers/a")); }), 0);
  EXPECT_TRUE(eventually([&] { return make("clients/d") == 0; }));
}

TEST_F(QuotaTest, RemovedOneIsHisUntilNobodyHasAFileOfItOpen) {
  const auto make = [&] { return as_user(kAnna, [&] { return make_server("a"); }); };
  for (int n = 0; n < 9; ++n) {
    ASSERT_TRUE(eventually([&] { return make() == 0; })) << n;
    const File events(at("servers/a/events"), O_RDONLY | O_NONBLOCK);
    ASSERT_EQ(as_user(kAnna, [&] { return remove_directory(at("servers/a")); }), 0);
  }
}

struct MemoryQuotaTest : PermissionTest {
  std::vector<std::string> arguments() const override { return {"-o", "user_memory=1M"}; }
};

// Memory of the daemon, as soon as messages fill it.
TEST_F(MemoryQuotaTest, UserPostsSoManyBytesAndNoMoreUntilHeGivesThemBack) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo/conn_mode"), "0777"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  const fs::path consumers = at("servers/echo/conn0/consumers");
  const auto post = [&](std::uint32_t uid, const char* name, const char* buf_size) {
    return as_user(uid, [&, consumer = consumers / name] {
      if (const int made = make_directory(consumer); made != 0 && made != EEXIST) return made;
      if (const int set = write_to(consumer / "buf_size", buf_size); set != 0) return set;
      if (const int set = write_to(consumer / "depth", "8"); set != 0) return set;
      return write_to(consumer / "enable", "1");
    });
  };
  EXPECT_EQ(post(kAnna, "a", "98304"), 0);
  EXPECT_EQ(post(kAnna, "b", "65536"), EDQUOT);
  EXPECT_NE(value(consumers / "b/error").find("user_memory="), std::string::npos);
  EXPECT_EQ(post(kAnna, "b", "32768"), 0);
  EXPECT_EQ(post(kBert, "c", "131072"), 0);
  EXPECT_EQ(post(0, "d", "1048576"), 0) << "root is not counted";
  // What he had before is not counted beside what he has now.
  ASSERT_EQ(write_to(consumers / "a/enable", "0"), 0);
  EXPECT_EQ(post(kAnna, "a", "98304"), 0);
  ASSERT_EQ(as_user(kAnna, [&] { return remove_directory(consumers / "a"); }), 0);
  EXPECT_EQ(post(kAnna, "e", "98304"), 0);
}

TEST_F(MemoryQuotaTest, WhatPutsKeepIsTheirOwners) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("echo"); }), 0);
  ASSERT_EQ(as_user(kAnna, [&] { return connect("me", "echo"); }), 0);
  const fs::path consumer = at("servers/echo/conn0/consumers/c0");
  const fs::path producer = at("clients/me/conn/producers/p0");
  ASSERT_EQ(make_directory(consumer), 0);
  ASSERT_EQ(write_to(consumer / "enable", "1"), 0);
  ASSERT_EQ(as_user(kAnna, [&] { return make_directory(producer); }), 0);
  ASSERT_EQ(write_to(producer / "target", value(consumer / "id")), 0);
  const std::string half(400UL << 10U, 'x');
  for (const char* name : {"put", "send.framed"}) {
    const std::string begin = std::string_view(name) == "put" ? "" : "1000000\n";
    std::optional<File> first(std::in_place, producer / name, O_WRONLY);
    EXPECT_EQ(first->write(begin + half), 0);
    const File second(producer / name, O_WRONLY), third(producer / name, O_WRONLY);
    EXPECT_EQ(second.write(begin + half), 0);
    EXPECT_EQ(third.write(begin + half), EDQUOT) << name;
    EXPECT_NE(value(producer / "error").find("user_memory="), std::string::npos);
    first.reset();
    EXPECT_EQ(File(producer / name, O_WRONLY).write(begin + half), 0) << name;
  }
}

TEST_F(MemoryQuotaTest, RemovedConsumerHasNoMemoryAlthoughAFileOfItWasOpen) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo/conn_mode"), "0777"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  const fs::path consumer = at("servers/echo/conn0/consumers/c0");
  const auto make = [&] {
    return as_user(kAnna, [&] {
      if (const int made = make_directory(consumer); made != 0) return made;
      if (const int set = write_to(consumer / "buf_size", "65536"); set != 0) return set;
      return write_to(consumer / "enable", "1");
    });
  };
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(make(), 0) << n << ": " << value(consumer / "error");
    const File recv(consumer / "recv", O_RDONLY | O_NONBLOCK);
    ASSERT_EQ(as_user(kAnna, [&] { return remove_directory(consumer); }), 0);
    EXPECT_EQ(recv.read(), failed(ENODEV));
    ASSERT_TRUE(eventually([&] { return list(at("clients/me/conn/remote")).empty(); }));
  }
}

TEST_F(PermissionTest, OwnerUsesHisObjects) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("annas"); }), 0);
  ASSERT_EQ(connect_as(kAnna, "anna", "annas"), 0);
  EXPECT_EQ(as_user(kAnna, [&] { return send(at("clients/anna/conn"), "hello"); }), 0);
  EXPECT_EQ(
      as_user(kAnna, [&] { return get(at("servers/annas/conn0")) == got("hello") ? 0 : EIO; }), 0);
}

TEST_F(PermissionTest, ServersOwnerAndRootAreLetInOthersAreNot) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("annas"); }), 0);
  EXPECT_EQ(connect_as(kAnna, "anna", "annas"), 0);
  EXPECT_EQ(connect("root", "annas"), 0);
  EXPECT_EQ(connect_as(kBert, "bert", "annas"), EACCES);
}

TEST_F(PermissionTest, AllowUidLetsAUserIn) {
  make_server_with("allow_uid", std::to_string(kAnna));
  EXPECT_EQ(connect_as(kAnna, "anna", "echo"), 0);
  EXPECT_EQ(connect_as(kBert, "bert", "echo"), EACCES);
}

TEST_F(PermissionTest, AllowGidLetsAGroupIn) {
  make_server_with("allow_gid", std::to_string(kAnna));
  EXPECT_EQ(connect_as(kAnna, "anna", "echo"), 0);
  EXPECT_EQ(connect_as(kBert, "bert", "echo"), EACCES);
}

TEST_F(PermissionTest, AnotherUserThroughTheMountIsRefusedByALibraryServerThatDoesNotListHim) {
  const LibraryServer server("library", {.access = {.uids = {kAnna}, .gids = {}}});
  ASSERT_TRUE(server.is_ready());
  EXPECT_EQ(connect_as(kBert, "bert", "library"), EACCES) << "the daemon is root, Bert is not";
  EXPECT_EQ(connect_as(kAnna, "anna", "library"), 0);
  EXPECT_EQ(as_user(kAnna, [&] { return send(at("clients/anna/conn"), "hello"); }), 0);
}

TEST_F(PermissionTest, LibraryClientOfAUserIsAcceptedByATreeServerThatListsHim) {
  make_server_with("allow_uid", std::to_string(kAnna));
  const LibraryClient anna("echo", {.sends = {"hello"}, .uid = kAnna, .gid = kAnna});
  ASSERT_TRUE(anna.is_ready());
  ASSERT_TRUE(has_connections(at("servers/echo"), 1));
  EXPECT_EQ(get(at("servers/echo/conn0")), got("hello"));
  EXPECT_EQ(value(at("servers/echo/conn0/peer_uid")), std::to_string(kAnna));
  LibraryClient bert("echo", {.sends = {}, .uid = kBert, .gid = kBert});
  EXPECT_EQ(bert.process().wait(), Exit::with(LibraryClient::kRefused));
}

TEST_F(PermissionTest, LibraryClientOfAUserIsAcceptedByHisOwnServerInTheTree) {
  ASSERT_EQ(as_user(kAnna, [&] { return make_server("annas"); }), 0);
  const LibraryClient anna("annas", {.sends = {}, .uid = kAnna, .gid = kAnna});
  EXPECT_TRUE(anna.is_ready());
}

TEST_F(PermissionTest, ConnUidGidAndModeAreGivenToConnections) {
  ASSERT_EQ(make_server("echo"), 0);
  const fs::path server = at("servers/echo");
  ASSERT_EQ(write_to(server / "enable", "0"), 0);
  ASSERT_EQ(write_to(server / "conn_uid", std::to_string(kAnna)), 0);
  ASSERT_EQ(write_to(server / "conn_gid", std::to_string(kBert)), 0);
  ASSERT_EQ(write_to(server / "conn_mode", "0750"), 0);
  ASSERT_EQ(write_to(server / "enable", "1"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  const struct stat info = stat_of(connections(server).front());
  EXPECT_EQ(info.st_uid, kAnna);
  EXPECT_EQ(info.st_gid, kBert);
  EXPECT_EQ(info.st_mode & 07777, 0750U);
  ASSERT_EQ(send(at("clients/me/conn"), "for anna"), 0);
  const fs::path end = connections(server).front();
  EXPECT_EQ(as_user(kAnna, [&] { return get(end) == got("for anna") ? 0 : EIO; }), 0);
}

TEST_F(PermissionTest, ChownAndChmodPassOnToConnections) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  ASSERT_EQ(errno_of(::chown(at("servers/echo").c_str(), kAnna, kBert)), 0);
  ASSERT_EQ(errno_of(::chmod(at("servers/echo").c_str(), 0700)), 0);
  // What the kernel remembers of conn0 is called back when it has let go of the parent.
  ASSERT_TRUE(eventually([&] { return stat_of(at("servers/echo/conn0")).st_uid == kAnna; }));
  const struct stat info = stat_of(at("servers/echo/conn0"));
  EXPECT_EQ(info.st_gid, kBert);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  EXPECT_EQ(stat_of(at("servers/echo/enable")).st_uid, kAnna);
  EXPECT_EQ(as_user(kBert, [&] { return text_of(at("servers/echo/state")).error; }), EACCES);
}

TEST_F(PermissionTest, ChmodOfOneFileIsOfThatObjectAndItsOwner) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(make_server("other"), 0);
  const auto mode = [&](const char* path) { return stat_of(at(path)).st_mode & 07777U; };
  const auto open_up = [&](const char* path) { return errno_of(::chmod(at(path).c_str(), 0666)); };
  ASSERT_EQ(open_up("servers/echo/enable"), 0);
  ASSERT_EQ(open_up("servers/echo/recv"), 0);
  EXPECT_EQ(mode("servers/echo/enable"), 0666U);
  EXPECT_EQ(mode("servers/other/enable"), 0644U);
  ASSERT_EQ(errno_of(::chmod(at("servers/echo").c_str(), 0700)), 0);
  EXPECT_EQ(mode("servers/echo/enable"), 0666U) << "the last word on this file";
  ASSERT_EQ(errno_of(::chown(at("servers/echo").c_str(), kAnna, kAnna)), 0);
  EXPECT_EQ(mode("servers/echo/enable"), 0600U) << "and not its next owner's";
  EXPECT_TRUE(eventually([&] { return mode("servers/echo/recv") == 0400U; }));
  ASSERT_EQ(open_up("servers/echo/enable"), 0);
  EXPECT_EQ(mode("servers/echo/enable"), 0666U);
  ASSERT_EQ(remove_directory(at("servers/echo")), 0);
  ASSERT_TRUE(eventually([&] { return make_server("echo") == 0; }));
  EXPECT_EQ(mode("servers/echo/enable"), 0644U);
}

TEST_F(PermissionTest, OnlyTheOwnerChangesTheMode) {
  ASSERT_EQ(make_server("echo"), 0);
  EXPECT_EQ(as_user(kAnna, [&] { return errno_of(::chmod(at("servers/echo").c_str(), 0777)); }),
            EPERM);
  EXPECT_EQ(
      as_user(kAnna, [&] { return errno_of(::chown(at("servers/echo").c_str(), kAnna, kAnna)); }),
      EPERM);
}

TEST_F(PermissionTest, CloneBelongsToWhoOpenedIt) {
  EXPECT_EQ(as_user(kAnna,
                    [&] {
                      const File clone(at("clients/clone"), O_RDWR);
                      for (const auto& entry : fs::directory_iterator(at("clients")))
                        if (entry.is_directory())
                          return stat_of(entry.path()).st_uid == kAnna ? 0 : EIO;
                      return clone.error() != 0 ? clone.error() : ENOENT;
                    }),
            0);
}

TEST_F(PermissionTest, ConsumersBelongToWhoMayUseTheConnection) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo/conn_uid"), std::to_string(kAnna)), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
  const fs::path consumer = at("servers/echo/conn0/consumers/c0");
  EXPECT_EQ(as_user(kBert, [&] { return make_directory(consumer); }), EACCES);
  EXPECT_EQ(as_user(kAnna, [&] { return make_directory(consumer); }), 0);
  struct stat info = {};
  ASSERT_EQ(::stat(consumer.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kAnna);
  EXPECT_EQ(as_user(kBert, [&] { return write_to(consumer / "enable", "1"); }), EACCES);
  EXPECT_EQ(as_user(kBert, [&] { return File(consumer / "recv").error(); }), EACCES);
  EXPECT_EQ(as_user(kBert, [&] { return remove_directory(consumer); }), EACCES);
  EXPECT_EQ(as_user(kAnna, [&] { return write_to(consumer / "enable", "1"); }), 0);
  EXPECT_EQ(as_user(kAnna, [&] { return remove_directory(consumer); }), 0);
}

}  // namespace
}  // namespace comch::test
