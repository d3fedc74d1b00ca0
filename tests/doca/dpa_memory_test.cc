// The memory calls of doca_dpa.h.
#include <array>
#include <cstring>
#include <string>

#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DocaDpaMemoryTest : DpaTest {
  doca_dpa_dev_uintptr_t allocate(std::size_t size) {
    doca_dpa_dev_uintptr_t address = 0;
    EXPECT_EQ(doca_dpa_mem_alloc(dpa, size, &address), DOCA_SUCCESS);
    return address;
  }
};

TEST_F(DocaDpaMemoryTest, IsWrittenFilledAndReadBack) {
  const doca_dpa_dev_uintptr_t address = allocate(8);
  EXPECT_EQ(address % alignof(std::max_align_t), 0U);
  std::array<char, 8> bytes{'o', 'n', ' ', 'd', 'p', 'a', '!', '!'};
  EXPECT_EQ(doca_dpa_h2d_memcpy(dpa, address, bytes.data(), 8), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_memset(dpa, address + 6, '.', 2), DOCA_SUCCESS);
  // A device function uses it as a pointer.
  EXPECT_EQ(call([&] { return static_cast<std::uint64_t>(*reinterpret_cast<char*>(address)); }),
            static_cast<std::uint64_t>('o'));
  std::array<char, 8> back{};
  EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, back.data(), address, 8), DOCA_SUCCESS);
  EXPECT_EQ(std::string(back.data(), 8), "on dpa..");
  EXPECT_EQ(doca_dpa_mem_free(dpa, address), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_mem_free(dpa, address), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaMemoryTest, IsCopiedFromAndToBuffers) {
  const doca_dpa_dev_uintptr_t address = allocate(16);
  Memory memory(device);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, memory.data("a buffer's"), 8), DOCA_SUCCESS);
  doca_buf* const room = memory.room(100, 16);
  std::memcpy(memory.at(100), "=", 1);
  ASSERT_EQ(doca_buf_set_data(room, memory.at(100), 1), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, room, address, 8), DOCA_SUCCESS);
  EXPECT_EQ(text_of(room), "=a buffer");
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, room, 10), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, room, address, 8), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text_of(room), "=a buffer");
}

TEST_F(DocaDpaMemoryTest, IsNotReachedOutsideOfWhatWasAllocated) {
  const doca_dpa_dev_uintptr_t address = allocate(8);
  std::array<char, 16> bytes{};
  Memory memory(device);
  doca_buf* const buffer = memory.data("0123456789abcdef");
  EXPECT_EQ(doca_dpa_h2d_memcpy(dpa, address, bytes.data(), 9), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, bytes.data(), address + 1, 8), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_memset(dpa, address, 0, 9), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_memset(dpa, 0, 0, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, buffer, 9), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, memory.room(64, 16), address, 9),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_mem_free(dpa, address + 1), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaMemoryTest, NeedsPointersAndBytes) {
  doca_dpa_dev_uintptr_t address = 1;
  EXPECT_EQ(doca_dpa_mem_alloc(dpa, 0, &address), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(address, 0U);
  EXPECT_EQ(doca_dpa_mem_alloc(nullptr, 8, &address), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_mem_alloc(dpa, 8, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_mem_free(nullptr, address), DOCA_ERROR_INVALID_VALUE);
  address = allocate(8);
  char byte = 0;
  Memory memory(device);
  doca_buf* const buffer = memory.data("b");
  EXPECT_EQ(doca_dpa_h2d_memcpy(nullptr, address, &byte, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_memcpy(dpa, address, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_memcpy(dpa, address, &byte, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_memcpy(nullptr, &byte, address, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, nullptr, address, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, &byte, address, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_memset(nullptr, address, 0, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_memset(dpa, address, 0, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(nullptr, address, buffer, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, buffer, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(nullptr, buffer, address, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, nullptr, address, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, buffer, address, 0), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaDpaMemoryTest, IsThereOnlyWhileTheAcceleratorIsStarted) {
  doca_dpa_dev_uintptr_t address = allocate(8);
  ASSERT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
  char byte = 0;
  EXPECT_EQ(doca_dpa_h2d_memcpy(dpa, address, &byte, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_d2h_memcpy(dpa, &byte, address, 1), DOCA_ERROR_BAD_STATE);
  Memory memory(device);
  EXPECT_EQ(doca_dpa_h2d_buf_memcpy(dpa, address, memory.data("b"), 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_d2h_buf_memcpy(dpa, memory.room(64, 1), address, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_memset(dpa, address, 0, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_mem_free(dpa, address), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_mem_alloc(dpa, 8, &address), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(address, 0U);
}

}  // namespace
}  // namespace comch::test
