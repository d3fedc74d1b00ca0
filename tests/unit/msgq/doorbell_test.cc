// Doorbell: rung for who sleeps, and by descriptor.
#include "msgq/doorbell.h"

#include <gtest/gtest.h>

namespace comch::msgq {
namespace {

TEST(DoorbellTest, MakesTheDescriptorReadableOncePerSleep) {
  const auto doorbell = std::make_shared<EventDoorbell>(os::Event::create().value());
  Ringer ringer(doorbell);
  shm::BellSleeper<> sleeper(doorbell->bell);
  ringer.tell();
  EXPECT_FALSE(doorbell->event().drain());
  static_cast<void>(sleeper.arm());
  ringer.tell();
  EXPECT_TRUE(doorbell->event().drain());
  ringer.tell();
  EXPECT_FALSE(doorbell->event().drain()) << "it was told for this sleep";
  sleeper.disarm();
  ringer.tell();
  EXPECT_FALSE(doorbell->event().drain());
}

TEST(DoorbellTest, OutlivesItsOwnerInTheHandsOfARinger) {
  auto doorbell = std::make_shared<EventDoorbell>(os::Event::create().value());
  Ringer ringer(doorbell);
  static_cast<void>(shm::BellSleeper<>(doorbell->bell).arm());
  const std::weak_ptr<EventDoorbell> watched = doorbell;
  doorbell.reset();
  ringer.tell();
  EXPECT_FALSE(watched.expired());
}

}  // namespace
}  // namespace comch::msgq
