// What a producer says of a message of send() that took time: how it ended, whoever ends meanwhile.
#include <sys/mman.h>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct ArrayEndTest : FastPair {
  static constexpr std::size_t kLong = std::size_t{9} << 20U;  // More than there is staging for.

  ArrayEndTest() {
    post(to, room.room(0, kLong));
    const std::array message{Outgoing{.data = bytes(text), .immediate = {}}};
    EXPECT_EQ(from.send(id, message), 1U);
    EXPECT_EQ(code(from.ending(id)), Errc::in_progress);
  }
  ~ArrayEndTest() override {
    if (to.state() != ContextState::kIdle) end_consumer();
    end_all();
  }

  Consumer& late_consumer() {
    const auto done = [this](ReceiveTask& task) {
      if (task.status()) texts.push_back(contents(*task.buffer()));
      if (Buffer* buffer = task.buffer()) std::ignore = buffer->drop_reference();
      std::ignore = task.free();
    };
    late = consumer_apart(*own, room, done, done);
    return *late;
  }
  void end_consumer() {
    std::ignore = to.abort();
    EXPECT_TRUE(until(*own, [&] {
      if (engine) engine->progress();
      return to.state() == ContextState::kIdle;
    }));
  }
  bool is_over() {
    return run_until([&] { return !from.busy(id); });
  }

  const std::string text = pattern(kLong);
  Memory room{kLong};
  const std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  std::unique_ptr<Consumer> late;
  Consumer& to = late_consumer();
  Producer& from = producer();
  const ConsumerId id = to.id();
};

TEST_F(ArrayEndTest, OneThatArrivesWhileItsProducerStopsIsASuccess) {
  ASSERT_EQ(from.stop(), ContextState::kStopping);
  ASSERT_TRUE(run_until([&] {
    own->progress();
    return from.state() == ContextState::kIdle && !texts.empty();
  }));
  EXPECT_TRUE(texts[0] == text);
  EXPECT_TRUE(from.ending(id));
}

TEST_F(ArrayEndTest, OneWhoseConsumerMakesNoRoomWhileItsProducerStopsTimesOut) {
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(code(from.ending(id)), Errc::time_out);
}

TEST_F(ArrayEndTest, OneWhoseProducerIsAbortedHasNotArrived) {
  ASSERT_TRUE(from.abort());
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(code(from.ending(id)), Errc::shutdown);
}

TEST_F(ArrayEndTest, NorHasItWhenTheProducerIsStartedAgain) {
  ASSERT_TRUE(from.abort());
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_TRUE(from.start());
  EXPECT_EQ(code(from.ending(id)), Errc::shutdown);
}

TEST_F(ArrayEndTest, OneWhoseConsumerEndsIsLost) {
  end_consumer();
  ASSERT_TRUE(is_over());
  EXPECT_EQ(code(from.ending(id)), Errc::connection_reset);
  EXPECT_EQ(from.state(), ContextState::kRunning);
}

TEST_F(ArrayEndTest, OneWhosePeerIsLostIsLost) {
  ASSERT_TRUE(server->abort());
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(code(from.ending(id)), Errc::connection_reset);
}

// A range of which the second half cannot be read, as the kernel copies it.
struct HalfReadable {
  explicit HalfReadable(std::size_t size)
      : bytes(static_cast<std::byte*>(
                  mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
              size) {
    EXPECT_EQ(mprotect(bytes.data() + size / 2, size / 2, PROT_NONE), 0);
  }
  ~HalfReadable() { munmap(bytes.data(), bytes.size()); }
  HalfReadable(const HalfReadable&) = delete;
  HalfReadable& operator=(const HalfReadable&) = delete;
  const std::span<std::byte> bytes;
};

struct UncopiedTest : FastPair {
  UncopiedTest() { post(to, there.room(0, data.bytes.size())); }
  ~UncopiedTest() override { end_all(); }
  void send_it() {
    const std::array message{Outgoing{.data = data.bytes, .immediate = {}}};
    EXPECT_EQ(from.send(id, message), 1U);
  }
  bool is_over() {
    return run_until([&] { return !from.busy(id); });
  }

  HalfReadable data{std::size_t{64} << 10U};
  Consumer& to = consumer(there, {.way = DataWay::kCma});
  Producer& from = producer();
  const ConsumerId id = to.id();
};

struct UncopiedArrayTest : UncopiedTest {
  UncopiedArrayTest() {
    post(to, there.room(data.bytes.size(), 64));
    send_it();
    EXPECT_TRUE(is_over());
  }
};

TEST_F(UncopiedArrayTest, OneThatTheKernelDoesNotCopyHasNotArrived) {
  EXPECT_EQ(code(from.ending(id)), Errc::invalid_value);
  settle(*engine);
  EXPECT_TRUE(texts.empty());
}

TEST_F(UncopiedArrayTest, BehindItNoneIsSentAndNoneWaits) {
  const std::array message{Outgoing{.data = bytes("short"), .immediate = {}}};
  EXPECT_EQ(code(from.send(id, message)), Errc::invalid_value);
  EXPECT_EQ(code(from.request_space(id)), Errc::invalid_value);
}

TEST_F(UncopiedTest, TheBufferItWasForWakesAProducerThatWaitsForOne) {
  const std::unique_ptr<ProgressEngine> apart = ProgressEngine::create().value();
  const std::unique_ptr<Producer> waits = producer_apart(*apart);
  send_it();
  ASSERT_TRUE(waits->request_space(id));
  settle(*apart);
  apart->request_notification().value();
  ASSERT_TRUE(is_over());
  EXPECT_TRUE(is_notified(*apart));
  EXPECT_TRUE(until(*apart, [&] { return spaces == 1; }));
  waits->abort().value();
  EXPECT_TRUE(until(*apart, [&] { return waits->state() == ContextState::kIdle; }));
}

TEST_F(ArrayEndTest, OfAConsumerThatNoneWasSentToThereIsNothingToSay) {
  EXPECT_TRUE(from.ending(ConsumerId{~0U}));
}

TEST_F(ArrayEndTest, OneWhoseEngineIsDestroyedHasNotArrived) {
  engine.reset();
  EXPECT_EQ(code(from.ending(id)), Errc::shutdown);
}

}  // namespace
}  // namespace comch::test
