// doca_dpa_dev.h: what device functions may say about their thread.
#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

// A thread with something that wakes it, from the outside.
struct DocaDeviceTest : DpaTest {
  void start(const DeviceThread& thread) {
    ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
    ASSERT_EQ(doca_dpa_notification_completion_start(notification), DOCA_SUCCESS);
    ASSERT_EQ(doca_dpa_notification_completion_get_dpa_handle(notification, &handle), DOCA_SUCCESS);
    ASSERT_EQ(doca_dpa_thread_run(thread), DOCA_SUCCESS);
  }
  void finish() { EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS); }
  void notify() { doca_dpa_dev_thread_notify(handle); }

  doca_dpa_notification_completion* notification = nullptr;
  doca_dpa_dev_notification_completion_t handle = 0;
};

// Says whether its frame was unwound.
struct Frame {
  explicit Frame(std::atomic<int>& count) : gone(count) {}
  ~Frame() { ++gone; }
  std::atomic<int>& gone;
};

TEST_F(DocaDeviceTest, RescheduleEndsTheRunAndTheNextNoticeBeginsAnother) {
  std::atomic<int> unwound{0};
  std::atomic<bool> went_on{false};
  const DeviceThread thread(dpa, [&] {
    const Frame frame(unwound);
    doca_dpa_dev_thread_reschedule();
    went_on = true;
  });
  start(thread);
  for (int n = 1; n <= 3; ++n) {
    notify();
    ASSERT_TRUE(eventually([&] { return unwound == n; }));
  }
  EXPECT_FALSE(went_on);
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_SUCCESS);
  finish();
}

TEST_F(DocaDeviceTest, FinishEndsTheThreadUntilItIsStartedAgain) {
  std::atomic<int> unwound{0};
  const DeviceThread thread(dpa, [&] {
    const Frame frame(unwound);
    doca_dpa_dev_thread_finish();
  });
  start(thread);
  notify();
  ASSERT_TRUE(eventually([&] { return unwound == 1; }));
  notify();
  ASSERT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  EXPECT_EQ(unwound, 1);
  ASSERT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_run(thread), DOCA_SUCCESS);
  notify();
  ASSERT_TRUE(eventually([&] { return unwound == 2; }));
  finish();
}

TEST_F(DocaDeviceTest, AThreadKnowsItsPlaceAndItsStorage) {
  std::atomic<unsigned int> rank{9};
  std::atomic<unsigned int> count{9};
  std::atomic<doca_dpa_dev_uintptr_t> storage{0};
  std::atomic<bool> ran{false};
  const DeviceThread thread(dpa, [&] {
    rank = doca_dpa_dev_thread_rank();
    count = doca_dpa_dev_num_threads();
    storage = doca_dpa_dev_thread_get_local_storage();
    doca_dpa_dev_yield();
    ran = true;
  });
  ASSERT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_set_local_storage(thread, 4096), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  start(thread);
  notify();
  ASSERT_TRUE(eventually([&] { return ran.load(); }));
  EXPECT_EQ(rank, 0U);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(storage, 4096U);
  finish();
}

TEST_F(DocaDeviceTest, OneThreadNotifiesAnother) {
  const DeviceThread second(dpa, [] {});
  start(second);
  call([this] { return notify(), 0; });
  EXPECT_TRUE(eventually([&] { return second.runs() == 1; }));
  finish();
}

TEST_F(DocaDeviceTest, AStoppedObjectIsLeftAlone) {
  const DeviceThread thread(dpa, [] {});
  start(thread);
  ASSERT_EQ(doca_dpa_notification_completion_stop(notification), DOCA_SUCCESS);
  call([this] { return notify(), 0; });
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_SUCCESS);
  finish();
}

TEST_F(DocaDeviceTest, AcknowledgingMoreThanWasGotRuinsTheAccelerator) {
  doca_dpa_completion* completion = nullptr;
  ASSERT_EQ(doca_dpa_completion_create(dpa, 4, &completion), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
  doca_dpa_dev_completion_t its = 0;
  ASSERT_EQ(doca_dpa_completion_get_dpa_handle(completion, &its), DOCA_SUCCESS);
  const std::function<std::uint64_t()> body = [&] {
    doca_dpa_dev_completion_element_t element = 0;
    EXPECT_EQ(doca_dpa_dev_get_completion(its, &element), 0);
    doca_dpa_dev_completion_ack(its, 1);
    return std::uint64_t{0};
  };
  const auto run = [](std::uint64_t argument) {
    return (*reinterpret_cast<const std::function<std::uint64_t()>*>(argument))();
  };
  std::uint64_t answer = 0;
  EXPECT_EQ(
      doca_dpa_rpc(dpa, device_function(+run), &answer, reinterpret_cast<std::uint64_t>(&body)),
      DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
}

TEST_F(DocaDeviceTest, OutsideOfDeviceFunctionsThereIsNoThreadToSpeakOf) {
  EXPECT_EQ(doca_dpa_dev_thread_rank(), 0U);
  EXPECT_EQ(doca_dpa_dev_num_threads(), 0U);
  EXPECT_EQ(doca_dpa_dev_thread_get_local_storage(), 0U);
  doca_dpa_dev_thread_reschedule();
  doca_dpa_dev_thread_finish();
  doca_dpa_dev_device_set(0);
  doca_dpa_dev_trace(1, 2, 3, 4, 5);
  doca_dpa_dev_trace_flush();
  DOCA_DPA_DEV_LOG_ERR("heard by nobody\n");
}

}  // namespace
}  // namespace comch::test
