// The header of a record, and how many bytes records and rings take.
#include "shm/record_header.h"

#include <gtest/gtest.h>

namespace comch::shm {
namespace {

TEST(RecordHeaderTest, TheBitsOfAStampedMessageAreTheFormats) {
  const std::uint64_t header = stamped_header(0x12'3456'789a, 3);
  EXPECT_EQ(header, 0x1234'5603'789a'0003U);
  EXPECT_EQ(stamp_in(header), 0x12'3456'789aU);
}

TEST(RecordHeaderTest, AStampTakesNothingFromTheLongestMessage) {
  const std::uint64_t header = stamped_header((std::uint64_t{1} << 40) - 1, 65535);
  EXPECT_EQ(header & 0xffff, 65535U);
  EXPECT_EQ(header >> 32 & 0xff, kRecordStamped);
}

TEST(RecordHeaderTest, ARecordIsItsHeaderAndWholeWords) {
  EXPECT_EQ(record_stride(0), 8U);
  EXPECT_EQ(record_stride(1), 16U);
  EXPECT_EQ(record_stride(8), 16U);
  EXPECT_EQ(record_stride(65535), 65544U);
}

TEST(RingCapacityTest, HoldsTheQueueUnlessThatIsAboveOneMebibyte) {
  EXPECT_EQ(ring_capacity(4080, 64), 256U * 1024);
  EXPECT_EQ(ring_capacity(1, 1), 4096U);
  EXPECT_EQ(ring_capacity(8, 256), 8192U) << "256 * 16 and the place behind the last";
  EXPECT_EQ(ring_capacity(65535, 8192), 1U << 20U);
  for (std::uint32_t size = 1; size <= 65535; size += 97) {
    for (const std::uint32_t queue : {1U, 2U, 64U, 8192U}) {
      const std::uint32_t capacity = ring_capacity(size, queue);
      EXPECT_TRUE(std::has_single_bit(capacity));
      EXPECT_GE(capacity, 2 * record_stride(size) + 16) << size;
    }
  }
}

}  // namespace
}  // namespace comch::shm
