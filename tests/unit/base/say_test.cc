// say: what is said as often as there is cause for it, and whom it hides.
#include "base/say.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/ration.h"
#include "support/log_lines.h"

namespace comch {
namespace {

// One place, for any user.
void refuse(std::uint32_t uid) { say(About(uid), LogLevel::kInfo, "refused uid {}", uid); }

TEST(Say, OnePlaceIsRationedAndAnotherIsNot) {
  const test::LogLines log;
  for (int i = 0; i < 1000; ++i) say(LogLevel::kWarning, "line {}", i);
  EXPECT_EQ(log.lines.size(), Ration::kLines);
  EXPECT_EQ(log.lines.front(), "line 0");
  EXPECT_EQ(log.lines.back(), "line 9 (more like it within 60 s are only counted)");
  say(LogLevel::kWarning, "another {}", "place");
  EXPECT_EQ(log.lines.back(), "another place");
}

TEST(Say, WhoFloodsTheLogHidesNobodyElse) {
  const test::LogLines log;
  for (int i = 0; i < 1000; ++i) refuse(1000);
  refuse(0);
  EXPECT_EQ(log.lines.size(), Ration::kLines + 1);
  EXPECT_EQ(log.lines.back(), "refused uid 0");
}

TEST(Say, MachinesAreToldApartByName) {
  EXPECT_NE(About("10.0.0.1").whom, About("10.0.0.2").whom);
  EXPECT_NE(About(std::uint32_t{0}).whom, About().whom) << "root is somebody";
}

TEST(Say, LinesThatNobodyWantsUseUpNothing) {
  const test::LogLines log;
  set_log_level(LogLevel::kError);
  for (int i = 0; i < 1000; ++i) refuse(1000);
  set_log_level(LogLevel::kInfo);
  refuse(1000);
  EXPECT_EQ(log.lines.size(), 1u);
}

}  // namespace
}  // namespace comch
