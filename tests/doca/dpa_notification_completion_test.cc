// doca_dpa_notification_completion: its life, and the thread that it runs.
#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

struct DocaNotificationTest : DpaTest {
  DeviceThread thread{dpa, [] {}};
};

TEST_F(DocaNotificationTest, RunsItsThreadOncePerNotice) {
  doca_dpa_notification_completion* notification = nullptr;
  ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_notification_completion_start(notification), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_run(thread), DOCA_SUCCESS);
  doca_dpa_dev_notification_completion_t handle = 0;
  ASSERT_EQ(doca_dpa_notification_completion_get_dpa_handle(notification, &handle), DOCA_SUCCESS);
  for (std::uint64_t n = 1; n <= 3; ++n) {
    call([&] { return doca_dpa_dev_thread_notify(handle), 0; });
    ASSERT_TRUE(eventually([&] { return thread.runs() == n; }));
  }
  EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS);
}

TEST_F(DocaNotificationTest, StartsAndStopsInTurns) {
  doca_dpa_notification_completion* notification = nullptr;
  ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
  doca_dpa_dev_notification_completion_t handle = 0;
  EXPECT_EQ(doca_dpa_notification_completion_get_dpa_handle(notification, &handle),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_notification_completion_stop(notification), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_start(notification), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_start(notification), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_start(notification), DOCA_ERROR_BAD_STATE);
  doca_dpa_thread* its = nullptr;
  EXPECT_EQ(doca_dpa_notification_completion_get_thread(notification, &its), DOCA_SUCCESS);
  EXPECT_EQ(its, static_cast<doca_dpa_thread*>(thread));
  EXPECT_EQ(doca_dpa_notification_completion_stop(notification), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS);
}

TEST_F(DocaNotificationTest, NeedsItsPointersAndAThreadOfItsAccelerator) {
  doca_dpa_notification_completion* notification = nullptr;
  doca_dpa* other = nullptr;
  ASSERT_EQ(doca_dpa_create(device, &other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_create(other, thread, &notification),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_notification_completion_create(nullptr, thread, &notification),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_create(dpa, nullptr, &notification),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_create(dpa, thread, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_stop(nullptr), DOCA_ERROR_INVALID_VALUE);

  ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
  doca_dpa_thread* its = nullptr;
  doca_dpa_dev_notification_completion_t handle = 0;
  EXPECT_EQ(doca_dpa_notification_completion_get_thread(nullptr, &its), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_get_thread(notification, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_get_dpa_handle(nullptr, &handle),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_get_dpa_handle(notification, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
