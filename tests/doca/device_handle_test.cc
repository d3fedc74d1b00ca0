// DeviceHandle: what device functions find by a number, before and after the object's end.
#include <thread>

#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

struct DocaDeviceHandleTest : DpaTest {
  doca_dpa_completion* make() {
    doca_dpa_completion* completion = nullptr;
    EXPECT_EQ(doca_dpa_completion_create(dpa, 4, &completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
    return completion;
  }
  static doca_dpa_dev_completion_t handle_of(doca_dpa_completion* completion) {
    doca_dpa_dev_completion_t handle = 0;
    EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, &handle), DOCA_SUCCESS);
    return handle;
  }
};

TEST_F(DocaDeviceHandleTest, IsTheSameWheneverItIsAskedFor) {
  doca_dpa_completion* const completion = make();
  const doca_dpa_dev_completion_t first = handle_of(completion);
  EXPECT_EQ(handle_of(completion), first);
  ASSERT_EQ(doca_dpa_completion_stop(completion), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
  EXPECT_EQ(handle_of(completion), first);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
}

TEST_F(DocaDeviceHandleTest, OfADestroyedObjectAnswersNothingAndNamesNoOther) {
  doca_dpa_completion* completion = make();
  const doca_dpa_dev_completion_t gone = handle_of(completion);
  ASSERT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
  completion = make();
  EXPECT_NE(handle_of(completion), gone);
  call([&] {
    doca_dpa_dev_completion_element_t element = 0;
    EXPECT_EQ(doca_dpa_dev_get_completion(gone, &element), 0);
    doca_dpa_dev_completion_ack(gone, 1);
    doca_dpa_dev_completion_request_notification(gone);
    EXPECT_EQ(doca_dpa_dev_get_completion(0, &element), 0);
    return 0;
  });
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
}

// Objects come and go while a thread uses whichever number is the last it has heard of.
TEST_F(DocaDeviceHandleTest, IsUsedWhileItsObjectIsDestroyed) {
  std::atomic<doca_dpa_dev_completion_t> latest{0};
  std::atomic<bool> ended{false};
  std::atomic<std::uint64_t> uses{0};
  {
    const std::jthread user([&] {
      while (!ended) {
        doca_dpa_dev_completion_element_t element = 0;
        EXPECT_EQ(doca_dpa_dev_get_completion(latest, &element), 0);
        ++uses;
      }
    });
    for (int n = 0; n < 300; ++n) {
      doca_dpa_completion* const completion = make();
      latest = handle_of(completion);
      const std::uint64_t seen = uses;
      EXPECT_TRUE(eventually([&] { return uses > seen; }));
      EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
    }
    ended = true;
  }
}

}  // namespace
}  // namespace comch::test
