// Thread and Notification: one run for a notification, none lost, and stopping.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "comch/dpa.h"
#include "support/child_process.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

using dpa::Notification;
using dpa::Thread;

struct ThreadTest : QueueTest {
  ~ThreadTest() override {
    if (notification != nullptr) end(notification);
    if (thread != nullptr) end(thread);
  }
  // Started, with something attached that notifies it, and let run.
  void go(dpa::Kernel kernel) {
    thread->set_kernel(std::move(kernel)).value();
    thread->start().value();
    notification->start().value();
    thread->run().value();
  }

  std::unique_ptr<Thread> thread = Thread::create(*accelerator).value();
  std::unique_ptr<Notification> notification = Notification::create(*thread).value();
  std::atomic<int> runs{0};
};

TEST_F(ThreadTest, NeedsAKernelToStart) {
  EXPECT_EQ(thread->start().error().code, Errc::bad_state);
  EXPECT_EQ(thread->set_kernel(nullptr).error().code, Errc::invalid_value);
  EXPECT_EQ(thread->stop().error().code, Errc::bad_state);
  EXPECT_EQ(thread->run().error().code, Errc::bad_state);
}

TEST_F(ThreadTest, IsConfiguredOnlyWhileItIsNotStarted) {
  go([](dpa::Run&) {});
  EXPECT_EQ(thread->start().error().code, Errc::bad_state);
  EXPECT_EQ(thread->set_kernel([](dpa::Run&) {}).error().code, Errc::bad_state);
  EXPECT_EQ(thread->set_local_storage({}).error().code, Errc::bad_state);
  EXPECT_EQ(Thread::destroy(thread).error().code, Errc::in_use);
}

TEST_F(ThreadTest, RunsOnlyWhatCanBeNotified) {
  ASSERT_TRUE(Notification::destroy(notification));
  thread->set_kernel([](dpa::Run&) {}).value();
  thread->start().value();
  EXPECT_EQ(thread->run().error().code, Errc::bad_state);
}

TEST_F(ThreadTest, IsNotDestroyedWhileSomethingIsAttached) {
  EXPECT_EQ(Thread::destroy(thread).error().code, Errc::in_use);
  ASSERT_TRUE(Notification::destroy(notification));
  EXPECT_TRUE(Thread::destroy(thread));
  EXPECT_EQ(Thread::destroy(thread).error().code, Errc::invalid_value);
}

TEST_F(ThreadTest, HasAnIdOfItsOwn) {
  auto other = Thread::create(*accelerator).value();
  EXPECT_NE(other->id(), thread->id());
  EXPECT_EQ(&other->accelerator(), accelerator.get());
  EXPECT_TRUE(Thread::destroy(other));
}

TEST_F(ThreadTest, RunsItsKernelOncePerNotificationWithItsStorage) {
  const dpa::DeviceAddress storage = accelerator->allocate(8).value();
  thread->set_local_storage(storage).value();
  go([&](dpa::Run& run) {
    EXPECT_EQ(run.local_storage(), storage);
    EXPECT_EQ(run.count(), 1U);
    ++runs;
  });
  for (int n = 1; n <= 3; ++n) {
    ASSERT_TRUE(notification->notify());
    ASSERT_TRUE(eventually([&] { return runs == n; }));
  }
  EXPECT_EQ(thread->runs(), 3U);
}

TEST_F(ThreadTest, RemembersOneNotificationFromBeforeItRuns) {
  thread->set_kernel([&](dpa::Run&) { ++runs; }).value();
  thread->start().value();
  notification->start().value();
  ASSERT_TRUE(notification->notify());
  ASSERT_TRUE(notification->notify());
  EXPECT_EQ(thread->runs(), 0U);
  thread->run().value();
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
  thread->stop().value();
  EXPECT_EQ(runs, 1);
}

TEST_F(ThreadTest, RunsAgainForANotificationThatCameDuringARun) {
  std::atomic<bool> second_came{false};
  const Deadline deadline;
  go([&](dpa::Run&) {
    if (++runs != 1) return;
    while (!second_came && !deadline.passed()) std::this_thread::yield();
  });
  ASSERT_TRUE(notification->notify());
  ASSERT_TRUE(eventually([&] { return runs == 1; }));
  ASSERT_TRUE(notification->notify());
  second_came = true;
  EXPECT_TRUE(eventually([&] { return runs == 2; }));
}

