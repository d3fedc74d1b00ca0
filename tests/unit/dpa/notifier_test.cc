// Notifier: one notification for a request, and none lost.
#include "dpa/notifier.h"

#include <atomic>
#include <thread>

#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

// Something to get, or not.
struct Shelf final : dpa::Arrivals {
  bool has_arrivals() override {
    ++looks;
    return full;
  }
  std::atomic<bool> full{false};
  std::atomic<int> looks{0};
};

struct NotifierTest : QueueTest {
  NotifierTest() {
    thread->set_kernel([this](dpa::Run&) { ++runs; }).value();
    thread->start().value();
    keep->start().value();
    thread->run().value();
  }
  ~NotifierTest() override {
    notifier->stop();
    end(keep);
    end(thread);
  }
  // Whether the thread has been notified so often, and not more.
  bool notified(int times) {
    const bool enough = eventually([&] { return runs >= times; });
    if (thread->started()) thread->stop().value();
    return enough && runs == times;
  }

  std::unique_ptr<dpa::Thread> thread = dpa::Thread::create(*accelerator).value();
  std::unique_ptr<dpa::Notification> keep = dpa::Notification::create(*thread).value();
  std::atomic<int> runs{0};
  Shelf shelf;
  std::shared_ptr<dpa::Notifier> notifier = std::make_shared<dpa::Notifier>(shelf);
  dpa::ThreadImpl* impl = &dpa::ThreadImpl::of(*thread);
};

TEST_F(NotifierTest, IsArmedFromItsStart) {
  notifier->start(impl);
  shelf.full = true;
  notifier->ring();
  EXPECT_TRUE(notified(1));
}

TEST_F(NotifierTest, NotifiesAtItsStartOfWhatIsThereAlready) {
  shelf.full = true;
  notifier->start(impl);
  EXPECT_TRUE(notified(1));
}

TEST_F(NotifierTest, NotifiesOncePerRequest) {
  notifier->start(impl);
  shelf.full = true;
  for (int ring = 0; ring < 3; ++ring) notifier->ring();
  EXPECT_TRUE(notified(1));
}

TEST_F(NotifierTest, NotifiesAgainWhenItIsArmedAgain) {
  notifier->start(impl);
  shelf.full = true;
  notifier->ring();
  ASSERT_TRUE(eventually([&] { return runs == 1; }));
  notifier->arm();
  EXPECT_TRUE(notified(2)) << "what was not got counts";
}

TEST_F(NotifierTest, DoesNotNotifyOfNothing) {
  notifier->start(impl);
  notifier->ring();
  notifier->arm();
  EXPECT_TRUE(notified(0));
}

TEST_F(NotifierTest, StaysArmedThroughARingForNothing) {
  notifier->start(impl);
  msgq::Ringer ringer(notifier);
  ringer.tell();
  EXPECT_GT(shelf.looks, 1);
  shelf.full = true;
  ringer.tell();
  EXPECT_TRUE(notified(1)) << "each look begins a new episode of the bell";
}

TEST_F(NotifierTest, IsLeftAloneByRingersWhileItIsNotArmed) {
  notifier->start(impl);
  msgq::Ringer ringer(notifier);
  shelf.full = true;
  ringer.tell();
  const int looks = shelf.looks;
  ringer.tell();
  EXPECT_EQ(shelf.looks, looks);
  EXPECT_TRUE(notified(1));
}

TEST_F(NotifierTest, TouchesNothingWhenItIsStoppedOrHasNoThread) {
  shelf.full = true;
  notifier->ring();
  notifier->start(nullptr);
  notifier->arm();
  notifier->ring();
  notifier->start(impl);
  notifier->stop();
  const int looks = shelf.looks;
  notifier->ring();
  notifier->arm();
  EXPECT_EQ(shelf.looks, looks);
  EXPECT_TRUE(notified(1));
}

// A thread puts something on the shelf and rings as messages do; the kernel empties it and asks
// again. A lost wake-up would leave the shelf full with nobody coming.
TEST_F(NotifierTest, LosesNoWakeUpOfAThreadThatRings) {
  thread->stop().value();
  thread
      ->set_kernel([this](dpa::Run&) {
        shelf.full = false;
        notifier->arm();
      })
      .value();
  thread->start().value();
  notifier->start(impl);
  thread->run().value();
  msgq::Ringer ringer(notifier);
  for (int round = 0; round < 2000; ++round) {
    shelf.full = true;
    ringer.tell();
    ASSERT_TRUE(eventually([&] { return !shelf.full; })) << "round " << round;
  }
}

}  // namespace
}  // namespace comch::test
