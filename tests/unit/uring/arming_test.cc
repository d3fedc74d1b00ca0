// Ahead of a sleep: of which destinations the engine is asked to tell when there is room.
#include <gtest/gtest.h>

#include "support/deadline.h"
#include "unit/uring/rigged_kinds.h"
#include "uring/machine.h"

namespace comch::uring::test {
namespace {

// One transfer in each direction, and files that take for ever.
struct ArmingTest : testing::Test {
  ArmingTest() { io.hangs = true; }

  Submission& next(std::uint64_t user_data) {
    Submission* const s = queues.get();
    s->user_data = user_data;
    return *s;
  }
  // Whether the engine is asked.
  bool asks() {
    const std::uint64_t before = producer.asked_for_space;
    machine.look();
    machine.arm();
    return producer.asked_for_space != before;
  }
  // Until chance has posted something for it.
  void send_file_until_it_runs() {
    next(1).prep_send_file(*to, 1, 8, 0);
    machine.submit();
    const comch::test::Deadline deadline;
    while (io.empty() && !deadline.passed()) machine.look();
    ASSERT_FALSE(io.empty());
  }

  Chance chance{1};
  RiggedProducer producer{chance};
  Queues queues{8, 16};
  std::uint32_t multishots = 0;
  RiggedIo io{chance};
  Machine<RiggedKinds> machine{queues, multishots, io, 1};
  Destination* to = machine.sending().add(producer, ConsumerId{1});
  std::array<std::byte, 5000> text{};
};

TEST_F(ArmingTest, NoRoomIsAwaitedForAFileThatWaitsForAnother) {
  send_file_until_it_runs();
  next(2).prep_send_file(*to, 2, 8, 0);
  machine.submit();
  EXPECT_FALSE(asks());
}

TEST_F(ArmingTest, RoomIsAwaitedBehindAFileThatWasCancelledWhileItWaitedForAnother) {
  send_file_until_it_runs();
  producer.full = true;
  next(2).prep_send_file(*to, 2, 8, 0);
  next(3).prep_send(*to, text);
  machine.submit();
  EXPECT_FALSE(asks());
  next(4).prep_cancel(3);
  machine.submit();
  EXPECT_FALSE(asks()) << "the file is still the first";
  next(5).prep_send(*to, text);
  next(6).prep_cancel(2);
  machine.submit();
  EXPECT_TRUE(asks());
}

}  // namespace
}  // namespace comch::uring::test
