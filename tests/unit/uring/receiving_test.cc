// Receiving: how the consumers that are registered are polled.
#include "uring/receiving.h"

#include <gtest/gtest.h>

#include "support/deadline.h"
#include "unit/uring/rigged_kinds.h"
#include "uring/machine.h"

namespace comch::uring::test {
namespace {

struct ReceivingTest : testing::Test {
  SourceOf<RiggedKinds>& add(RiggedConsumer& consumer) {
    return *machine.receiving().add(consumer).value();
  }

  Chance chance{comch::test::seed()};
  RiggedConsumer one{chance, 8};
  RiggedConsumer other{chance, 8};
  Queues queues{8, 16};
  std::uint32_t multishots = 0;
  RiggedIo io{chance};
  Machine<RiggedKinds> machine{queues, multishots, io, 1};
};

TEST_F(ReceivingTest, TheOnlyConsumerOfARingIsPolledAlone) {
  one.polling = Polling::kAmongOthers;
  add(one);
  EXPECT_EQ(one.polling, Polling::kAlone);
}

TEST_F(ReceivingTest, ConsumersThatShareARingArePolledAmongOthersUntilOneIsLeft) {
  add(one);
  auto& second = add(other);
  EXPECT_EQ(one.polling, Polling::kAmongOthers);
  EXPECT_EQ(other.polling, Polling::kAmongOthers);
  ASSERT_TRUE(machine.receiving().remove(second));
  EXPECT_EQ(one.polling, Polling::kAlone);
  EXPECT_EQ(other.polling, Polling::kAmongOthers) << "it is the application's again";
}

}  // namespace
}  // namespace comch::uring::test
