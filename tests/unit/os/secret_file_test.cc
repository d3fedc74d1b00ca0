// Secret file: read by whom it is for, refused when others could read it.
#include "os/secret_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

struct SecretFileTest : testing::Test {
  std::string file(const std::string& content, mode_t mode) {
    const std::string path = dir / "key";
    std::ofstream(path) << content;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  test::TempDir dir;
};

TEST_F(SecretFileTest, ItsBytesAreRead) {
  const auto secret = read_secret(file("a secret", 0600));
  ASSERT_TRUE(secret) << secret.error().what;
  EXPECT_EQ(secret->size(), 8U);
  EXPECT_EQ(secret->front(), std::byte{'a'});
  EXPECT_TRUE(read_secret(file("", 0400))->empty());
}

TEST_F(SecretFileTest, OneThatOthersMayOpenIsNoSecret) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U}) {
    EXPECT_EQ(read_secret(file("x", mode)).error().code, Errc::not_permitted) << std::oct << mode;
  }
}

TEST_F(SecretFileTest, OneOfAnotherUserIsNoSecret) {
  const std::string path = file("x", 0600);
  Syscalls table = kKernel;
  table.fstat = [](int fd, struct stat* out) {
    const int result = ::fstat(fd, out);
    out->st_uid += 1000;
    return result;
  };
  const ScopedSyscalls rigged(table);
  EXPECT_EQ(read_secret(path).error().code, Errc::not_permitted);
}

TEST_F(SecretFileTest, WhatIsNotThereOrNoFileIsToldApart) {
  EXPECT_EQ(read_secret(dir / "nothing").error().code, Errc::not_found);
  EXPECT_EQ(read_secret(dir.path()).error().code, Errc::invalid_value);
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_secret(fifo).error().code, Errc::invalid_value);
}

TEST_F(SecretFileTest, ALongFileIsNoSecret) {
  EXPECT_TRUE(read_secret(file(std::string(kMaxSecret, 'x'), 0600)));
  EXPECT_EQ(read_secret(file(std::string(kMaxSecret + 1, 'x'), 0600)).error().code, Errc::too_big);
}

TEST_F(SecretFileTest, AFailureOfTheKernelIsReported) {
  const std::string path = file("x", 0600);
  Syscalls table = kKernel;
  table.read = [](int, void*, size_t) -> ssize_t {
    errno = EIO;
    return -1;
  };
  const ScopedSyscalls rigged(table);
  EXPECT_EQ(read_secret(path).error().sys, EIO);
}

}  // namespace
}  // namespace comch::os
