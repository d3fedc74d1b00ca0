// ConsumerPort: messages that both sides read from a file of the peer's, and what it makes of files
// and words that no correct peer sends.
#include <fcntl.h>

#include <cstring>

#include "support/nameless_file.h"
#include "support/process_counters.h"
#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

constexpr std::uint32_t kFile = 3;
constexpr std::uint32_t kShift = comch::shm::kChunkShiftMin;
constexpr std::size_t kLength = 3 * kPage + 5;

struct ReadingTest : ConsumerPortTest {
  void show(std::span<const int> fds, std::uint32_t number = kFile) {
    ASSERT_TRUE(say_packet(line, wire::File{number}, fds));
    settle();
  }
  void show() { show(std::array{fd()}); }
  int fd() const { return file.fd(); }
  comch::shm::ChunkJob<> put(PeerLane& from, std::uint64_t offset = 0,
                             std::uint64_t length = kLength, std::uint16_t index = 0) {
    auto job = from.writer->put_reading(index, kFile, {offset, length}, kShift, kBytes);
    from.writer->publish();
    return job;
  }
  void expect_arrived(std::uint64_t offset, std::uint64_t length) {
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].length, length);
    EXPECT_EQ(arrivals[0].passage, Passage::kCooperative);
    EXPECT_TRUE(std::ranges::equal(arrivals[0].immediate, kBytes));
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(all.data()), length),
              std::string_view(text).substr(offset, length));
    EXPECT_EQ(port->posted(), 1U);
    expect_nothing_outside();
  }
  // The message has not come, and its buffer is posted for the next.
  void expect_void(PeerLane& from) {
    EXPECT_TRUE(arrivals.empty());
    EXPECT_FALSE(owner.lost);
    EXPECT_EQ(port->posted(), 2U);
    from.writer->put_inline(0, kBytes, {});
    from.writer->publish();
    poll();
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_EQ(arrivals[0].length, kBytes.size());
  }

  static std::string letters(std::size_t count) {
    std::string text(count, ' ');
    for (std::size_t n = 0; n < count; ++n) text[n] = static_cast<char>('a' + n % 23);
    return text;
  }
  const std::string text = letters(kRoom);
  const test::NamelessFile file{text};
};

TEST_F(ReadingTest, WhatItsProducerDoesNotReadTheConsumerReads) {
  show();
  PeerLane from = lane();
  put(from, 7);
  poll();
  expect_arrived(7, kLength);
}

TEST_F(ReadingTest, WhatItsProducerHasReadTheConsumerDoesNotReadAgain) {
  show();
  PeerLane from = lane();
  auto job = put(from);
  comch::shm::ChunkJob<>::Chunk chunk;
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(job.claim(chunk));
  poll();
  EXPECT_TRUE(arrivals.empty());
  EXPECT_FALSE(port->ready()) << "the producer has the rest, and rings";
  EXPECT_EQ(all[0], kUntouched);
  std::memcpy(all.data(), text.data(), 2 * kPage);
  for (int n = 0; n < 2; ++n) job.copied();
  EXPECT_TRUE(port->ready());
  poll();
  expect_arrived(0, kLength);
}

TEST_F(ReadingTest, TheAnnouncementMayBeUnreadWhenTheMessageIsThere) {
  PeerLane from = lane();
  ASSERT_TRUE(say_packet(line, wire::File{kFile}, std::array{fd()}));
  put(from);
  poll();
  expect_arrived(0, kLength);
}

TEST_F(ReadingTest, OfAFileThatEndsEarlierNothingComesAndTheBufferIsPostedAgain) {
  show();
  PeerLane from = lane();
  put(from, kRoom - kPage);
  poll();
  expect_void(from);
}

TEST_F(ReadingTest, OfAFileThatIsNotKnownNothingComes) {
  PeerLane from = lane();
  put(from);
  poll();
  expect_void(from);
}

TEST_F(ReadingTest, OfAFileThatIsShownNoMoreNothingComes) {
  show();
  ASSERT_TRUE(say_packet(line, wire::MapEnd{kFile}));
  PeerLane from = lane();
  put(from);
  poll();
  expect_void(from);
}

