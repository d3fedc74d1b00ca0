// packaging/quickstart: shows the main job, and fails when it is not what it shows.
//
// A directory for which ninja has nothing to do, with the programs of the tests' own build,
// stands in for the build that quickstart would make.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/mount.h"
#include "support/process_counters.h"
#include "tool_test.h"

namespace comch::test {
namespace {

using testing::HasSubstr;

// It starts more than a dozen programs, one after the other.
constexpr auto kQuickstartTakes = std::chrono::seconds(180);

// Set by the meson.build of this test.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : std::string(name) + " is not set";
}

struct QuickstartTest : ToolTest {
  void SetUp() override {
    if (auto reason = Mount::unavailable()) GTEST_SKIP() << *reason;
  }

  Said quickstart(const std::string& build) const {
    return Program("env COMCH_NO_INSTALL=1 " + variable("COMCH_SOURCE") +
                   "/packaging/quickstart --mount " + (dir_ / "comch").string() + " --build " +
                   build)
        .end(Deadline(kQuickstartTakes));
  }

  // A build whose comchfs is a shell script, or the real one.
  std::string build_with(const std::string& script) const {
    namespace fs = std::filesystem;
    const fs::path real = variable("COMCH_BUILD");
    const fs::path build = dir_ / "build";
    fs::create_directories(build / "core");
    fs::create_directory_symlink(real / "examples", build / "examples");
    fs::create_directory_symlink(real / "core/tool", build / "core/tool");
    std::ofstream(build / "build.ninja") << "rule nothing\n  command = true\n";
    if (script.empty()) {
      fs::create_directory_symlink(real / "fuse", build / "fuse");
      return build;
    }
    fs::create_directory(build / "fuse");
    std::ofstream(build / "fuse/comchfs") << "#!/bin/sh\n" << script << '\n';
    fs::permissions(build / "fuse/comchfs", fs::perms::owner_all);
    return build;
  }
  std::string real_build() const { return build_with(""); }

  TempDir dir_;
};

TEST_F(QuickstartTest, ShowsTheMainJobAndLeavesNothingMounted) {
  const Said said = quickstart(real_build());
  EXPECT_EQ(said.code, 0) << said;
  const std::string comch = dir_ / "comch";
  EXPECT_THAT(said.out, HasSubstr("$ mkdir " + comch + "/servers/echo\n"));
  EXPECT_THAT(said.out, HasSubstr("$ cat " + comch + "/servers/echo/conn0/get\nhello dpu\n"));
  EXPECT_THAT(said.out, HasSubstr("/conn0/send\nhello host\n"));
  EXPECT_THAT(said.out, HasSubstr("3 pings came back"));
  EXPECT_EQ(mounts_under(dir_.path()), std::vector<std::string>{});
}

TEST_F(QuickstartTest, MountThatFailsIsAFailure) {
  const Said said = quickstart(build_with("exit 3"));
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("quickstart: exit code 3: comchfs"));
}

TEST_F(QuickstartTest, MountThatIsNotThereIsAFailure) {
  const Said said = quickstart(build_with("exit 0"));
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("is not mounted"));
}

// A tree of plain directories makes no connection.
TEST_F(QuickstartTest, TreeThatDoesNotConnectIsAFailure) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a tmpfs";
  const Said said = quickstart(
      build_with("mount -t tmpfs none \"$1\" && mkdir -p \"$1/servers\" \"$1/clients\""));
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("quickstart: "));
  EXPECT_EQ(mounts_under(dir_.path()), std::vector<std::string>{});
}

}  // namespace
}  // namespace comch::test
