// The tree as it lies there: names, modes, sizes, and what cannot be done to it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using TreeLayoutTest = PairTest;

struct HostTreeTest : TreeTest {
  std::vector<std::string> arguments() const override { return {"-o", "side=host"}; }
};
struct DpuTreeTest : TreeTest {
  std::vector<std::string> arguments() const override { return {"-o", "side=dpu"}; }
};
struct ManualTreeTest : TreeTest {
  std::vector<std::string> arguments() const override { return {"-o", "noautostart"}; }
};

struct stat stat_of(const fs::path& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) ADD_FAILURE() << path << ": " << std::strerror(errno);
  return info;
}

// `expected` is in `names`, which may hold more.
void expect_all_in(const std::vector<std::string>& names, const std::set<std::string>& expected) {
  for (const std::string& name : expected)
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name << " is missing";
}

bool has_error(const fs::path& file, int error) {
  EXPECT_EQ(error, EPERM) << file;
  return error == EPERM;
}

TEST_F(TreeLayoutTest, RootHoldsHelpVersionDevicesMetricsAndTheDirectoriesOfObjects) {
  expect_all_in(list(root()), {"README", "version", "devices", "metrics", "status.json", "events",
                               "ctl", "servers", "clients", "msgq"});
  EXPECT_EQ(text_of(at("version")), got("comchfs 1.0 abi 1\n"));
  EXPECT_NE(text_of(at("README")).bytes.find("servers"), std::string::npos);
}

TEST_F(TreeLayoutTest, ServerHasSettingsStateErrorStatsAndStreams) {
  expect_all_in(
      list(server_),
      {"name",        "device",   "rep",      "max_msg_size", "recv_queue_size", "send_tasks",
       "max_clients", "conn_uid", "conn_gid", "conn_mode",    "allow_uid",       "allow_gid",
       "enable",      "state",    "error",    "stats",        "stats.json",      "ctl",
       "events",      "recv",     "conn0"});
}

TEST_F(TreeLayoutTest, ConnectionHasIdentityStatsAndStreams) {
  const std::set<std::string> expected = {
      "id",   "state", "user_data", "peer_uid", "peer_pid",    "stats",       "stats.json",
      "send", "put",   "recv",      "get",      "recv.framed", "send.framed", "ctl"};
  expect_all_in(list(server_end_), expected);
  expect_all_in(list(client_end_), expected);
  expect_all_in(list(server_end_ / "stats"),
                {"tx_msgs", "tx_bytes", "rx_msgs", "rx_bytes", "in_flight"});
}

TEST_F(TreeLayoutTest, ClientHasSettingsStateErrorStatsStreamsAndItsConnection) {
  expect_all_in(list(client_), {"server", "device", "max_msg_size", "recv_queue_size", "send_tasks",
                                "enable", "state", "error", "stats", "ctl", "events", "conn"});
  EXPECT_EQ(value(client_ / "server"), "echo");
}

TEST_F(TreeLayoutTest, PeerIsNamedByItsUidAndPid) {
  const std::string daemon = std::to_string(tree().daemon().pid());
  EXPECT_EQ(value(server_end_ / "peer_uid"), std::to_string(::getuid()));
  EXPECT_EQ(value(server_end_ / "peer_pid"), daemon);
  EXPECT_EQ(value(client_end_ / "peer_pid"), daemon);
}

TEST_F(TreeLayoutTest, EveryStreamIsASymlinkIntoAnUnlistedDirectoryBesideIt) {
  const std::map<fs::path, std::vector<std::string>> streams = {
      {root(), {"events", "ctl"}},
      {at("servers"), {"clone"}},
      {at("clients"), {"clone"}},
      {at("msgq"), {"clone"}},
      {server_, {"ctl", "events", "recv"}},
      {client_, {"ctl", "events"}},
      {server_end_, {"send", "put", "recv", "get", "recv.framed", "send.framed", "ctl"}},
      {client_end_, {"send", "put", "recv", "get", "recv.framed", "send.framed", "ctl"}}};
  for (const auto& [directory, names] : streams) {
    for (const std::string& name : names) {
      ASSERT_TRUE(fs::is_symlink(directory / name)) << directory / name;
      EXPECT_EQ(fs::read_symlink(directory / name), fs::path(".io") / name);
    }
    EXPECT_TRUE(fs::is_directory(directory / ".io")) << "hidden, and still there";
    const auto listed = list(directory);
    EXPECT_EQ(std::ranges::find(listed, ".io"), listed.end()) << directory;
  }
}

TEST_F(TreeLayoutTest, NoListedNameIsARegularFileThatCouldHoldAReader) {
  for (const auto& entry : fs::recursive_directory_iterator(root())) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    const Got text = File(entry.path(), O_RDONLY | O_NONBLOCK).read_to_end();
    EXPECT_EQ(text.error, 0) << entry.path() << ": " << text;
  }
}

