// doca_dpa_thread: its function, its settings, its life.
#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

void do_nothing(std::uint64_t) {}

struct DocaThreadTest : DpaTest {
  DocaThreadTest() { EXPECT_EQ(doca_dpa_thread_create(dpa, &thread), DOCA_SUCCESS); }
  ~DocaThreadTest() override {
    if (thread == nullptr) return;
    EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  }
  doca_dpa_thread* thread = nullptr;
};

TEST_F(DocaThreadTest, NeedsItsPointersAndAStartedAccelerator) {
  doca_dpa_thread* other = nullptr;
  EXPECT_EQ(doca_dpa_thread_create(nullptr, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_create(dpa, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_run(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  thread = nullptr;
  ASSERT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_create(dpa, &other), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaThreadTest, KeepsItsFunctionAndArgument) {
  doca_dpa_func_t* function = nullptr;
  uint64_t argument = 0;
  EXPECT_EQ(doca_dpa_thread_set_func_arg(nullptr, device_function(do_nothing), 5),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_set_func_arg(thread, nullptr, 5), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_set_func_arg(thread, device_function(do_nothing), 5), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_get_func_arg(thread, &function, &argument), DOCA_SUCCESS);
  EXPECT_EQ(function, device_function(do_nothing));
  EXPECT_EQ(argument, 5U);
  EXPECT_EQ(doca_dpa_thread_get_func_arg(nullptr, &function, &argument), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_func_arg(thread, nullptr, &argument), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_func_arg(thread, &function, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaThreadTest, KeepsItsLocalStorageAndAffinity) {
  doca_dpa_dev_uintptr_t address = 1;
  EXPECT_EQ(doca_dpa_thread_get_local_storage(thread, &address), DOCA_SUCCESS);
  EXPECT_EQ(address, 0U);
  EXPECT_EQ(doca_dpa_thread_set_local_storage(thread, 64), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_get_local_storage(thread, &address), DOCA_SUCCESS);
  EXPECT_EQ(address, 64U);
  EXPECT_EQ(doca_dpa_thread_set_local_storage(nullptr, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_local_storage(nullptr, &address), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_local_storage(thread, nullptr), DOCA_ERROR_INVALID_VALUE);

  int place = 0;  // Any address: affinities are the operating system's here.
  const auto* const wanted = reinterpret_cast<const doca_dpa_eu_affinity*>(&place);
  const doca_dpa_eu_affinity* affinity = wanted;
  EXPECT_EQ(doca_dpa_thread_get_affinity(thread, &affinity), DOCA_SUCCESS);
  EXPECT_EQ(affinity, nullptr);
  EXPECT_EQ(doca_dpa_thread_set_affinity(thread, wanted), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_get_affinity(thread, &affinity), DOCA_SUCCESS);
  EXPECT_EQ(affinity, wanted);
  EXPECT_EQ(doca_dpa_thread_set_affinity(nullptr, wanted), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_set_affinity(thread, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_affinity(nullptr, &affinity), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_affinity(thread, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaThreadTest, HasANumberOfItsOwn) {
  doca_dpa_thread* other = nullptr;
  ASSERT_EQ(doca_dpa_thread_create(dpa, &other), DOCA_SUCCESS);
  uint32_t first = 0;
  uint32_t second = 0;
  EXPECT_EQ(doca_dpa_thread_get_id(thread, &first), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_get_id(other, &second), DOCA_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(doca_dpa_thread_get_id(nullptr, &first), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_get_id(thread, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_thread_destroy(other), DOCA_SUCCESS);
}

TEST_F(DocaThreadTest, StartsWithAFunctionAndRunsWhenSomethingIsAttached) {
  EXPECT_EQ(doca_dpa_thread_stop(thread), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_thread_run(thread), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_thread_start(thread), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_dpa_thread_set_func_arg(thread, device_function(do_nothing), 0), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_start(thread), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_thread_run(thread), DOCA_ERROR_BAD_STATE) << "nothing is attached";
  int place = 0;
  EXPECT_EQ(doca_dpa_thread_set_func_arg(thread, device_function(do_nothing), 1),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_thread_set_local_storage(thread, 64), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(
      doca_dpa_thread_set_affinity(thread, reinterpret_cast<const doca_dpa_eu_affinity*>(&place)),
      DOCA_ERROR_BAD_STATE);

  doca_dpa_notification_completion* notification = nullptr;
  ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_run(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_ERROR_IN_USE) << "something is attached";
  EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS);
}

TEST_F(DocaThreadTest, IsStoppedByItsDestruction) {
  ASSERT_EQ(doca_dpa_thread_set_func_arg(thread, device_function(do_nothing), 0), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_thread_destroy(thread), DOCA_SUCCESS);
  thread = nullptr;
}

}  // namespace
}  // namespace comch::test
