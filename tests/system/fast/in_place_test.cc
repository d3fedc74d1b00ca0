// Messages that are not copied: built in the buffer that the other process has posted, or left
// where they are and passed by their place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

constexpr std::size_t kMessages = 3000;
constexpr std::size_t kSize = 10'000;

struct InPlaceTest : testing::Test {
  RuntimeDirectory runtime;
};

// Lends itself two at a time, commits them the other way round, and abandons every seventh.
void lend_and_commit(Partner& side) {
  Sender ends(side.connection(), side.engine(), {{.size = 1}});
  Producer& producer = ends.producer();
  ASSERT_TRUE(ends.start());
  const ConsumerId to = side.consumer().value();
  const auto reserve = [&] {
    Result<Loan> loan = fail(Errc::again);
    EXPECT_TRUE(side.run_until([&] {
      loan = producer.reserve(to);
      return loan.has_value();
    })) << describe(loan.error());
    return loan.value();
  };
  std::size_t sent = 0;
  for (std::size_t turn = 0; sent < kMessages && !testing::Test::HasFailure(); ++turn) {
    const Loan first = reserve();
    const Loan second = reserve();
    fill(second.room.first(kSize), seed_of(producer.id(), sent++));
    ASSERT_TRUE(producer.commit(second, kSize));
    if (turn % 7 == 0 || sent == kMessages) {
      fill(first.room, ~std::uint64_t{0});
      ASSERT_TRUE(producer.abandon(first));
    } else {
      fill(first.room.first(kSize), seed_of(producer.id(), sent++));
      ASSERT_TRUE(producer.commit(first, kSize));
    }
  }
  EXPECT_EQ(producer.counters().loaned_messages, kMessages);
  EXPECT_EQ(producer.counters().mapped_messages, 0u);
  EXPECT_TRUE(side.agree("received"));
}

TEST_F(InPlaceTest, WhatIsBuiltInALoanedBufferArrivesWithoutACopy) {
  as_two([](Partner& side) {
    if (!side.is_server()) return lend_and_commit(side);
    Receiver receiver(side.connection(), side.engine(), {{.size = kSize}}, {.depth = 8});
    ASSERT_TRUE(receiver.start());
    EXPECT_TRUE(side.run_until([&] { return receiver.heard() == kMessages; }));
    EXPECT_TRUE(side.agree("received"));
    EXPECT_EQ(receiver.wrong(), 0u);
    EXPECT_EQ(receiver->counters().direct_messages, kMessages);
  });
}

// --- Hand-over ---------------------------------------------------------------------------

constexpr std::size_t kLent = 64;  // Buffers of the sender.
constexpr std::size_t kHeld = 40;  // That the receiver keeps before it gives some back.
constexpr std::size_t kLentSize = std::size_t{1} << 16U;  // To fill and to look at four times each.

// A producer that hands its rooms over, each again as soon as it is back.
class Giver {
 public:
  Giver(Partner& side, Rooms& rooms)
      : producer(Producer::create(side.connection()).value()), side_(side), rooms_(rooms) {
    producer->configure_send(1, [](ProducerTask&) {}, [](ProducerTask&) {}).value();
    producer
        ->on_returned(
            [this](Producer&, ConsumerId, Buffer& buffer, const Status&) { take_back(buffer); })
        .value();
    producer->on_space([this](Producer&, ConsumerId) { give(); }).value();
    side.engine().connect(*producer).value();
    for (std::size_t n = 0; n < rooms.count(); ++n) free_.push_back(n);
  }
  ~Giver() {
    std::ignore = producer->stop();
    EXPECT_TRUE(side_.run_until_idle(*producer));
    EXPECT_TRUE(Producer::destroy(producer));
  }
  Giver(const Giver&) = delete;
  Giver& operator=(const Giver&) = delete;

  bool start(ConsumerId to) {
    to_ = to;
    if (!producer->start()) return false;
    give();
    return true;
  }

  void give() {
    while (given < kMessages && !free_.empty()) {
      const std::size_t room = free_.back();
      fill(rooms_.bytes(room), given);
      Buffer* buffer = rooms_.data(room, rooms_.size());
      const std::uint64_t number = given;
      const Status handed = producer->hand_over(to_, *buffer, std::as_bytes(std::span(&number, 1)));
      if (!handed) {
        std::ignore = buffer->drop_reference();
        refusal = handed.error().code;
        if (refusal == Errc::again) {
          EXPECT_TRUE(producer->request_space(to_));
        }
        return;
      }
      out_[buffer] = given++;
      free_.pop_back();
    }
  }

