// The accelerator as the program uses it: every number at its limits.
#include <array>

#include "doca/bad_input/any_enum.h"
#include "doca/bad_input/rows.h"
#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DpaNumbersTest : DpaTest {
  DpaNumbersTest() { EXPECT_EQ(doca_dpa_mem_alloc(dpa, kSize, &address), kYes); }
  // Places for `kPart` bytes: up to the last one in the memory. Lengths: all of it. Neither is 0.
  static constexpr std::size_t kSize = 64;
  static constexpr std::size_t kPart = 8;
  static constexpr Bounds kLengths{.zero = kNo, .most = kSize};
  Bounds places() const { return {.zero = kNo, .most = address + kSize - kPart}; }

  doca_dpa_dev_uintptr_t address = 0;
  std::array<char, kSize> bytes{};
  Memory memory{device};
};

TEST_F(DpaNumbersTest, Copies) {
  try_number("doca_dpa_h2d_memcpy", "dst_ptr", places(),
             [&](auto n) { return doca_dpa_h2d_memcpy(dpa, n, bytes.data(), kPart); });
  try_number("doca_dpa_h2d_memcpy", "size", kLengths,
             [&](auto n) { return doca_dpa_h2d_memcpy(dpa, address, bytes.data(), n); });
  try_number("doca_dpa_d2h_memcpy", "src_ptr", places(),
             [&](auto n) { return doca_dpa_d2h_memcpy(dpa, bytes.data(), n, kPart); });
  try_number("doca_dpa_d2h_memcpy", "size", kLengths,
             [&](auto n) { return doca_dpa_d2h_memcpy(dpa, bytes.data(), address, n); });
  try_number("doca_dpa_memset", "dev_ptr", places(),
             [&](auto n) { return doca_dpa_memset(dpa, n, 0, kPart); });
  try_number("doca_dpa_memset", "size", kLengths,
             [&](auto n) { return doca_dpa_memset(dpa, address, 0, n); });
  // Of any number its lowest byte is used, as by memset().
  try_number("doca_dpa_memset", "value", {.negative = kYes}, [&](auto n) {
    const doca_error_t set = doca_dpa_memset(dpa, address, static_cast<int>(n), 1);
    EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, bytes.data(), address, 1), kYes);
    EXPECT_EQ(bytes[0], static_cast<char>(n));
    return set;
  });
}

TEST_F(DpaNumbersTest, CopiesOfBuffers) {
  doca_buf* const data = memory.data(std::string(2 * kSize, 'd'));
  // Each copy appends to what is there, so each has a buffer of its own.
  const auto room = [&] { return memory.room(4096, 2 * kSize); };
  try_number("doca_dpa_h2d_buf_memcpy", "dst_ptr", places(),
             [&](auto n) { return doca_dpa_h2d_buf_memcpy(dpa, n, data, kPart); });
  try_number("doca_dpa_h2d_buf_memcpy", "size", kLengths,
             [&](auto n) { return doca_dpa_h2d_buf_memcpy(dpa, address, data, n); });
  try_number("doca_dpa_d2h_buf_memcpy", "src_ptr", places(),
             [&](auto n) { return doca_dpa_d2h_buf_memcpy(dpa, room(), n, kPart); });
  try_number("doca_dpa_d2h_buf_memcpy", "size", kLengths,
             [&](auto n) { return doca_dpa_d2h_buf_memcpy(dpa, room(), address, n); });
  // And where the buffer is the shorter of the two.
  doca_buf* const short_data = memory.data("short");
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, short_data, 5), kYes);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, short_data, 6), kNo);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, memory.room(4096, 5), address, 5), kYes);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, memory.room(4096, 5), address, 6), kNo);
}

// The most that one may ask for is more than there is.
TEST_F(DpaNumbersTest, Allocations) {
  try_number("doca_dpa_mem_alloc", "size", {.zero = kNo, .at_most = DOCA_ERROR_NO_MEMORY},
             [&](auto n) {
               doca_dpa_dev_uintptr_t made = 1;
               const doca_error_t answer = doca_dpa_mem_alloc(dpa, n, &made);
               EXPECT_EQ(made, 0U);
               return answer;
             });
  // It is freed by the address that it has, once.
  try_number("doca_dpa_mem_free", "dev_ptr", {.zero = kNo, .most = address + 1, .at_most = kNo},
             [&](auto n) { return doca_dpa_mem_free(dpa, n); });
  EXPECT_EQ(doca_dpa_mem_free(dpa, address), kYes);
  EXPECT_EQ(doca_dpa_mem_free(dpa, address), kNo);
}

TEST_F(DpaNumbersTest, QueuesAndWords) {
  doca_dpa_async_ops* copies = nullptr;
  const auto make_copies = [&](unsigned int queue, std::uint64_t word) {
    const doca_error_t made = doca_dpa_async_ops_create(dpa, queue, word, &copies);
    if (made == kYes) {
      EXPECT_EQ(doca_dpa_async_ops_destroy(copies), kYes);
    }
    return made;
  };
  try_number("doca_dpa_completion_create", "queue_size", {.zero = kNo, .most = 65536}, [&](auto n) {
    doca_dpa_completion* completion = nullptr;
    const doca_error_t made =
        doca_dpa_completion_create(dpa, static_cast<unsigned int>(n), &completion);
    if (made == kYes) {
      EXPECT_EQ(doca_dpa_completion_destroy(completion), kYes);
    }
    return made;
  });
  try_number("doca_dpa_async_ops_create", "queue_size", {.zero = kNo, .most = 8192},
             [&](auto n) { return make_copies(static_cast<unsigned int>(n), 0); });
  constexpr std::uint64_t kMostWord = (1U << DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA) - 1;
  try_number("doca_dpa_async_ops_create", "user_data", {.most = kMostWord},
             [&](auto n) { return make_copies(4, n); });
}

void function(std::uint64_t) {}

TEST_F(DpaNumbersTest, Settings) {
  doca_dpa_thread* thread = nullptr;
  ASSERT_EQ(doca_dpa_thread_create(dpa, &thread), kYes);
  try_number(
      "doca_dpa_thread_set_func_arg", "arg", {},
      [&](auto n) { return doca_dpa_thread_set_func_arg(thread, device_function(function), n); },
      [&] {
        doca_dpa_func_t* has = nullptr;
        std::uint64_t argument = 0;
        EXPECT_EQ(doca_dpa_thread_get_func_arg(thread, &has, &argument), kYes);
        return argument;
      });
  try_number(
      "doca_dpa_thread_set_local_storage", "dev_ptr", {},
      [&](auto n) { return doca_dpa_thread_set_local_storage(thread, n); },
      [&] {
        doca_dpa_dev_uintptr_t has = 0;
        EXPECT_EQ(doca_dpa_thread_get_local_storage(thread, &has), kYes);
        return has;
      });
  EXPECT_EQ(doca_dpa_thread_destroy(thread), kYes);
  ASSERT_EQ(doca_dpa_stop(dpa), kYes);
  const Bounds levels{.zero = kNo, .most = DOCA_DPA_DEV_LOG_LEVEL_DEBUG};
  try_number("doca_dpa_set_log_level", "log_level", levels,
             [&](auto n) { return set_dpa_log_level_number(dpa, static_cast<unsigned int>(n)); });
}

}  // namespace
}  // namespace comch::test
