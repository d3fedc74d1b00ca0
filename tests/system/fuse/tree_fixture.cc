// TreeTest and PairTest; tree_fixture.h says what they promise.
#include "tree_fixture.h"

#include <sys/stat.h>

#include <algorithm>

namespace comch::test {
namespace fs = std::filesystem;

void TreeTest::SetUp() {
  if (auto reason = Mount::unavailable()) GTEST_SKIP() << *reason;
  ::umask(022);  // The modes that tests name are those of this mask.
  tree_ = std::make_unique<Mount>(arguments());
  Watchdog::guard(tree_->daemon().pid());
  ASSERT_TRUE(tree_->ready()) << tree_->log();
}

int TreeTest::make_server(std::string_view name) const {
  return errno_of(::mkdir((root() / "servers" / name).c_str(), 0777));
}

int TreeTest::connect(std::string_view client, std::string_view server) const {
  const fs::path directory = root() / "clients" / client;
  if (::mkdir(directory.c_str(), 0777) != 0) return errno;
  // Of the few packets that make a connection over RDMA each that a lossy link loses takes the
  // kernel 4.3 s to send again.
  if (const int error = write_to(directory / "connect_timeout_ms", "40000"); error != 0)
    return error;
  return write_to(directory / "server", server);
}

std::vector<std::string> TreeTest::list(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error))
    names.push_back(entry.path().filename().string());
  if (error) ADD_FAILURE() << directory << ": " << error.message();
  std::ranges::sort(names);
  return names;
}

void PairTest::SetUp() {
  TreeTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  server_ = at("servers/echo");
  client_ = at("clients/me");
  server_end_ = server_ / "conn0";
  client_end_ = client_ / "conn";
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(connect("me", "echo"), 0);
}

void PairTest::configure_both(std::string_view setting, std::string_view text) {
  ASSERT_EQ(write_to(client_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(client_ / setting, text), 0);
  ASSERT_EQ(write_to(server_ / setting, text), 0);
  ASSERT_EQ(write_to(server_ / "enable", "1"), 0);
  ASSERT_EQ(write_to(client_ / "enable", "1"), 0);
  const auto ends = connections(server_);
  ASSERT_FALSE(ends.empty()) << "no connection after a second start";
  server_end_ = ends.back();
}

std::vector<fs::path> connections(const fs::path& server) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(server, error))
    if (entry.is_directory() && entry.path().filename().string().starts_with("conn"))
      found.push_back(entry.path());
  std::ranges::sort(found, {}, [](const fs::path& path) {
    return std::stoull(path.filename().string().substr(4));
  });
  return found;
}

bool has_connections(const fs::path& server, std::size_t count) {
  return eventually([&] { return connections(server).size() == count; });
}

}  // namespace comch::test