TEST_F(TreeLayoutTest, StreamIsARegularFileOf4096BytesAnd8Blocks) {
  for (const char* name : {"send", "put", "recv", "get", "recv.framed", "send.framed", "ctl"}) {
    const struct stat info = stat_of(server_end_ / name);
    EXPECT_TRUE(S_ISREG(info.st_mode)) << name;
    EXPECT_EQ(info.st_size, 4096) << name;
    EXPECT_EQ(info.st_blocks, 8) << name;
  }
}

TEST_F(TreeLayoutTest, ModeOfAStreamSaysWhichWayItGoes) {
  const std::map<std::string, mode_t> modes = {{"send", 0200}, {"put", 0200}, {"send.framed", 0200},
                                               {"recv", 0400}, {"get", 0400}, {"recv.framed", 0400},
                                               {"ctl", 0600}};
  for (const auto& [name, mode] : modes)
    EXPECT_EQ(stat_of(client_end_ / name).st_mode & 07777, mode) << name;
  EXPECT_EQ(stat_of(server_ / "recv").st_mode & 07777, 0400U);
  EXPECT_EQ(stat_of(server_ / "events").st_mode & 07777 & ~0044U, 0400U);
}

TEST_F(TreeLayoutTest, ObjectBelongsToItsCreatorWithAllThatTheMaskLeaves) {
  EXPECT_EQ(stat_of(server_).st_mode & 07777, 0755U);
  EXPECT_EQ(stat_of(server_).st_uid, ::geteuid());
  ::umask(077);
  ASSERT_EQ(make_server("mine"), 0);
  ::umask(022);
  EXPECT_EQ(stat_of(at("servers/mine")).st_mode & 07777, 0700U);
}

TEST_F(TreeLayoutTest, SizeOfAnAttributeIsExact) {
  for (const fs::path& directory : {root(), server_, client_, server_end_, client_end_}) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.is_symlink() || !entry.is_regular_file()) continue;
      const std::string name = entry.path().filename();
      if (name == "metrics" || name == "status.json") continue;  // See the next test.
      EXPECT_EQ(static_cast<std::size_t>(stat_of(entry.path()).st_size),
                text_of(entry.path()).bytes.size())
          << entry.path();
    }
  }
}

TEST_F(TreeLayoutTest, AReportIsAsLongAsItWasTheLastTime) {
  for (const char* name : {"metrics", "status.json"}) {
    EXPECT_EQ(stat_of(at(name)).st_size, 4096) << name << " was never read";
    const auto [bytes, error] = text_of(at(name));
    EXPECT_EQ(error, 0) << name;
    EXPECT_TRUE(bytes.ends_with('\n')) << name;
    EXPECT_EQ(static_cast<std::size_t>(stat_of(at(name)).st_size), bytes.size()) << name;
  }
}

