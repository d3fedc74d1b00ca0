// Runtime directory: which one servers take, and where clients look.
//
// The tests of /run/comch see another root directory: opening "/" opens a temporary
// one instead.
#include "os/runtime_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

namespace fs = std::filesystem;

// The environment and the root directory of a test.
struct RuntimeDirectoryTest : testing::Test {
  RuntimeDirectoryTest() {
    for (const char* name : {"COMCH_RUNTIME_DIR", "XDG_RUNTIME_DIR"}) {
      const char* value = ::getenv(name);
      before.emplace_back(name, value == nullptr ? "" : value);
      ::unsetenv(name);
    }
    root = temporary.path();
    run_is_read_only = false;
    fs::create_directories(temporary / "run");
    fs::create_directories(temporary / "session");
  }
  ~RuntimeDirectoryTest() override {
    for (const auto& [name, value] : before) {
      if (value.empty()) {
        ::unsetenv(name.c_str());
      } else {
        ::setenv(name.c_str(), value.c_str(), 1);
      }
    }
  }

  // "/" is the temporary directory, and /run cannot be written when a test says so.
  static Syscalls other_root() {
    Syscalls table = kKernel;
    table.openat = [](int directory, const char* name, int flags, mode_t mode) {
      const std::string path = name[0] == '/' ? root + name : std::string(name);
      return kKernel.openat(directory, path.c_str(), flags, mode);
    };
    table.mkdirat = [](int directory, const char* name, mode_t mode) {
      if (run_is_read_only && fs::read_symlink("/proc/self/fd/" + std::to_string(directory)) ==
                                  fs::path(root) / "run") {
        errno = EACCES;
        return -1;
      }
      return kKernel.mkdirat(directory, name, mode);
    };
    return table;
  }

  static std::string path_of(const Fd& fd) {
    return fs::read_symlink("/proc/self/fd/" + std::to_string(fd.get()));
  }
  static std::vector<std::string> for_clients() {
    std::vector<std::string> paths;
    const std::vector<Fd> found = runtime_directories_for_clients().value();
    for (const Fd& fd : found) paths.push_back(path_of(fd));
    return paths;
  }

  static inline std::string root;
  static inline bool run_is_read_only = false;
  test::TempDir temporary;
  Syscalls table = other_root();
  ScopedSyscalls scope{table};
  std::vector<std::pair<std::string, std::string>> before;
};

TEST_F(RuntimeDirectoryTest, TheSystemsIsMadeWhereThatIsPermitted) {
  EXPECT_EQ(path_of(runtime_directory_for_servers().value()), temporary / "run/comch");
  EXPECT_EQ(for_clients(), (std::vector<std::string>{temporary / "run/comch"}));
}

TEST_F(RuntimeDirectoryTest, TheSessionsIsTakenWhereTheSystemsMayNotBeWritten) {
  run_is_read_only = true;
  ::setenv("XDG_RUNTIME_DIR", "/session", 1);
  EXPECT_EQ(path_of(runtime_directory_for_servers().value()), temporary / "session/comch");
  EXPECT_EQ(for_clients(), (std::vector<std::string>{temporary / "session/comch"}));
}

TEST_F(RuntimeDirectoryTest, ClientsLookIntoTheSystemsFirst) {
  fs::create_directories(temporary / "run/comch");
  fs::create_directories(temporary / "session/comch");
  ::setenv("XDG_RUNTIME_DIR", "/session", 1);
  EXPECT_EQ(for_clients(),
            (std::vector<std::string>{temporary / "run/comch", temporary / "session/comch"}));
}

TEST_F(RuntimeDirectoryTest, TheUsersChoiceIsTheOnlyOne) {
  fs::create_directories(temporary / "run/comch");
  ::setenv("XDG_RUNTIME_DIR", "/session", 1);
  ::setenv("COMCH_RUNTIME_DIR", "/chosen/here", 1);
  EXPECT_TRUE(for_clients().empty()) << "clients make no directories";
  EXPECT_EQ(path_of(runtime_directory_for_servers().value()), temporary / "chosen/here");
  EXPECT_EQ(for_clients(), (std::vector<std::string>{temporary / "chosen/here"}));
}

TEST_F(RuntimeDirectoryTest, AnEmptyVariableIsNone) {
  ::setenv("COMCH_RUNTIME_DIR", "", 1);
  EXPECT_EQ(path_of(runtime_directory_for_servers().value()), temporary / "run/comch");
}

TEST_F(RuntimeDirectoryTest, WhereNoneMayBeWrittenTheUserIsToldWhatToSet) {
  run_is_read_only = true;
  const Result<Fd> none = runtime_directory_for_servers();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_permitted);
  EXPECT_NE(std::strstr(none.error().what, "set COMCH_RUNTIME_DIR"), nullptr);
  ::setenv("COMCH_RUNTIME_DIR", "/run/chosen", 1);
  const Result<Fd> chosen = runtime_directory_for_servers();
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, Errc::not_permitted);
  EXPECT_NE(std::strstr(chosen.error().what, "COMCH_RUNTIME_DIR"), nullptr);
}

TEST_F(RuntimeDirectoryTest, ADirectoryThatAnybodyCouldChangeIsPassedOver) {
  fs::create_directories(temporary / "run/comch");
  ASSERT_EQ(::chmod((temporary / "run/comch").c_str(), 0777), 0);
  ::setenv("XDG_RUNTIME_DIR", "/session", 1);
  EXPECT_EQ(path_of(runtime_directory_for_servers().value()), temporary / "session/comch");
  EXPECT_EQ(for_clients(), (std::vector<std::string>{temporary / "session/comch"}));
}

TEST_F(RuntimeDirectoryTest, WithoutADescriptorLeftNoOtherPlaceIsTaken) {
  ::setenv("XDG_RUNTIME_DIR", "/session", 1);
  test::RiggedSyscalls rig({.nth = 1, .sys = EMFILE});
  EXPECT_EQ(runtime_directory_for_servers().error().sys, EMFILE);
}

}  // namespace
}  // namespace comch::os
