// Alarms: what rings when, and alarms that change others from inside their call.
#include "engine/alarms.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace comch::engine {
namespace {

struct Bell final : transport::Alarm {
  void on_alarm() override {
    ++rung;
    then();
  }
  int rung = 0;
  std::function<void()> then = [] {};
};

struct AlarmsTest : testing::Test {
  Alarms alarms;
  Bell first;
  Bell second;
};

TEST_F(AlarmsTest, AnAlarmRingsOnceWhenItsMomentHasCome) {
  alarms.set(first, 100);
  EXPECT_FALSE(alarms.ring(99));
  EXPECT_TRUE(alarms.ring(100));
  EXPECT_FALSE(alarms.ring(1000));
  EXPECT_EQ(first.rung, 1);
}

TEST_F(AlarmsTest, TheNextMomentIsTheEarliest) {
  EXPECT_EQ(alarms.next_ns(), transport::Alarm::kNotSet);
  alarms.set(first, 200);
  alarms.set(second, 100);
  EXPECT_EQ(alarms.next_ns(), 100u);
  alarms.clear(second);
  EXPECT_EQ(alarms.next_ns(), 200u);
  alarms.clear(first);
  EXPECT_EQ(alarms.next_ns(), transport::Alarm::kNotSet);
}

TEST_F(AlarmsTest, SettingAnAlarmAgainMovesIt) {
  alarms.set(first, 100);
  alarms.set(first, 300);
  EXPECT_FALSE(alarms.ring(200));
  EXPECT_TRUE(alarms.ring(300));
  EXPECT_EQ(first.rung, 1);
}

TEST_F(AlarmsTest, AnAlarmThatIsClearedDoesNotRing) {
  alarms.set(first, 100);
  alarms.clear(first);
  alarms.clear(first);
  EXPECT_FALSE(alarms.ring(100));
  EXPECT_EQ(first.rung, 0);
}

TEST_F(AlarmsTest, AnAlarmMayClearAnotherThatIsDue) {
  alarms.set(first, 100);
  alarms.set(second, 100);
  first.then = [&] { alarms.clear(second); };
  second.then = [&] { alarms.clear(first); };
  EXPECT_TRUE(alarms.ring(100));
  EXPECT_EQ(first.rung + second.rung, 1);
}

TEST_F(AlarmsTest, AnAlarmThatSetsItselfForThePastDoesNotHoldUs) {
  first.then = [&] { alarms.set(first, 50); };
  alarms.set(first, 50);
  EXPECT_TRUE(alarms.ring(100));
  EXPECT_EQ(first.rung, 1);
  EXPECT_TRUE(alarms.ring(100));
  EXPECT_EQ(first.rung, 2);
}

}  // namespace
}  // namespace comch::engine
