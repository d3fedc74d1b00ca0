// Reading: what a benchmark looks at of a message.
#include "tool/bench/reading.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace comch::tool {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMessage = 64 * kPage;

// Pages of a message that is there only where somebody has looked at it.
std::size_t pages_made(bool reads) {
  const int memory = ::memfd_create("comch-reading", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(memory, kMessage), 0);
  void* const message = ::mmap(nullptr, kMessage, PROT_READ, MAP_SHARED, memory, 0);
  EXPECT_NE(message, MAP_FAILED);
  EXPECT_TRUE(Reading(kMessage, reads)({static_cast<const std::byte*>(message), kMessage}));
  struct stat file = {};
  EXPECT_EQ(::fstat(memory, &file), 0);
  EXPECT_EQ(::munmap(message, kMessage), 0);
  EXPECT_EQ(::close(memory), 0);
  return static_cast<std::size_t>(file.st_blocks) * 512 / kPage;
}

TEST(ReadingTest, LooksAtAllOfAMessageThatIsToBeRead) {
  EXPECT_EQ(pages_made(true), 64u);
  EXPECT_EQ(pages_made(false), 0u);
}

TEST(ReadingTest, AMessageOfAnotherLengthIsAnError) {
  const std::array<std::byte, 8> message{};
  for (const bool reads : {false, true}) {
    EXPECT_TRUE(Reading(8, reads)(message));
    EXPECT_EQ(Reading(9, reads)(message).error().code, Errc::unexpected);
    EXPECT_EQ(Reading(7, reads)(message).error().code, Errc::unexpected);
  }
  EXPECT_TRUE(Reading(0, true)({}));
}

}  // namespace
}  // namespace comch::tool
