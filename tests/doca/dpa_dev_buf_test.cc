// doca_dpa_dev_buf.h: places in the host's memory, and copies between them by device functions.
#include <doca_dpa_dev_buf.h>

#include <array>
#include <cstring>

#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

template <class Object>
std::uint64_t address_of(Object* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}

struct DocaDeviceBufTest : DpaTest {
  DocaDeviceBufTest() {
    EXPECT_EQ(doca_dpa_completion_create(dpa, 4, &completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, &completions), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_async_ops_create(dpa, 4, 77, &operations), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_async_ops_attach(operations, completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_async_ops_start(operations), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(operations, &ops), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_dev_get_dpa_handle(memory.map(), device, &map), DOCA_SUCCESS);
  }
  ~DocaDeviceBufTest() override {
    EXPECT_EQ(doca_dpa_async_ops_destroy(operations), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
  }
  // Calls a body that ruins the accelerator.
  void expect_ruin(const std::function<void()>& body) {
    const auto run = [](std::uint64_t argument) {
      (*reinterpret_cast<const std::function<void()>*>(argument))();
      return std::uint64_t{0};
    };
    std::uint64_t answer = 0;
    EXPECT_EQ(doca_dpa_rpc(dpa, device_function(+run), &answer, address_of(&body)),
              DOCA_ERROR_BAD_STATE);
  }

  Memory memory{device};
  doca_dpa_completion* completion = nullptr;
  doca_dpa_async_ops* operations = nullptr;
  doca_dpa_dev_completion_t completions = 0;
  doca_dpa_dev_async_ops_t ops = 0;
  doca_dpa_dev_mmap_t map = 0;
};

TEST(DocaDeviceBuf, KeepsWhatIsSet) {
  std::array<doca_dpa_dev_buf, 2> bufs{};
  doca_dpa_dev_buf_arr array{};
  array.bufs = bufs.data();
  const doca_dpa_dev_buf_t second = doca_dpa_dev_buf_array_get_buf(address_of(&array), 1);
  EXPECT_EQ(second, address_of(&bufs[1]));
  doca_dpa_dev_buf_set_addr(second, 4096);
  doca_dpa_dev_buf_set_len(second, 64);
  doca_dpa_dev_buf_set_mmap(second, 3);
  EXPECT_EQ(doca_dpa_dev_buf_get_addr(second), 4096U);
  EXPECT_EQ(doca_dpa_dev_buf_get_len(second), 64U);
  EXPECT_EQ(doca_dpa_dev_buf_get_mmap(second), 3U);
}

TEST_F(DocaDeviceBufTest, IsReachedByAPointerWhereTheMapAllows) {
  std::memcpy(memory.at(8), "here", 4);
  doca_dpa_dev_buf buf{};
  const doca_dpa_dev_buf_t handle = address_of(&buf);
  doca_dpa_dev_buf_set_mmap(handle, map);
  doca_dpa_dev_buf_set_addr(handle, address_of(memory.at(8)));
  doca_dpa_dev_buf_set_len(handle, 4);
  EXPECT_EQ(call([&] { return doca_dpa_dev_buf_get_external_ptr(handle); }),
            address_of(memory.at(8)));
  EXPECT_EQ(call([&] { return doca_dpa_dev_mmap_get_external_ptr(map, buf.addr); }), buf.addr);
  // Beside the map, and of a map that is not there.
  EXPECT_EQ(call([&] { return doca_dpa_dev_mmap_get_external_ptr(map, 8); }), 0U);
  EXPECT_EQ(call([&] { return doca_dpa_dev_mmap_get_external_ptr(map + 1, buf.addr); }), 0U);
  EXPECT_EQ(doca_dpa_dev_mmap_get_external_ptr(map, buf.addr), 0U) << "no device function";
}

TEST_F(DocaDeviceBufTest, IsCopiedWithACompletionUnlessThatIsNotAskedFor) {
  std::memcpy(memory.at(0), "copy me", 7);
  call([&] {
    doca_dpa_dev_post_memcpy(ops, map, address_of(memory.at(100)), map, address_of(memory.at(0)), 7,
                             DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    doca_dpa_dev_post_memcpy(ops, map, address_of(memory.at(200)), map, address_of(memory.at(0)), 4,
                             DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
    return 0;
  });
  EXPECT_STREQ(memory.at(100), "copy me");
  EXPECT_STREQ(memory.at(200), "copy");
  doca_dpa_dev_completion_element_t element = 0;
  ASSERT_EQ(doca_dpa_dev_get_completion(completions, &element), 1);
  EXPECT_EQ(doca_dpa_dev_get_completion_type(element), DOCA_DPA_DEV_COMP_SEND);
  EXPECT_EQ(doca_dpa_dev_get_completion_user_data(element), 77U);
  EXPECT_EQ(doca_dpa_dev_get_completion_immediate(element), 0U);
  EXPECT_EQ(doca_dpa_dev_get_completion(completions, &element), 0);
  doca_dpa_dev_completion_ack(completions, 1);
}

TEST_F(DocaDeviceBufTest, IsCopiedToABufferThatIsLongEnough) {
  std::memcpy(memory.at(0), "buffer", 6);
  doca_dpa_dev_buf from{};
  doca_dpa_dev_buf to{};
  from = {.addr = address_of(memory.at(0)), .len = 6, .mmap = map, .reserved = {}};
  to = {.addr = address_of(memory.at(50)), .len = 6, .mmap = map, .reserved = {}};
  call([&] {
    doca_dpa_dev_post_buf_memcpy(ops, address_of(&to), address_of(&from), 0);
    return 0;
  });
  EXPECT_STREQ(memory.at(50), "buffer");
  to.len = 5;
  expect_ruin([&] { doca_dpa_dev_post_buf_memcpy(ops, address_of(&to), address_of(&from), 0); });
}

TEST_F(DocaDeviceBufTest, RuinsTheAcceleratorOutsideOfTheMap) {
  expect_ruin([&] {
    doca_dpa_dev_post_memcpy(ops, map, address_of(memory.at((1 << 16) - 1)), map,
                             address_of(memory.at(0)), 2, 0);
  });
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_ERROR_BAD_STATE);
}

// A map is reached by the device it was added to.
TEST_F(DocaDeviceBufTest, IsReachedThroughTheDeviceThatIsSet) {
  const OpenDevice other(kHostPci);
  Memory theirs(other);
  doca_dpa_dev_mmap_t far = 0;
  ASSERT_EQ(doca_mmap_dev_get_dpa_handle(theirs.map(), other, &far), DOCA_SUCCESS);
  doca_dpa* extended = nullptr;
  doca_dpa_dev_t handle = 0;
  ASSERT_EQ(doca_dpa_device_extend(dpa, other, &extended), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_get_dpa_handle(extended, &handle), DOCA_SUCCESS);
  const std::uint64_t address = address_of(theirs.at(0));
  EXPECT_EQ(call([&] { return doca_dpa_dev_mmap_get_external_ptr(far, address); }), 0U);
  EXPECT_EQ(call([&] {
              doca_dpa_dev_device_set(handle);
              return doca_dpa_dev_mmap_get_external_ptr(far, address);
            }),
            address);
  EXPECT_EQ(doca_dpa_destroy(extended), DOCA_SUCCESS);
}

// With the queue of completions full the device function waits for the program to read them.
TEST_F(DocaDeviceBufTest, WaitsForRoomInItsQueue) {
  std::atomic<int> copied{0};
  const DeviceThread thread(dpa, [&] {
    for (int n = 0; n < 6; ++n) {
      doca_dpa_dev_post_memcpy(ops, map, address_of(memory.at(100)), map, address_of(memory.at(0)),
                               1, 0);
      ++copied;
    }
  });
  doca_dpa_notification_completion* notification = nullptr;
  doca_dpa_dev_notification_completion_t notify = 0;
  ASSERT_EQ(doca_dpa_notification_completion_create(dpa, thread, &notification), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_notification_completion_start(notification), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_notification_completion_get_dpa_handle(notification, &notify), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_run(thread), DOCA_SUCCESS);
  doca_dpa_dev_thread_notify(notify);
  ASSERT_TRUE(eventually([&] { return copied == 4; }));
  int read = 0;
  ASSERT_TRUE(eventually([&] {
    doca_dpa_dev_completion_element_t element = 0;
    while (doca_dpa_dev_get_completion(completions, &element) == 1) {
      doca_dpa_dev_completion_ack(completions, 1);
      ++read;
    }
    return read == 6;
  }));
  EXPECT_EQ(doca_dpa_notification_completion_destroy(notification), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