TEST_F(TreeLayoutTest, ValueIsASnapshotTakenAtOffsetZero) {
  ASSERT_EQ(write_to(client_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(client_ / "max_msg_size", "1234"), 0);
  const File size(client_ / "max_msg_size");
  EXPECT_EQ(size.read(2), got("12"));
  ASSERT_EQ(write_to(client_ / "max_msg_size", "5678", O_TRUNC), 0);
  EXPECT_EQ(size.read(), got("34\n")) << "torn";
  ASSERT_EQ(::lseek(size.fd(), 0, SEEK_SET), 0);
  EXPECT_EQ(size.read(), got("5678\n"));
}

TEST_F(TreeLayoutTest, FileCannotBeRemovedRenamedLinkedOrMade) {
  const fs::path elsewhere = server_ / "new";
  for (const fs::path& file : {server_ / "name", server_ / "state", client_ / "server",
                               server_ / "recv", server_end_ / "send", at("version")}) {
    EXPECT_TRUE(has_error(file, errno_of(::unlink(file.c_str()))));
    EXPECT_TRUE(has_error(file, errno_of(::rename(file.c_str(), elsewhere.c_str()))));
    EXPECT_TRUE(fs::exists(fs::symlink_status(file)));
  }
  for (const fs::path& directory : {root(), at("servers"), at("clients"), server_, client_end_}) {
    const fs::path fresh = directory / "fresh";
    EXPECT_TRUE(has_error(fresh, errno_of(::symlink("name", fresh.c_str()))));
    EXPECT_TRUE(has_error(fresh, File(fresh, O_WRONLY | O_CREAT).error()));
    EXPECT_TRUE(has_error(fresh, errno_of(::mknod(fresh.c_str(), S_IFREG | 0600, 0))));
    EXPECT_TRUE(has_error(fresh, errno_of(::mkfifo(fresh.c_str(), 0600))));
    EXPECT_FALSE(fs::exists(fresh));
  }
  EXPECT_TRUE(has_error(server_, errno_of(::rename(server_.c_str(), at("servers/x").c_str()))));
}

TEST_F(TreeLayoutTest, DirectoriesThatAreNoObjectsAreNeitherMadeNorRemoved) {
  for (const fs::path& place : {root() / "x", at("devices/x"), server_ / "x", client_end_ / "x"})
    EXPECT_TRUE(has_error(place, make_directory(place)));
  for (const fs::path& fixed :
       {at("servers"), at("devices"), server_ / "stats", client_end_ / "stats"}) {
    EXPECT_NE(::rmdir(fixed.c_str()), 0) << fixed;
    EXPECT_TRUE(fs::is_directory(fixed)) << fixed;
  }
}

TEST_F(TreeLayoutTest, SettingsAreWritableWhileIdleOnly) {
  const std::map<std::string, std::string> of_a_server = {
      {"name", "other"},   {"device", "03:00.0"},     {"rep", "b1:00.0"},  {"max_msg_size", "100"},
      {"send_tasks", "8"}, {"recv_queue_size", "16"}, {"max_clients", "3"}};
  for (const auto& [name, text] : of_a_server) {
    const std::string before = value(server_ / name);
    EXPECT_EQ(write_to(server_ / name, text), EBUSY) << name;
    EXPECT_EQ(value(server_ / name), before) << name;
  }
  ASSERT_EQ(write_to(client_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  for (const auto& [name, text] : of_a_server)
    EXPECT_EQ(write_to(server_ / name, text + "\n"), 0) << name;
  EXPECT_EQ(value(server_ / "name"), "other");
  EXPECT_EQ(value(server_ / "max_msg_size"), "100");
  EXPECT_EQ(value(server_ / "max_clients"), "3");
}

TEST_F(TreeLayoutTest, ValueOutsideItsRangeIsRefusedAndChangesNothing) {
  ASSERT_EQ(write_to(client_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  for (const char* text : {"abc", "-1", "0", "1x", "99999999999999999999", "\n"}) {
    EXPECT_EQ(write_to(server_ / "max_msg_size", text), EINVAL) << text;
    EXPECT_EQ(value(server_ / "max_msg_size"), "4080") << text;
  }
  EXPECT_EQ(write_to(server_ / "enable", "2"), EINVAL);
  EXPECT_EQ(write_to(server_ / "name", std::string(120, 'n')), EINVAL) << "119 are the most";
}

TEST_F(TreeLayoutTest, StateAndStatsAreReadOnly) {
  for (const fs::path& file : {server_ / "state", server_ / "error", server_end_ / "id",
                               server_end_ / "stats/tx_msgs", at("version"), at("metrics")})
    EXPECT_EQ(stat_of(file).st_mode & 0222, 0U) << file;
}

TEST_F(TreeLayoutTest, NameDefaultsToTheDirectorys) {
  EXPECT_EQ(value(server_ / "name"), "echo");
  EXPECT_EQ(value(server_ / "max_msg_size"), "4080");
  EXPECT_EQ(value(server_ / "recv_queue_size"), "64");
}

TEST_F(TreeLayoutTest, DevicesTellTheirSideAddressLimitsAndRepresentors) {
  bool dpu_seen = false, host_seen = false;
  for (const auto& device : fs::directory_iterator(at("devices"))) {
    const std::string pci = value(device.path() / "pci");
    if (pci == "0000:03:00.0") {
      dpu_seen = true;
      EXPECT_EQ(value(device.path() / "side"), "dpu");
      EXPECT_EQ(list(device.path() / "reps").size(), 1U);
    } else if (pci == "0000:b1:00.0") {
      host_seen = true;
      EXPECT_EQ(value(device.path() / "side"), "host");
    }
    EXPECT_FALSE(list(device.path() / "caps").empty());
  }
  EXPECT_TRUE(dpu_seen);
  EXPECT_TRUE(host_seen);
  for (const auto& entry : fs::recursive_directory_iterator(at("devices")))
    EXPECT_TRUE(!entry.is_regular_file() || (stat_of(entry.path()).st_mode & 0222) == 0) << entry;
}

TEST_F(HostTreeTest, ShowsClientsOnly) {
  EXPECT_TRUE(fs::is_directory(at("clients")));
  EXPECT_FALSE(fs::exists(at("servers")));
}

TEST_F(DpuTreeTest, ShowsServersOnly) {
  EXPECT_TRUE(fs::is_directory(at("servers")));
  EXPECT_FALSE(fs::exists(at("clients")));
}

TEST_F(ManualTreeTest, NothingStartsBeforeItIsEnabled) {
  ASSERT_EQ(make_server("echo"), 0);
  EXPECT_EQ(value(at("servers/echo/state")), "idle");
  EXPECT_EQ(write_to(at("servers/echo/max_msg_size"), "256"), 0);
  EXPECT_EQ(write_to(at("servers/echo/enable"), "1"), 0);
  EXPECT_EQ(value(at("servers/echo/state")), "running");
  ASSERT_EQ(connect("me", "echo"), 0);
  EXPECT_EQ(value(at("clients/me/state")), "idle");
  EXPECT_EQ(write_to(at("clients/me/max_msg_size"), "256"), 0);
  EXPECT_EQ(write_to(at("clients/me/enable"), "1"), 0);
  EXPECT_EQ(value(at("clients/me/state")), "running");
}

}  // namespace
}  // namespace comch::test
