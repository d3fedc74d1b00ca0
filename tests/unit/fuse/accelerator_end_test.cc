// AcceleratorEnd without a tree: the kernel's side of a MsgQ against the library's own ends.
#include "accelerator_end.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

#include "comch/comch.h"
#include "support/deadline.h"

namespace comch::fuse {
namespace {

std::atomic<int> starts, stops, refusals;

int throws(const comch_kernel_call* call) {
  if (call->event == COMCH_KERNEL_MESSAGE) throw std::runtime_error("no such luck");
  return 0;
}

// Sends too much, to nobody, and says what it was answered by failing.
int asks_too_much(const comch_kernel_call* call) {
  if (call->event == COMCH_KERNEL_STOP) return call->send(call, 0, "x", 1);
  if (call->event != COMCH_KERNEL_START) return 0;
  const std::string long_one(COMCH_KERNEL_MESSAGE_MAX + 1, 'x');
  if (call->send(call, 0, long_one.data(), long_one.size()) != EMSGSIZE) return EINVAL;
  if (call->send(call, 77, "x", 1) != ENXIO) return EINVAL;
  if (call->send(call, 0, "x", 1) != EAGAIN) return EINVAL;
  if (call->consumer(call, 0) != 0 || call->stopping(call) != 0) return EINVAL;
  ++refusals;
  return 0;
}

int counts_its_calls(const comch_kernel_call* call) {
  if (call->event == COMCH_KERNEL_START) ++starts;
  if (call->event == COMCH_KERNEL_STOP) ++stops;
  return 0;
}

struct AcceleratorEndTest : testing::Test {
  void SetUp() override {
    auto device = Device::open_first(Side::kDpu);
    ASSERT_TRUE(device);
    settings.device = *device;
    starts = stops = refusals = 0;
  }

  Result<std::shared_ptr<AcceleratorEnd>> create(comch_kernel_function* function) {
    return AcceleratorEnd::create(settings, {.name = "test", .function = function, .object = {}},
                                  bell);
  }

  bool rings() const {
    pollfd wait{.fd = bell->fd(), .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, 10'000) == 1;
  }

  AcceleratorEnd::Settings settings;
  const std::shared_ptr<const Bell> bell = std::make_shared<const Bell>();
};

TEST_F(AcceleratorEndTest, KernelIsCalledOnceForTheStartAndOnceForTheEnd) {
  auto end = create(&counts_its_calls);
  ASSERT_TRUE(end) << describe(end.error());
  (*end)->stop(false);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(stops, 1);
  (*end)->stop(false);
  EXPECT_EQ(stops, 1) << "a second stop does nothing";
}

TEST_F(AcceleratorEndTest, DirectionSaysWhichQueuesThereAre) {
  settings.direction = QueueDirection::kToAccelerator;
  auto to = create(&counts_its_calls);
  ASSERT_TRUE(to);
  EXPECT_NE((*to)->to_accelerator(), nullptr);
  EXPECT_EQ((*to)->from_accelerator(), nullptr);
  settings.direction = QueueDirection::kFromAccelerator;
  auto from = create(&counts_its_calls);
  ASSERT_TRUE(from);
  EXPECT_EQ((*from)->to_accelerator(), nullptr);
  EXPECT_NE((*from)->from_accelerator(), nullptr);
}

TEST_F(AcceleratorEndTest, EachMistakeOfAKernelHasItsErrno) {
  auto end = create(&asks_too_much);
  ASSERT_TRUE(end);
  EXPECT_TRUE(test::eventually([] { return refusals == 1; }));
  (*end)->stop(false);
  EXPECT_EQ((*end)->failure(), std::nullopt);
}

TEST_F(AcceleratorEndTest, ExceptionOfAKernelIsItsFailureAndRingsTheBell) {
  auto end = create(&throws);
  ASSERT_TRUE(end);
  auto engine = ProgressEngine::create();
  ASSERT_TRUE(engine);
  auto producer = Producer::create(*(*end)->to_accelerator());
  ASSERT_TRUE(producer);
  const auto give_back = [](ProducerTask& task) { std::ignore = task.free(); };
  ASSERT_TRUE((*producer)->configure_send(1, give_back, give_back));
  ASSERT_TRUE((*engine)->connect(**producer));
  ASSERT_TRUE((*producer)->start());
  const std::byte byte{1};
  const Outgoing message{.data = {}, .immediate = std::span(&byte, 1)};
  ASSERT_TRUE((*producer)->send((*end)->consumer(), std::span(&message, 1)));
  ASSERT_TRUE(rings());
  EXPECT_EQ((*end)->failure(), "the kernel has thrown: no such luck");
  EXPECT_FALSE((*end)->is_left_alone());
  ASSERT_TRUE((*producer)->stop());
  ASSERT_TRUE(Producer::destroy(*producer));
  EXPECT_TRUE((*end)->is_left_alone());
  (*end)->stop(false);
  EXPECT_EQ((*end)->counts().dropped, 1U);
}

}  // namespace
}  // namespace comch::fuse
