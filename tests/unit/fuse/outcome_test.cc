// Tests of fuse/outcome.h: errno and reason of a failure of the library.
#include "outcome.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace comch::fuse {
namespace {

TEST(OutcomeTest, ErrnoOfADeadMountIsNeverGiven) {
  for (int code = 1; code <= 30; ++code) {
    const int error = errno_of(Error{.code = static_cast<Errc>(code)});
    EXPECT_NE(error, 0) << code;
    EXPECT_NE(error, ENOTCONN) << code;
    EXPECT_NE(error, ECONNABORTED) << code;
  }
  EXPECT_EQ(errno_of(Error{.code = Errc::operating_system, .sys = ENOTCONN}), EIO);
}

TEST(OutcomeTest, CodesHaveTheErrnoThatFilesUse) {
  EXPECT_EQ(errno_of(Error{.code = Errc::again}), EAGAIN);
  EXPECT_EQ(errno_of(Error{.code = Errc::too_big}), EMSGSIZE);
  EXPECT_EQ(errno_of(Error{.code = Errc::not_found}), ENOENT);
  EXPECT_EQ(errno_of(Error{.code = Errc::already_exist}), EEXIST);
  EXPECT_EQ(errno_of(Error{.code = Errc::time_out}), ETIMEDOUT);
  EXPECT_EQ(errno_of(Error{.code = Errc::connection_aborted}), ECONNREFUSED);
  EXPECT_EQ(errno_of(Error{.code = Errc::authentication}), EACCES);
}

TEST(OutcomeTest, ReasonHasTheWordTheSentenceAndTheKernelsReason) {
  const Error error{.code = Errc::operating_system, .sys = ENOSPC, .what = "no room for a lock"};
  EXPECT_EQ(reason_of(error), "operating_system, no room for a lock (No space left on device)");
}

TEST(OutcomeTest, SubjectStandsBeforeAReasonAndNowhereElse) {
  EXPECT_EQ(about("depth", Outcome::failed(EINVAL, "no")).reason, "depth: no");
  EXPECT_EQ(about("depth", Outcome::done()).reason, "");
}

TEST(OutcomeTest, LaterIsPendingAndTheOthersAreNot) {
  EXPECT_FALSE(Outcome::done().is_pending());
  EXPECT_FALSE(Outcome::failed(EINVAL, "no").is_pending());
  EXPECT_TRUE(Outcome::later([] { return std::nullopt; }).is_pending());
  EXPECT_EQ(Outcome::of(Status{}).error, 0);
}

}  // namespace
}  // namespace comch::fuse
