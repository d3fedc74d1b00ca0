// SlotPayload: its bytes, and the order in which their lines are written.
#include "shm/slot_payload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace comch::shm {
namespace {

// Notes which words are written, in their order.
struct NotingMachine : FastMachine {
  static inline std::vector<std::size_t> written;
  static void store_word(Data data, std::size_t offset, std::uint64_t value) {
    written.push_back(offset);
    FastMachine::store_word(data, offset, value);
  }
};

class SlotPayloadTest : public testing::Test {
 protected:
  static constexpr std::size_t kAt = kLaneSlot;  // The second of three slots.

  SlotPayloadTest() {
    for (std::size_t n = 0; n != bytes_.size(); ++n) bytes_[n] = static_cast<std::byte>(n + 1);
    NotingMachine::written.clear();
  }
  // Every byte of the payload is there, and no other slot was touched.
  void expect_written(std::size_t begin, std::size_t size) const {
    EXPECT_EQ(std::memcmp(slots_.data() + kAt + begin, bytes_.data(), size), 0)
        << size << " at " << begin;
    const auto touched = [](std::byte b) { return b != std::byte{}; };
    EXPECT_TRUE(std::none_of(slots_.begin(), slots_.begin() + kAt + 16, touched));
    EXPECT_TRUE(std::none_of(slots_.begin() + 2 * kAt, slots_.end(), touched));
  }
  static bool is_in_first_line(std::size_t at) { return at % kLaneSlot < kCacheLine; }

  std::array<std::byte, kLanePayload> bytes_;
  alignas(kCacheLine) std::array<std::byte, 3 * kLaneSlot> slots_{};
};

TEST_F(SlotPayloadTest, DataAloneIsWrittenWholeOfEverySize) {
  for (std::size_t size = 0; size <= kLanePayload; ++size) {
    slots_.fill({});
    write_data<FastMachine>(slots_.data(), kAt, std::span(bytes_).first(size));
    expect_written(kPlainDataAt, size);
  }
}

TEST_F(SlotPayloadTest, AnythingIsWrittenWholeWhereverItBegins) {
  for (std::size_t begin = kPlainDataAt; begin <= kLaneSlot; begin += 8) {
    for (std::size_t size = 0; size <= kLaneSlot - begin; ++size) {
      slots_.fill({});
      write_payload<FastMachine>(slots_.data(), kAt, begin, std::span(bytes_).first(size));
      expect_written(begin, size);
    }
  }
}

TEST_F(SlotPayloadTest, TheSecondLineIsWrittenAheadOfTheFirst) {
  for (std::size_t size = 1; size <= kLanePayload; ++size) {
    auto& written = NotingMachine::written;
    written.clear();
    write_data<NotingMachine>(slots_.data(), kAt, std::span(bytes_).first(size));
    EXPECT_TRUE(std::ranges::is_partitioned(written, std::not_fn(is_in_first_line))) << size;
    EXPECT_EQ(std::ranges::count_if(written, is_in_first_line),
              (std::min<std::size_t>(size, 48) + 7) / 8)
        << size;
    EXPECT_EQ(written.size(), (size + 7) / 8) << size;
  }
}

}  // namespace
}  // namespace comch::shm
