// Handles: the numbers of buffers that are handed over, as a consumer gives them back, rightly and
// wrongly.
#include "transport/shm/handles.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace comch::transport::shm {
namespace {

using comch::shm::Look;

constexpr std::uint32_t kCount = 4;

struct HandlesTest : testing::Test {
  std::uint32_t lend() {
    const std::uint32_t next = handles.take().value();
    handles.lend(next);
    EXPECT_TRUE(consumer.accept());
    return next;
  }

  alignas(64) std::array<std::byte, 8 * kCount> ring{};
  Handles handles{ring.data(), kCount, kCount};
  comch::shm::ReturnsWriter<> consumer{ring.data(), kCount};
  std::uint32_t handle = ~0U;
};

TEST_F(HandlesTest, EachIsTakenByOneAtATime) {
  EXPECT_TRUE(handles.all_free());
  for (std::uint32_t n = 0; n < kCount; ++n) EXPECT_EQ(handles.take(), n);
  EXPECT_FALSE(handles.take());
  handles.put_back(2);
  EXPECT_FALSE(handles.all_free());
  EXPECT_EQ(handles.take(), 2U);
}

TEST_F(HandlesTest, WhatIsLentComesBackOnce) {
  const std::uint32_t lent = lend();
  EXPECT_FALSE(handles.has_returned());
  EXPECT_EQ(handles.take_returned(handle), Look::kNothing);
  consumer.give_back(lent);
  EXPECT_TRUE(handles.has_returned());
  EXPECT_EQ(handles.take_returned(handle), Look::kMessage);
  EXPECT_EQ(handle, lent);
  EXPECT_EQ(handles.take_returned(handle), Look::kNothing);
  handles.put_back(lent);
  EXPECT_TRUE(handles.all_free());
}

TEST_F(HandlesTest, WhatWasNotLentBreaksThemForGood) {
  const std::uint32_t lent = lend();
  consumer.give_back(lent + 1);
  EXPECT_EQ(handles.take_returned(handle), Look::kBroken);
  EXPECT_TRUE(handles.broken());
  EXPECT_EQ(handles.take_returned(handle), Look::kBroken);
  EXPECT_TRUE(handles.has_returned()) << "whoever waits is to hear of it";
}

TEST_F(HandlesTest, ALaneWithoutAReturnsRingHasNone) {
  Handles none(nullptr, 0, kCount);
  EXPECT_TRUE(none.all_free());
  EXPECT_FALSE(none.take());
  EXPECT_FALSE(none.has_returned());
  EXPECT_FALSE(none.broken());
  EXPECT_EQ(none.take_returned(handle), Look::kNothing);
}

}  // namespace
}  // namespace comch::transport::shm
