// Directory: making, listing, removing, and whom to trust.
#include "os/directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace comch::os {
namespace {

struct DirectoryTest : testing::Test {
  test::TempDir temporary;
  Fd directory = open_directory(temporary.path().c_str()).value();
};

TEST_F(DirectoryTest, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(open_directory((temporary / "none").c_str()).error().code, Errc::not_found);
  std::ofstream(temporary / "file") << "x";
  EXPECT_EQ(open_directory((temporary / "file").c_str()).error().code, Errc::not_found);
  EXPECT_EQ(open_directory_at(directory, "none").error().code, Errc::not_found);
  EXPECT_EQ(unlink_at(directory, "none").error().code, Errc::not_found);
  EXPECT_EQ(remove_directory_at(directory, "none").error().code, Errc::not_found);
}

TEST_F(DirectoryTest, IsMadeOnceAndRemovedWhenEmpty) {
  ASSERT_TRUE(make_directory_at(directory, "d", 0755));
  EXPECT_EQ(make_directory_at(directory, "d", 0755).error().code, Errc::already_exist);
  std::ofstream(temporary / "d" / "file") << "x";
  EXPECT_EQ(remove_directory_at(directory, "d").error().code, Errc::in_use);
  EXPECT_TRUE(unlink_at(open_directory_at(directory, "d").value(), "file"));
  EXPECT_TRUE(remove_directory_at(directory, "d"));
  EXPECT_TRUE(temporary.entries().empty());
}

TEST_F(DirectoryTest, ALinkInsideIsNotFollowed) {
  std::filesystem::create_directory(temporary / "d");
  std::filesystem::create_directory_symlink(temporary / "d", temporary / "link");
  EXPECT_TRUE(open_directory_at(directory, "d"));
  EXPECT_FALSE(open_directory_at(directory, "link"));
}

TEST_F(DirectoryTest, MakesWhatIsMissingOfAPath) {
  const std::string path = temporary / "a//b/c/";
  const Fd made = make_directories(path.c_str(), 0700).value();
  EXPECT_TRUE(make_directory_at(made, "d", 0700));
  EXPECT_TRUE(std::filesystem::is_directory(temporary / "a/b/c/d"));
  struct stat found = {};
  ASSERT_EQ(::stat((temporary / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777u, 0700u);
  EXPECT_TRUE(make_directories(path.c_str(), 0700)) << "what is there is opened";
  EXPECT_TRUE(make_directories("/", 0700));
  EXPECT_TRUE(make_directories(".", 0700));
  EXPECT_EQ(make_directories("", 0700).error().code, Errc::not_found);
  std::ofstream(temporary / "file") << "x";
  EXPECT_EQ(make_directories((temporary / "file/d").c_str(), 0700).error().code, Errc::not_found);
}

TEST_F(DirectoryTest, ListsItsNamesSortedEachTimeAnew) {
  EXPECT_TRUE(names_at(directory).value().empty());
  std::vector<std::string> made;
  for (int i = 100; i < 400; ++i) {  // More than one answer of the kernel's.
    made.push_back("a-rather-long-name-" + std::to_string(i));
    std::ofstream(temporary / made.back()) << "x";
  }
  EXPECT_EQ(names_at(directory).value(), made);
  EXPECT_EQ(names_at(directory).value(), made);
}

TEST_F(DirectoryTest, SaysWhetherItMayBeWritten) {
  EXPECT_TRUE(may_write(directory));
  EXPECT_FALSE(may_write(open_directory("/proc/self").value()));
}

TEST_F(DirectoryTest, IsTrustedWhenOnlyWeRootAndOwnersCouldPutNamesThere) {
  const auto with_mode = [&](mode_t mode) {
    EXPECT_EQ(::chmod(temporary.path().c_str(), mode), 0);
    return check_trusted(directory);
  };
  EXPECT_TRUE(with_mode(0700));
  EXPECT_TRUE(with_mode(0755));
  EXPECT_TRUE(with_mode(01777));
  EXPECT_EQ(with_mode(0777).error().code, Errc::not_permitted);
  EXPECT_EQ(with_mode(0775).error().code, Errc::not_permitted);
  EXPECT_TRUE(with_mode(0700));
  EXPECT_TRUE(check_trusted(open_directory("/").value()));
}

TEST_F(DirectoryTest, OfAStrangerIsNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  ASSERT_EQ(::chown(temporary.path().c_str(), 12345, 12345), 0);
  EXPECT_EQ(check_trusted(directory).error().code, Errc::not_permitted);
  ASSERT_EQ(::chown(temporary.path().c_str(), 0, 0), 0);
}

}  // namespace
}  // namespace comch::os
