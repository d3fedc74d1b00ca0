// Result: words, sentences and errno values of the documented codes.
#include "comch/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "comch/log.h"

namespace comch {
namespace {

constexpr int kFirst = static_cast<int>(Errc::unknown);
constexpr int kLast = static_cast<int>(Errc::skipped);

TEST(ResultTest, EveryCodeHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int code = kFirst; code <= kLast; ++code) words.insert(name(static_cast<Errc>(code)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kLast));
  EXPECT_EQ(name(Errc::connection_reset), "connection_reset");
}

TEST(ResultTest, ANumberThatIsNoCodeIsUnknown) {
  for (const int code : {0, 31, 255}) {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a wrong program passes.
    EXPECT_EQ(name(static_cast<Errc>(code)), "unknown");
  }
}

TEST(ResultTest, FailRemembersWhereItWasCalled) {
  const Status status = fail(Errc::again, "the ring is full", 0);
  const auto line = static_cast<unsigned>(__LINE__ - 1);
  EXPECT_EQ(status.error().where.line(), line);
  EXPECT_NE(std::string_view(status.error().where.file_name()).find("result_test"),
            std::string_view::npos);
}

TEST(ResultTest, DescribeIsOneLineWithTheWordTheSentenceAndErrno) {
  EXPECT_EQ(describe(Error{Errc::operating_system, ENOSPC, "no memory can be made"}),
            "operating_system: no memory can be made (ENOSPC: No space left on device)");
}

TEST(ResultTest, DescribeTellsWhoDebugsThePlaceAndNobodyElse) {
  const Error error{Errc::full, 0, "too many"};
  const LogLevel before = log_level();
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(describe(error), "full: too many");
  set_log_level(LogLevel::kDebug);
  EXPECT_EQ(describe(error),
            "full: too many [result_test.cc:" + std::to_string(error.where.line()) + "]");
  set_log_level(before);
}

TEST(ResultTest, DescribeLeavesOutWhatIsNotThere) {
  EXPECT_EQ(describe(Error{Errc::again}), "again");
  EXPECT_EQ(describe(Error{Errc::again, 0, nullptr}), "again");
}

TEST(ResultTest, DescribeKnowsANumberThatIsNoErrno) {
  EXPECT_NE(describe(Error{Errc::driver, 99999}).find("errno"), std::string::npos);
}

TEST(ErrnoTest, EveryCodeHasTheErrnoThatTheTableOfTheFileTreeGivesIt) {
  const struct {
    Errc code;
    int sys;
  } table[] = {
      {Errc::unknown, EIO},
      {Errc::not_permitted, EPERM},
      {Errc::in_use, EBUSY},
      {Errc::not_supported, EOPNOTSUPP},
      {Errc::again, EAGAIN},
      {Errc::invalid_value, EINVAL},
      {Errc::no_memory, ENOMEM},
      {Errc::initialization, EIO},
      {Errc::time_out, ETIMEDOUT},
      {Errc::shutdown, ESHUTDOWN},
      {Errc::connection_reset, ECONNRESET},
      {Errc::connection_aborted, ECONNREFUSED},
      {Errc::connection_in_progress, EINPROGRESS},
      {Errc::not_connected, ENXIO},
      {Errc::no_lock, EIO},
      {Errc::not_found, ENOENT},
      {Errc::io_failed, EIO},
      {Errc::bad_state, EBUSY},
      {Errc::unsupported_version, EIO},
      {Errc::operating_system, EIO},
      {Errc::driver, EIO},
      {Errc::unexpected, EIO},
      {Errc::already_exist, EEXIST},
      {Errc::full, EAGAIN},
      {Errc::empty, EAGAIN},
      {Errc::in_progress, EINPROGRESS},
      {Errc::too_big, EMSGSIZE},
      {Errc::authentication, EACCES},
      {Errc::bad_config, EIO},
      {Errc::skipped, EIO},
  };
  static_assert(std::size(table) == kLast, "a code is missing");
  for (const auto& line : table) EXPECT_EQ(to_errno(Error{line.code}), line.sys) << name(line.code);
}

TEST(ErrnoTest, WhatTheKernelSaidComesFirst) {
  EXPECT_EQ(to_errno(Error{Errc::operating_system, EMFILE}), EMFILE);
  EXPECT_EQ(to_errno(Error{Errc::connection_reset, EPIPE}), EPIPE);
}

TEST(ErrnoTest, NeverSaysWhatAFileTakesForADeadMount) {
  for (int code = kFirst; code <= kLast; ++code) {
    for (const int sys : {0, ENOTCONN, ECONNABORTED}) {
      const int answer = to_errno(Error{static_cast<Errc>(code), sys});
      EXPECT_NE(answer, ENOTCONN);
      EXPECT_NE(answer, ECONNABORTED);
      EXPECT_NE(answer, 0);
    }
  }
}

}  // namespace
}  // namespace comch