  std::size_t given = 0;
  std::size_t came_back = 0;
  Errc refusal = Errc::again;  // The last.
  std::unique_ptr<Producer> producer;

 private:
  void take_back(Buffer& buffer) {
    const auto it = out_.find(&buffer);
    ASSERT_NE(it, out_.end()) << "a buffer came back twice";
    EXPECT_TRUE(holds(buffer.contents(), it->second)) << "it changed while it was away";
    out_.erase(it);
    free_.push_back(rooms_.of(buffer));
    ++came_back;
    std::ignore = buffer.drop_reference();
    give();
  }

  Partner& side_;
  Rooms& rooms_;
  ConsumerId to_{};
  std::vector<std::size_t> free_;
  std::map<Buffer*, std::size_t> out_;  // By number.
};

// What a receiver holds on to.
struct Keeper {
  void keep(const ReceiveTask& task) {
    const HandedOver& message = task.handed_over();
    std::uint64_t number = 0;
    std::ranges::copy(task.immediate(), std::as_writable_bytes(std::span(&number, 1)).begin());
    EXPECT_TRUE(holds(message.bytes, number)) << number;
    held.emplace_back(message, number);
  }
  // The newest first, and not all: some are held to the end.
  void give_back(Consumer& consumer, std::size_t down_to) {
    while (held.size() > down_to) {
      const auto [message, number] = held.back();
      EXPECT_TRUE(holds(message.bytes, number)) << number << " changed while it was held";
      EXPECT_TRUE(consumer.give_back(message));
      held.pop_back();
    }
  }
  std::vector<std::pair<HandedOver, std::uint64_t>> held;
};

TEST_F(InPlaceTest, WhatIsHandedOverIsHeldAsLongAsTheReceiverLikesAndComesBack) {
  as_two([](Partner& side) {
    if (!side.is_server()) {
      Rooms rooms(kLent, kLentSize);
      Giver giver(side, rooms);
      ASSERT_TRUE(giver.start(side.consumer().value()));
      EXPECT_TRUE(side.run_until([&] { return giver.came_back == kMessages; }));
      EXPECT_EQ(giver.producer->handed_over(), 0u);
      EXPECT_EQ(giver.producer->counters().handed_over_messages, kMessages);
      EXPECT_TRUE(side.agree("back"));
      return;
    }
    Keeper keeper;
    Receiver receiver(side.connection(), side.engine(), {{.size = 8}}, {.depth = 8});
    std::size_t heard = 0;
    receiver.then_heard = [&](ReceiveTask& task) {
      ++heard;
      keeper.keep(task);
      if (keeper.held.size() == kHeld) keeper.give_back(receiver.consumer(), kHeld / 4);
    };
    ASSERT_TRUE(receiver.start());
    EXPECT_TRUE(side.run_until([&] { return heard == kMessages; }));
    keeper.give_back(receiver.consumer(), 0);
    EXPECT_EQ(receiver->counters().handed_over_messages, kMessages);
    EXPECT_TRUE(side.agree("back"));
  });
}

TEST_F(InPlaceTest, WhatAnEndedConsumerHoldsComesBackAtOnce) {
  as_two([](Partner& side) {
    if (!side.is_server()) {
      Rooms rooms(kLent, 4096);
      Giver giver(side, rooms);
      ASSERT_TRUE(giver.start(side.consumer().value()));
      EXPECT_TRUE(side.agree("held"));
      EXPECT_TRUE(side.run_until([&] { return giver.came_back == giver.given; }));
      EXPECT_EQ(giver.refusal, Errc::invalid_value) << "there is no such consumer any more";
      EXPECT_EQ(giver.given, 8u);
      EXPECT_EQ(giver.producer->handed_over(), 0u);
      EXPECT_TRUE(side.agree("back"));
      return;
    }
    Receiver receiver(side.connection(), side.engine(), {{.size = 8}},
                      {.depth = 8, .repost = false});
    ASSERT_TRUE(receiver.start());
    EXPECT_TRUE(side.run_until([&] { return receiver.heard() == 8; }));
    EXPECT_TRUE(side.agree("held"));
    EXPECT_TRUE(receiver.stop());
    EXPECT_TRUE(side.agree("back"));
  });
}

}  // namespace
}  // namespace comch::test