TEST_F(ThreadTest, RunsNoMoreOnceItHasFinished) {
  go([&](dpa::Run& run) {
    ++runs;
    run.finish();
  });
  ASSERT_TRUE(notification->notify());
  ASSERT_TRUE(eventually([&] { return runs == 1; }));
  ASSERT_TRUE(notification->notify());
  thread->stop().value();
  EXPECT_EQ(runs, 1);
}

TEST_F(ThreadTest, TellsAKernelThatNeverEndsToStop) {
  go([&](dpa::Run& run) {
    ++runs;
    while (!run.stopping()) std::this_thread::yield();
  });
  ASSERT_TRUE(notification->notify());
  ASSERT_TRUE(eventually([&] { return runs == 1; }));
  EXPECT_TRUE(thread->stop());
  EXPECT_FALSE(thread->started());
}

TEST_F(ThreadTest, IsNotStoppedByItsOwnKernel) {
  std::atomic<bool> refused{false};
  go([&](dpa::Run&) {
    const Status stopped = thread->stop();
    refused = !stopped && stopped.error().code == Errc::bad_state;
  });
  ASSERT_TRUE(notification->notify());
  EXPECT_TRUE(eventually([&] { return refused.load(); }));
  EXPECT_TRUE(thread->started());
}

TEST_F(ThreadTest, RunsAgainAfterItWasStoppedAndStarted) {
  go([&](dpa::Run&) { ++runs; });
  thread->stop().value();
  thread->start().value();
  EXPECT_EQ(thread->runs(), 0U);
  thread->run().value();
  ASSERT_TRUE(notification->notify());
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
}

TEST_F(ThreadTest, RunsNothingOnceAKernelHasThrown) {
  go([&](dpa::Run&) {
    ++runs;
    throw std::runtime_error("oh");
  });
  ASSERT_TRUE(notification->notify());
  ASSERT_TRUE(eventually([&] { return !accelerator->failure(); }));
  ASSERT_TRUE(notification->notify());
  thread->stop().value();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(thread->start().error().code, Errc::bad_state);
}

// --- Notification ------------------------------------------------------------------------

TEST_F(ThreadTest, ANotificationStartsAfterItsThread) {
  EXPECT_EQ(&notification->thread(), thread.get());
  EXPECT_EQ(notification->start().error().code, Errc::bad_state);
  EXPECT_EQ(notification->notify().error().code, Errc::bad_state);
  EXPECT_EQ(notification->stop().error().code, Errc::bad_state);
  go([](dpa::Run&) {});
  EXPECT_EQ(notification->start().error().code, Errc::bad_state);
  EXPECT_EQ(Notification::destroy(notification).error().code, Errc::in_use);
  EXPECT_TRUE(notification->stop());
  EXPECT_TRUE(Notification::destroy(notification));
  EXPECT_EQ(Notification::destroy(notification).error().code, Errc::invalid_value);
}

TEST_F(ThreadTest, LosesNoNotificationOfManyThreads) {
  // Each notifier waits for a run that began behind its own notification.
  go([&](dpa::Run&) { ++runs; });
  std::vector<std::jthread> notifiers;
  for (int n = 0; n < 3; ++n) {
    notifiers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const int before = runs;
        ASSERT_TRUE(notification->notify());
        ASSERT_TRUE(eventually([&] { return runs > before; }));
      }
    });
  }
}

// The child has not got the thread, and would wait for its end for ever.
TEST_F(ThreadTest, AForkedProcessNeitherStopsNorDestroysIt) {
  go([&](dpa::Run&) { ++runs; });
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_EQ(thread->stop().error().code, Errc::not_permitted);
    EXPECT_EQ(thread->run().error().code, Errc::not_permitted);
    EXPECT_EQ(Thread::create(*accelerator).error().code, Errc::not_permitted);
    notification.reset();
    thread.reset();
    accelerator.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  ASSERT_TRUE(notification->notify());
  EXPECT_TRUE(eventually([&] { return runs == 1; }));
}

}  // namespace
}  // namespace comch::test
