// NextAnswer: what it knows of the slot that an answer will be written to.
#include "transport/next_answer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>

namespace comch::transport {
namespace {

TEST(NextAnswer, IsNowhereUntilSomethingIsSent) {
  NextAnswer next;
  EXPECT_EQ(next.slot(), nullptr);
  next.expect();
  EXPECT_EQ(next.slot(), nullptr);
}

TEST(NextAnswer, IsExpectedOnceForWhatIsSent) {
  std::array<std::byte, 2 * NextAnswer::kBytes> slots{};
  NextAnswer next;
  next.lies_at(slots.data());
  next.lies_at(slots.data() + NextAnswer::kBytes);
  EXPECT_EQ(next.slot(), slots.data() + NextAnswer::kBytes) << "where the last one says";
  next.expect();
  EXPECT_EQ(next.slot(), nullptr);
  next.lies_at(slots.data());
  EXPECT_EQ(next.slot(), slots.data());
}

TEST(NextAnswer, MayBeExpectedWhereThereIsNoMemoryAnyMore) {
  constexpr std::size_t kPage = 4096;
  void* const page =
      ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  NextAnswer next;
  next.lies_at(static_cast<const std::byte*>(page));
  ASSERT_EQ(::munmap(page, kPage), 0);
  next.expect();
  EXPECT_EQ(next.slot(), nullptr);
}

}  // namespace
}  // namespace comch::transport
