// The contract of ChunkJob: every chunk once, late helpers, and a peer that lies.
#include "shm/chunk_job.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "support/deadline.h"

namespace comch::shm {
namespace {

constexpr std::uint32_t kShift = kChunkShiftMin;
constexpr std::uint64_t kChunkBytes = 1U << kShift;
constexpr std::uint64_t kLength = 2 * kChunkBytes + 100;  // Three chunks.

struct ChunkJobTest : testing::Test {
  using Job = ChunkJob<>;

  ChunkJobTest() { sender.open(); }

  Job job(std::uint32_t sequence, std::uint64_t length = kLength) {
    return Job(words.data(), 0, sequence, length, kShift);
  }
  void write(std::size_t word, std::uint32_t sequence, std::uint64_t count) {
    FastMachine::store_word(words.data(), 8 * word, count << 32U | sequence);
  }

  alignas(8) std::array<std::byte, 16> words{};
  Job sender = job(5);
  Job receiver = job(5);
  Job::Chunk chunk;
};

TEST_F(ChunkJobTest, BothSidesClaimEachChunkOnce) {
  EXPECT_EQ(sender.chunks(), 3U);
  ASSERT_TRUE(sender.claim(chunk));
  EXPECT_EQ(chunk.offset, 0U);
  EXPECT_EQ(chunk.length, kChunkBytes);
  ASSERT_TRUE(receiver.claim(chunk));
  EXPECT_EQ(chunk.offset, kChunkBytes);
  ASSERT_TRUE(sender.claim(chunk));
  EXPECT_EQ(chunk.offset, 2 * kChunkBytes);
  EXPECT_EQ(chunk.length, 100U) << "the rest";
  EXPECT_FALSE(receiver.claim(chunk));
  EXPECT_FALSE(sender.claim(chunk));
}

TEST_F(ChunkJobTest, TheJobIsFinishedWhenEveryChunkIsCopied) {
  ASSERT_TRUE(sender.claim(chunk));
  ASSERT_TRUE(receiver.claim(chunk));
  ASSERT_TRUE(sender.claim(chunk));
  sender.copied();
  sender.copied();
  EXPECT_EQ(sender.state(), JobState::kPending);
  EXPECT_EQ(receiver.state(), JobState::kPending) << "a claimed chunk is not a copied one";
  receiver.copied();
  EXPECT_EQ(sender.state(), JobState::kFinished);
  EXPECT_EQ(receiver.state(), JobState::kFinished);
}

TEST_F(ChunkJobTest, AJobOfWhichAChunkWasMissedIsVoidWhenAllAreDoneWith) {
  ASSERT_TRUE(sender.claim(chunk));
  ASSERT_TRUE(receiver.claim(chunk));
  EXPECT_FALSE(sender.is_spoiled());
  receiver.missed(JobSide::kReceiver);
  EXPECT_TRUE(sender.is_spoiled());
  sender.copied();
  EXPECT_EQ(sender.state(), JobState::kPending) << "a chunk is left";
  ASSERT_TRUE(receiver.claim(chunk));
  receiver.missed(JobSide::kReceiver);
  EXPECT_EQ(sender.state(), JobState::kVoid);
  EXPECT_EQ(receiver.state(), JobState::kVoid);
}

TEST_F(ChunkJobTest, WhatIsBroughtIsCopiedUntilSomebodyHasMissedAChunk) {
  int asked = 0;
  const auto bring = [&](Job& job, JobSide side, bool is_there) {
    ASSERT_TRUE(job.claim(chunk));
    job.bring(side, [&] {
      ++asked;
      return is_there;
    });
  };
  bring(sender, JobSide::kSender, true);
  EXPECT_FALSE(sender.is_spoiled());
  bring(receiver, JobSide::kReceiver, false);
  EXPECT_TRUE(sender.is_spoiled());
  bring(sender, JobSide::kSender, true);
  EXPECT_EQ(asked, 2) << "there is no use in the last";
  EXPECT_EQ(sender.state(), JobState::kVoid);
  EXPECT_EQ(receiver.state(), JobState::kVoid);
}

TEST_F(ChunkJobTest, AJobThatBothSidesMissChunksOfIsVoid) {
  while (sender.claim(chunk)) {
    sender.missed(JobSide::kSender);
    if (receiver.claim(chunk)) receiver.missed(JobSide::kReceiver);
  }
  EXPECT_EQ(sender.state(), JobState::kVoid);
  EXPECT_EQ(receiver.state(), JobState::kVoid);
}

TEST_F(ChunkJobTest, APeerDoesNotTalkAwayWhatThisSideHasMissed) {
  while (sender.claim(chunk)) sender.missed(JobSide::kSender);
  write(1, 5, 3);
  EXPECT_EQ(sender.state(), JobState::kVoid);
  EXPECT_EQ(receiver.state(), JobState::kFinished) << "it cannot know better";
}

TEST_F(ChunkJobTest, ALateHelperClaimsNothingOfTheNextJobInItsSlot) {
  Job next = job(9);
  next.open();
  EXPECT_FALSE(receiver.claim(chunk));
  EXPECT_EQ(receiver.state(), JobState::kBroken) << "this job is over";
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(next.claim(chunk)) << n;
}

TEST_F(ChunkJobTest, AClaimThatMovesBackBreaksTheJobSoThatNoChunkIsCopiedTwice) {
  ASSERT_TRUE(sender.claim(chunk));
  ASSERT_TRUE(sender.claim(chunk));
  write(0, 5, 0);
  EXPECT_FALSE(sender.claim(chunk));
  EXPECT_EQ(sender.state(), JobState::kBroken);
}

TEST_F(ChunkJobTest, ClaimsAboveTheLastChunkAreNone) {
  write(0, 5, 0xffff'ffff);
  EXPECT_FALSE(sender.claim(chunk));
}

TEST_F(ChunkJobTest, AnImpossibleCountBreaksTheJobForGood) {
  write(1, 5, 4);
  EXPECT_EQ(sender.state(), JobState::kBroken) << "above the chunks";
  write(1, 5, 3);
  EXPECT_EQ(sender.state(), JobState::kBroken) << "too late to take it back";
  ASSERT_TRUE(receiver.claim(chunk));
  receiver.copied();
  write(1, 5, 0);
  EXPECT_EQ(receiver.state(), JobState::kBroken) << "below what we have copied";
}

TEST_F(ChunkJobTest, ALengthIsChunkedIfItsChunksCanBeCounted) {
  EXPECT_TRUE(is_chunked(1, kChunkShift));
  EXPECT_FALSE(is_chunked(0, kChunkShift));
  EXPECT_FALSE(is_chunked(1, kChunkShiftMin - 1));
  EXPECT_FALSE(is_chunked(1, kChunkShiftMax + 1));
  EXPECT_FALSE(is_chunked((1ULL << 48U) - 1, kChunkShiftMin));
  EXPECT_TRUE(is_chunked(1ULL << 40U, kChunkShift));
  EXPECT_EQ(job(1, kChunkBytes).chunks(), 1U);
  EXPECT_EQ(job(1, kChunkBytes + 1).chunks(), 2U);
}

// Both sides at once, job after job in one slot; TSan watches the bytes.
TEST(ChunkJobThreadsTest, TwoSidesCopyEveryByteOnceJobAfterJob) {
  constexpr std::uint32_t kJobs = 300;
  constexpr std::uint64_t kBytes = 13 * kChunkBytes + 7;
  alignas(8) std::array<std::byte, 16> words{};
  std::vector<std::byte> from(kBytes), to(kBytes);
  std::atomic<std::uint32_t> opened{0}, read{0};
  const test::Deadline deadline(test::patience() * 3);
  const auto help = [&](ChunkJob<>& job) {
    for (ChunkJob<>::Chunk chunk; job.claim(chunk);) {
      std::memcpy(to.data() + chunk.offset, from.data() + chunk.offset, chunk.length);
      job.copied();
    }
  };
  std::jthread receiver([&] {
    for (std::uint32_t n = 1; n <= kJobs && !deadline.passed(); ++n) {
      while (opened.load(std::memory_order_acquire) < n && !deadline.passed()) {
        std::this_thread::yield();
      }
      ChunkJob<> job(words.data(), 0, n, kBytes, kShift);
      help(job);
      while (job.state() == JobState::kPending && !deadline.passed()) std::this_thread::yield();
      if (to[0] != static_cast<std::byte>(n) || to[kBytes - 1] != static_cast<std::byte>(n)) {
        return;  // read stays behind.
      }
      read.store(n, std::memory_order_release);
    }
  });
  for (std::uint32_t n = 1; n <= kJobs; ++n) {
    std::memset(from.data(), static_cast<int>(n), from.size());
    ChunkJob<> job(words.data(), 0, n, kBytes, kShift);
    job.open();
    opened.store(n, std::memory_order_release);
    help(job);
    while (job.state() == JobState::kPending) {
      ASSERT_FALSE(deadline.passed());
      std::this_thread::yield();
    }
    ASSERT_EQ(job.state(), JobState::kFinished);
    ASSERT_EQ(to, from) << n;
    while (read.load(std::memory_order_acquire) < n) {
      ASSERT_FALSE(deadline.passed()) << "the receiver has not seen all of job " << n;
      std::this_thread::yield();
    }
  }
}

}  // namespace
}  // namespace comch::shm
