// refuse: what a call that fails says, and what it keeps to itself.
#include "doca/refuse.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "comch/log.h"

// A function of the shape of the API's.
static doca_error_t doca_pretend_start(void* object) {
  if (object == nullptr) return comch::doca::null_argument();
  return comch::doca::refuse(comch::Errc::bad_state, "it is not idle");
}

namespace comch::test {
namespace {

struct RefuseTest : testing::Test {
  RefuseTest() {
    set_log_level(LogLevel::kWarning);
    set_log_sink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~RefuseTest() override {
    set_log_sink({});
    set_log_level(before);
  }

  const LogLevel before = log_level();
  std::vector<std::string> lines;
};

TEST_F(RefuseTest, TheLineNamesTheFunctionTheReasonAndTheCode) {
  EXPECT_EQ(doca_pretend_start(this), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_pretend_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "doca_pretend_start: it is not idle (bad_state)");
  EXPECT_EQ(lines[1], "doca_pretend_start: a pointer argument is NULL (invalid_value)");
}

TEST_F(RefuseTest, AnswersThatAreNoFailuresAreNotSaid) {
  EXPECT_EQ(doca::answer(Status{}), DOCA_SUCCESS);
  EXPECT_EQ(doca::answer(Status(fail(Errc::again))), DOCA_ERROR_AGAIN);
  EXPECT_EQ(doca::answer(Status(fail(Errc::in_progress))), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(doca::answer(Status(fail(Errc::no_memory, "every task is out"))), DOCA_ERROR_NO_MEMORY);
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(doca::answer(Status(fail(Errc::full, "no room"))), DOCA_ERROR_FULL);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(RefuseTest, NothingIsSaidBelowTheLevelOfWarnings) {
  set_log_level(LogLevel::kError);
  EXPECT_EQ(doca_pretend_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(lines.empty());
}

TEST_F(RefuseTest, AnAllocationThatFailsIsNoMemory) {
  EXPECT_EQ(doca::guarded([]() -> doca_error_t { throw std::bad_alloc(); }), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(doca::guarded([] { return DOCA_ERROR_FULL; }), DOCA_ERROR_FULL);
}

TEST_F(RefuseTest, AnyOtherExceptionIsUnexpected) {
  EXPECT_EQ(doca::guarded([]() -> doca_error_t { throw std::runtime_error("no reason"); }),
            DOCA_ERROR_UNEXPECTED);
}

}  // namespace
}  // namespace comch::test