TEST_F(ReadingTest, WhatItsProducerHasMissedDoesNotCome) {
  show();
  PeerLane from = lane();
  auto job = put(from);
  comch::shm::ChunkJob<>::Chunk chunk;
  ASSERT_TRUE(job.claim(chunk));
  job.missed(comch::shm::JobSide::kSender);
  poll();
  EXPECT_EQ(job.state(), comch::shm::JobState::kVoid);
  expect_void(from);
}

TEST_F(ReadingTest, AFileMayBeMemory) {
  const os::Fd memory = os::make_memory("comch-test", kRoom, os::Pages::kOrdinary).value();
  ASSERT_EQ(::write(memory.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  show(std::array{memory.get()});
  PeerLane from = lane();
  put(from);
  poll();
  EXPECT_FALSE(owner.lost);
  // Some kernels read it without waiting, and others do not say that they can.
  if (arrivals.empty()) return expect_void(from);
  expect_arrived(0, kLength);
}

TEST_F(ReadingTest, OneThatIsOpenForWritingAloneIsNotRead) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd());
  const os::Fd writes(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  show(std::array{writes.get()});
  PeerLane from = lane();
  put(from);
  poll();
  expect_void(from);
}

TEST_F(ReadingTest, TheDescriptorIsClosedWhenTheFileEndsAndWithThePort) {
  const auto open = [] { return test::open_descriptors().size(); };
  const std::size_t before = open();
  show();
  show(std::array{fd()}, kFile + 1);
  EXPECT_EQ(open(), before + 2);
  ASSERT_TRUE(say_packet(line, wire::MapEnd{kFile}));
  settle();
  EXPECT_TRUE(test::eventually([&] { return open() == before + 1; }));
  port.reset();
  EXPECT_TRUE(test::eventually([&] { return open() < before; }));
}

// --- What no correct peer sends ----------------------------------------------------------

TEST_F(ReadingTest, RefusesANumberThatWasUsed) {
  show();
  expect_lost_by(wire::File{kFile}, std::array{fd()});
}

TEST_F(ReadingTest, RefusesAFilePacketWithoutAFile) { expect_lost_by(wire::File{kFile}); }

TEST_F(ReadingTest, RefusesTwoFilesWithOnePacket) {
  expect_lost_by(wire::File{kFile}, std::array{fd(), fd()});
}

TEST_F(ReadingTest, RefusesAFileWithAPacketThatHasNone) {
  expect_lost_by(wire::Map{.number = kFile, .offset = 0, .size = kPage}, std::array{fd()});
}

TEST_F(ReadingTest, RefusesADoorbellWithAFile) {
  expect_lost_by(wire::Doorbell{}, std::array{fd()});
}

TEST_F(ReadingTest, RefusesAPipeThatIsShownAsAFile) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  expect_lost_by(wire::File{kFile}, std::array{ends[0]});
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ReadingTest, RefusesMoreThanTheRoom) {
  show();
  PeerLane from = lane();
  put(from, 0, kSmall + 1, 1);
  expect_lie();
}

TEST_F(ReadingTest, RefusesChunksThatAreTooShort) {
  show();
  PeerLane from = lane();
  put(from);
  from.word(0, 2) = kFile | std::uint64_t{kShift - 1} << 32U;
  expect_lie();
}

TEST_F(ReadingTest, RefusesACountThatIsImpossible) {
  show();
  PeerLane from = lane();
  put(from);
  from.word(0, 15) = 1 | std::uint64_t{77} << 32U;
  expect_lie();
}

TEST_F(ReadingTest, RefusesAMessageThatChangesWhileItIsRead) {
  show();
  PeerLane from = lane();
  put(from);
  from.word(0, 14) = 1 | std::uint64_t{3} << 32U;  // The last chunk is the consumer's.
  poll();
  from.word(0, 1) = kLength - 1;
  expect_lie();
}

TEST_F(ReadingTest, RefusesAJobOfMemoryThatSomeOfIsMissed) {
  show_map(kFile, kRoom);
  PeerLane from = lane();
  auto job = from.writer->put_job(0, kFile, {0, kLength}, kShift, {});
  from.writer->publish();
  comch::shm::ChunkJob<>::Chunk chunk;
  ASSERT_TRUE(job.claim(chunk));
  job.missed(comch::shm::JobSide::kSender);
  expect_lie();
}

}  // namespace
}  // namespace comch::transport::shm
