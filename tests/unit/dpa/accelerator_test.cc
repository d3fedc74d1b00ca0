// Accelerator: its life, calls and launches, its memory, and how it is ruined.
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "comch/dpa.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

using dpa::Accelerator;
using dpa::DeviceAddress;

struct AcceleratorTest : QueueTest {};

TEST_F(AcceleratorTest, NeedsADevice) {
  EXPECT_EQ(Accelerator::create(nullptr).error().code, Errc::invalid_value);
  EXPECT_EQ(accelerator->device()->info().name, host()->info().name);
}

TEST_F(AcceleratorTest, StartsAndStopsAndStartsAgain) {
  EXPECT_EQ(accelerator->start().error().code, Errc::bad_state);
  EXPECT_TRUE(accelerator->stop());
  EXPECT_FALSE(accelerator->started());
  EXPECT_EQ(accelerator->stop().error().code, Errc::bad_state);
  EXPECT_TRUE(accelerator->start());
}

TEST_F(AcceleratorTest, StaysWhileSomethingMadeOnItIsLeft) {
  auto thread = dpa::Thread::create(*accelerator).value();
  EXPECT_EQ(accelerator->stop().error().code, Errc::in_use);
  EXPECT_EQ(Accelerator::destroy(accelerator).error().code, Errc::in_use);
  ASSERT_NE(accelerator, nullptr);
  EXPECT_TRUE(dpa::Thread::destroy(thread));
  auto completion = dpa::ProducerCompletion::create(*accelerator, 1).value();
  EXPECT_EQ(accelerator->stop().error().code, Errc::in_use);
  EXPECT_TRUE(dpa::ProducerCompletion::destroy(completion));
  EXPECT_TRUE(accelerator->stop());
  std::unique_ptr<Accelerator> none;
  EXPECT_EQ(Accelerator::destroy(none).error().code, Errc::invalid_value);
}

TEST_F(AcceleratorTest, RunsAFunctionAndAnswersItsResult) {
  const auto caller = std::this_thread::get_id();
  const auto answer = accelerator->call([&](dpa::Run& run) -> std::uint64_t {
    EXPECT_NE(std::this_thread::get_id(), caller);
    EXPECT_EQ(&run.accelerator(), accelerator.get());
    EXPECT_EQ(run.rank(), 0U);
    EXPECT_EQ(run.count(), 1U);
    EXPECT_EQ(run.local_storage(), DeviceAddress{});
    EXPECT_FALSE(run.stopping());
    return 42;
  });
  EXPECT_EQ(answer.value(), 42U);
  EXPECT_EQ(accelerator->call(nullptr).error().code, Errc::invalid_value);
}

TEST_F(AcceleratorTest, RunsAKernelOnManyThreadsAtOnceEachWithItsRank) {
  constexpr std::uint32_t kThreads = 8;
  std::array<std::atomic<int>, kThreads> runs{};
  std::atomic<std::uint32_t> here{0};
  const Deadline deadline;
  ASSERT_TRUE(accelerator->launch(kThreads, [&](dpa::Run& run) {
    EXPECT_EQ(run.count(), kThreads);
    ++runs.at(run.rank());
    // Each waits for all the others: they run at once.
    ++here;
    while (here != kThreads && !deadline.passed()) std::this_thread::yield();
  }));
  EXPECT_EQ(here, kThreads);
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST_F(AcceleratorTest, LaunchesOneTo1024) {
  std::atomic<std::uint32_t> runs{0};
  const auto kernel = [&](dpa::Run&) { ++runs; };
  EXPECT_EQ(accelerator->launch(0, kernel).error().code, Errc::invalid_value);
  EXPECT_EQ(accelerator->launch(Accelerator::kMaxTogether + 1, kernel).error().code,
            Errc::invalid_value);
  EXPECT_EQ(accelerator->launch(1, nullptr).error().code, Errc::invalid_value);
  EXPECT_EQ(runs, 0U);
  EXPECT_TRUE(accelerator->launch(1, kernel));
  EXPECT_EQ(runs, 1U);
}

TEST_F(AcceleratorTest, DoesNothingBeforeItIsStarted) {
  accelerator->stop().value();
  std::array<std::byte, 1> byte{};
  EXPECT_EQ(accelerator->call([](dpa::Run&) { return 0U; }).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->launch(1, [](dpa::Run&) {}).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->allocate(1).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->free(DeviceAddress{}).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->write(DeviceAddress{}, byte).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->read(byte, DeviceAddress{}).error().code, Errc::bad_state);
  EXPECT_EQ(accelerator->fill(DeviceAddress{}, byte[0], 1).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::Thread::create(*accelerator).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::ProducerCompletion::create(*accelerator, 1).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::AsyncOperations::create(*accelerator, 1, {}).error().code, Errc::bad_state);
}

TEST_F(AcceleratorTest, HasMemoryThatKernelsUseAsTheirOwn) {
  const DeviceAddress place = accelerator->allocate(sizeof(std::uint64_t)).value();
  const std::uint64_t before = 20;
  ASSERT_TRUE(accelerator->write(place, std::as_bytes(std::span(&before, 1))));
  ASSERT_TRUE(
      accelerator->launch(1, [&](dpa::Run&) { *reinterpret_cast<std::uint64_t*>(place) += 1; }));
  std::uint64_t after = 0;
  ASSERT_TRUE(accelerator->read(std::as_writable_bytes(std::span(&after, 1)), place));
  EXPECT_EQ(after, 21U);
  EXPECT_TRUE(accelerator->free(place));
}

TEST_F(AcceleratorTest, FreesItsMemoryWhenItStops) {
  const DeviceAddress place = accelerator->allocate(64).value();
  accelerator->stop().value();
  accelerator->start().value();
  EXPECT_EQ(accelerator->fill(place, std::byte{}, 1).error().code, Errc::invalid_value);
}

TEST_F(AcceleratorTest, IsRuinedByAKernelThatThrows) {
  EXPECT_EQ(accelerator->call([](dpa::Run&) -> std::uint64_t { throw std::runtime_error("oh"); })
                .error()
                .code,
            Errc::bad_state);
  EXPECT_EQ(accelerator->failure().error().code, Errc::unexpected);
  EXPECT_EQ(accelerator->launch(1, [](dpa::Run&) {}).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::Thread::create(*accelerator).error().code, Errc::bad_state);
  EXPECT_TRUE(accelerator->stop());
  EXPECT_EQ(accelerator->start().error().code, Errc::bad_state) << "it can only be destroyed";
}

TEST_F(AcceleratorTest, IsRuinedByTheFirstReportedFailure) {
  EXPECT_TRUE(accelerator->failure());
  accelerator->report_failure({Errc::io_failed, 0, "first"});
  accelerator->report_failure({Errc::driver, 0, "second"});
  EXPECT_EQ(accelerator->failure().error().code, Errc::io_failed);
}

TEST_F(AcceleratorTest, TellsKernelsOfItsRuin) {
  const Deadline deadline;
  EXPECT_FALSE(accelerator->launch(2, [&](dpa::Run& run) {
    if (run.rank() == 0) throw std::runtime_error("oh");
    while (!run.stopping() && !deadline.passed()) std::this_thread::yield();
    EXPECT_TRUE(run.stopping());
  }));
}

}  // namespace
}  // namespace comch::test
