// doca_log_backend_create_*: files, descriptors, buffers, syslog, and the standard streams.
#include <doca_log.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "comch/log.h"
#include "doca/answers.h"
#include "doca/logged.h"
#include "support/temp_dir.h"

DOCA_LOG_REGISTER(LOG_CREATE_TEST)

namespace comch::test {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

struct LogCreateTest : testing::Test {
  TempDir directory;
  const std::filesystem::path path = directory / "log";
};

TEST_F(LogCreateTest, AFileGetsEachLineAtOnce) {
  in_process([&] {
    std::FILE* file = std::fopen(path.c_str(), "w");
    doca_log_backend* backend = nullptr;
    ASSERT_EQ(doca_log_backend_create_with_file(file, &backend), DOCA_SUCCESS);
    DOCA_LOG_INFO("first");
    EXPECT_TRUE(content(path).ends_with("] first\n"));
    log(LogLevel::kError, "not of the program");
    EXPECT_EQ(content(path).find("not of"), std::string::npos);
  });
}

TEST_F(LogCreateTest, ADescriptorGetsEachLineAtOnce) {
  in_process([&] {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    doca_log_backend* backend = nullptr;
    ASSERT_EQ(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
    DOCA_LOG_INFO("first");
    EXPECT_TRUE(content(path).ends_with("] first\n"));
  });
}

TEST_F(LogCreateTest, ADescriptorThatFailsLosesTheLineOnly) {
  in_process([&] {
    const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    doca_log_backend* backend = nullptr;
    ASSERT_EQ(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
    EXPECT_EQ(doca_log(50, log_source, "f", 1, "g", "lost"), DOCA_SUCCESS);
  });
}

TEST_F(LogCreateTest, ABufferIsCutToItsCapacity) {
  in_process([] {
    static char buffer[] = "0123456789";
    static std::string seen;
    doca_log_backend* backend = nullptr;
    const auto keep = [](char* line) { seen = line; };
    ASSERT_EQ(doca_log_backend_create_with_buf(buffer, 6, keep, &backend), DOCA_SUCCESS);
    DOCA_LOG_INFO("text");
    EXPECT_EQ(seen.size(), 5u);
    EXPECT_EQ(seen.front(), '[');
    EXPECT_STREQ(buffer + 6, "6789");
  });
}

TEST_F(LogCreateTest, SdkBackendsGetTheLibrarysLines) {
  in_process([&] {
    std::FILE* file = std::fopen(path.c_str(), "w");
    const int fd = open((directory / "fd").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    doca_log_backend* backend = nullptr;
    ASSERT_EQ(doca_log_backend_create_with_file_sdk(file, &backend), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_backend_create_with_fd_sdk(fd, &backend), DOCA_SUCCESS);
    DOCA_LOG_CRIT("not of the library");
    log(LogLevel::kWarning, "of the library");
    EXPECT_TRUE(content(path).ends_with("[WRN][COMCH] of the library\n"));
    EXPECT_TRUE(content(directory / "fd").ends_with("[WRN][COMCH] of the library\n"));
    EXPECT_EQ(content(path).find("not of"), std::string::npos);
  });
}

TEST_F(LogCreateTest, TheStandardStreamsAreChosenByGravityAndOnce) {
  in_process([&] {
    ASSERT_NE(std::freopen((directory / "out").c_str(), "w", stdout), nullptr);
    ASSERT_NE(std::freopen((directory / "err").c_str(), "w", stderr), nullptr);
    ASSERT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
    DOCA_LOG_INFO("fine");
    DOCA_LOG_WARN("not fine");
    const std::string out = content(directory / "out");
    const std::string err = content(directory / "err");
    EXPECT_TRUE(out.ends_with("] fine\n"));
    EXPECT_TRUE(err.ends_with("] not fine\n"));
    EXPECT_EQ(std::ranges::count(out, '\n'), 1);
    EXPECT_EQ(std::ranges::count(err, '\n'), 1);
  });
}

TEST_F(LogCreateTest, SyslogIsOpenUnderOneName) {
  in_process([] {
    doca_log_backend* backend = nullptr;
    EXPECT_EQ(doca_log_backend_create_with_syslog("comch-test", &backend), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("comch-test", &backend), DOCA_SUCCESS);
    EXPECT_EQ(doca_log_backend_create_with_syslog("other", &backend), DOCA_ERROR_ALREADY_EXIST);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("other", &backend), DOCA_ERROR_ALREADY_EXIST);
    EXPECT_EQ(doca_log(60, log_source, "f", 1, "g", "dropped: a debug line"), DOCA_SUCCESS);
  });
}

TEST_F(LogCreateTest, WrongArgumentsAreRefused) {
  char buffer[8];
  doca_log_backend* backend = nullptr;
  const auto ignore = [](char*) {};
  EXPECT_EQ(doca_log_backend_create_with_file(nullptr, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_file(stderr, nullptr), kNo);
  EXPECT_EQ(doca_log_backend_create_with_file_sdk(nullptr, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_file_sdk(stderr, nullptr), kNo);
  EXPECT_EQ(doca_log_backend_create_with_fd(-1, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_fd(2, nullptr), kNo);
  EXPECT_EQ(doca_log_backend_create_with_fd_sdk(-1, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_fd_sdk(2, nullptr), kNo);
  for (const auto create :
       {doca_log_backend_create_with_buf, doca_log_backend_create_with_buf_sdk}) {
    EXPECT_EQ(create(nullptr, sizeof buffer, ignore, &backend), kNo);
    EXPECT_EQ(create(buffer, 0, ignore, &backend), kNo);
    EXPECT_EQ(create(buffer, 1, ignore, &backend), kNo);
    EXPECT_EQ(create(buffer, sizeof buffer, nullptr, &backend), kNo);
    EXPECT_EQ(create(buffer, sizeof buffer, ignore, nullptr), kNo);
  }
  EXPECT_EQ(doca_log_backend_create_with_syslog(nullptr, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_syslog("name", nullptr), kNo);
  EXPECT_EQ(doca_log_backend_create_with_syslog_sdk(nullptr, &backend), kNo);
  EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("name", nullptr), kNo);
  EXPECT_EQ(backend, nullptr);
}

}  // namespace
}  // namespace comch::test
