// Polling: how many messages poll() takes of a peer with whom messages are exchanged in turn.
#include "transport/gap.h"
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct PollingTest : FastPair {
  static constexpr std::uint32_t kWaits = transport::Gap::kLearned;

  PollingTest() {
    for (std::size_t n = 0; n < 8; ++n) {
      Buffer* buffer = there.room(n * 64, 64);
      EXPECT_EQ(to.post({&buffer, 1}), 1U);
    }
    // The lane is announced.
    send(1);
    EXPECT_TRUE(run_until([this] { return take() == 1; }));
  }
  ~PollingTest() override {
    std::ignore = to.stop();
    std::array<Buffer*, 8> back;
    std::size_t taken = 0;
    EXPECT_TRUE(run_until([&] {
      taken += to.take_back(std::span(back).subspan(taken));
      return taken == back.size();
    }));
    for (Buffer* buffer : back) EXPECT_TRUE(buffer->drop_reference());
  }
  void send(std::size_t count) {
    const std::vector<Outgoing> messages(count, {.data = bytes("x"), .immediate = {}});
    ASSERT_EQ(from.send(to.id(), messages), count);
  }
  // What the next poll() takes. Its buffers are posted again.
  std::size_t take() {
    std::array<Received, 8> received;
    const std::size_t count = to.poll(received);
    for (std::size_t n = 0; n < count; ++n) {
      Buffer* buffer = received[n].buffer;
      EXPECT_TRUE(buffer->reset_data_length());
      EXPECT_EQ(to.post({&buffer, 1}), 1U);
    }
    return count;
  }
  // Each is waited for, and one is in the lane at a time.
  void take_turns() {
    for (std::uint32_t n = 0; n < kWaits; ++n) {
      EXPECT_EQ(take(), 0U);
      send(1);
      EXPECT_EQ(take(), 1U);
    }
  }
  // As many are there when they are asked for.
  void take_all_at_once() {
    for (std::uint32_t n = 0; n < kWaits; ++n) {
      send(1);
      EXPECT_EQ(take(), 1U);
    }
  }

  Consumer& to = consumer(there);
  Producer& from = producer();
};

TEST_F(PollingTest, WhereMessagesComeInTurnOneIsTakenAndTheOthersByTheNextCall) {
  take_turns();
  send(3);
  EXPECT_EQ(take(), 1U);
  EXPECT_EQ(take(), 2U) << "nothing was sent, and so no answer is expected";
}

TEST_F(PollingTest, WhereTheyAreThereAlreadyAllAreTaken) {
  take_turns();
  take_all_at_once();
  send(3);
  EXPECT_EQ(take(), 3U);
}

TEST_F(PollingTest, WhoPollsAmongOthersTakesAsMany) {
  to.set_polling(Polling::kAmongOthers);
  take_turns();
  send(3);
  EXPECT_EQ(take(), 1U);
  EXPECT_EQ(take(), 2U);
  take_all_at_once();
  send(3);
  EXPECT_EQ(take(), 3U);
}

TEST_F(PollingTest, AMessageThatWasHandedOverSaysSoInItsRecord) {
  Buffer* const buffer = here.data(0, pattern(5000));
  ASSERT_TRUE(from.hand_over(to.id(), *buffer));
  Incoming record;
  ASSERT_TRUE(run_until([&] { return to.poll({&record, 1}, 3, 1) == 1; }));
  EXPECT_EQ(record.flags, 1U | Incoming::kHandedOver);
  EXPECT_EQ(record.res, 5000);
  EXPECT_EQ(text_of(record.contents()), pattern(5000));
  ASSERT_TRUE(to.give_back(record.handed_over()));
  ASSERT_EQ(to.post({&record.buffer, 1}), 1U);
  ASSERT_TRUE(run_until([&] { return from.handed_over() == 0; }));
  EXPECT_TRUE(buffer->drop_reference());
}

}  // namespace
}  // namespace comch::test
