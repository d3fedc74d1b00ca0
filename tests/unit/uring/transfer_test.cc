// Files to messages and back: with what is registered, without, and without an io_uring for it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

struct TransferTest : TransferPair {};

TEST_P(TransferTest, FeaturesSayWhatMovesThem) {
  const Features features = ring->features();
  const bool has_ring = GetParam().place != Place::kPoll;
  EXPECT_EQ(features.transfer_ring, has_ring);
  EXPECT_EQ(features.registered_files, has_ring && GetParam().registered);
  EXPECT_EQ(features.registered_memory, has_ring && GetParam().registered);
  if (features.registered_memory) {
    EXPECT_EQ(ring->register_memory(*to).error().code, Errc::already_exist);
    const Status again = ring->register_memory(there.map());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Errc::already_exist);
    EXPECT_TRUE(ring->unregister_memory(there.map()));
    EXPECT_TRUE(ring->register_memory(there.map())) << "once it is not";
  } else {
    EXPECT_EQ(ring->register_memory(*to).error().code, Errc::not_supported);
    EXPECT_EQ(ring->register_memory(there.map()).error().code, Errc::not_supported);
  }
}

TEST_P(TransferTest, AFileGoesIntoMessagesAndMessagesIntoAFile) {
  const std::string text = pattern(3 * kLarge);
  const File source = file(text);
  const File target = file("");
  for (std::uint64_t n = 0; n < 3; ++n) {
    next(10 + n).prep_recv_file(*from, there.room(n << 16U, 48 << 10U), target, n * kLarge);
    // Their reads may end in any order; one behind the other they do not.
    next(n, n < 2 ? kLink : 0).prep_send_file(*to, source, kLarge, n * kLarge, bytes("beside"));
  }
  wait(6);
  for (std::uint64_t n = 0; n < 3; ++n) {
    EXPECT_EQ(res(n), kLarge);
    EXPECT_EQ(res(10 + n), kLarge);
    EXPECT_EQ(find(10 + n)->text, text.substr(n * kLarge, kLarge));
    EXPECT_EQ(find(10 + n)->immediate, "beside");
    EXPECT_NE(find(10 + n)->buffer, nullptr);
  }
  EXPECT_EQ(read_back(target), text);
}

TEST_P(TransferTest, TheEndOfTheFileIsShortAndBehindItNothingIsSent) {
  const File source = file("twelve bytes");
  post(2);
  next(1).prep_send_file(*to, source, 100, 7);
  wait(2);
  EXPECT_EQ(res(1), 5);
  EXPECT_EQ(find(kPosted)->text, "bytes");
  next(2, kLink).prep_send_file(*to, source, 100, 12);
  next(3).prep_nop();
  wait(2);
  EXPECT_EQ(res(2), 0);
  EXPECT_EQ(res(3), 0) << "the end is no failure";
  expect_posted(kPosted + 1);
}

TEST_P(TransferTest, AShortReadWithinALinkIsSentAndTheChainGoesOn) {
  const File source = file("twelve bytes");
  post(2);
  next(1, kLink).prep_send_file(*to, source, 100, 7);
  next(2, kLink).prep_send(*to, bytes("behind it"));
  next(3).prep_nop();
  wait(5);
  EXPECT_EQ(res(1), 5);
  EXPECT_EQ(res(2), 9);
  EXPECT_EQ(res(3), 0);
  EXPECT_EQ(find(kPosted)->text, "bytes");
  EXPECT_EQ(find(kPosted + 1)->text, "behind it");
}

TEST_P(TransferTest, AHoleIsZerosAndWritesBehindTheEndLeaveOne) {
  const File source = file("");
  ASSERT_EQ(::ftruncate(source, 4096), 0);
  const File target = file("");
  next(1).prep_recv_file(*from, there.room(0, 256), target, 100'000);
  next(2).prep_send_file(*to, source, 200, 1000);
  wait(2);
  EXPECT_EQ(find(1)->text, std::string(200, '\0'));
  struct stat about{};
  ASSERT_EQ(::fstat(target, &about), 0);
  EXPECT_EQ(about.st_size, 100'200);
}

TEST_P(TransferTest, WithoutAnOffsetTheFileMovesOnInOrder) {
  const std::string text = pattern(1000);
  const File source = file(text);
  const File target = file("");
  for (std::uint64_t n = 0; n < 10; ++n) {
    // Only so many posts may be stored at a time.
    if (n < 4) next(10 + n).prep_recv_file(*from, there.room(n * 256, 256), target);
    next(n).prep_send_file(*to, source, 100);
  }
  wait(8);
  for (std::uint64_t n = 4; n < 10; ++n) {
    next(10 + n).prep_recv_file(*from, there.room(n * 256, 256), target);
    wait(2);
  }
  EXPECT_EQ(read_back(target), text);
}

TEST_P(TransferTest, WhatIsReceivedAlreadyIsWrittenToo) {
  const File target = file("");
  const File closed = file("");
  next(1).prep_write_file(target, bytes("the second"), 10);
  next(2).prep_write_file(target, bytes("the first "), 0);
  next(3).prep_write_file(target, {}, 0);
  next(4).prep_write_file(-1, bytes("x"), 0);
  wait(4);
  EXPECT_EQ(res(1), 10);
  EXPECT_EQ(res(3), 0);
  EXPECT_EQ(res(4), -EBADF);
  EXPECT_EQ(read_back(target), "the first the second");
}

TEST_P(TransferTest, DirectFilesAreReadAndWrittenWhateverTheAddress) {
  const std::string text = pattern(kLarge);
  const File source = file(text, O_DIRECT);
  const File target = file("", O_DIRECT);
  std::size_t place = 0;
  for (const std::size_t odd : {0U, 16U, 100U}) {
    place += 64 << 10U;
    next(1).prep_post_recv(*from, there.room(place + odd, 48 << 10U));
    next(2).prep_send_file(*to, source, kLarge, 0);
    wait(2);
    EXPECT_EQ(res(2), kLarge);
    EXPECT_EQ(find(1)->text, text);
    // The file ends within a sector.
    next(3).prep_post_recv(*from, there.room(place + odd, 48 << 10U));
    next(4).prep_send_file(*to, source, 48 << 10U, 4096);
    wait(2);
    EXPECT_EQ(res(4), kLarge - 4096);
    EXPECT_EQ(find(3)->text, text.substr(4096));
    next(5).prep_recv_file(*from, there.room(place + odd, 48 << 10U), target, 0);
    next(6).prep_send_file(*to, source, 32 << 10U, 0);
    wait(2);
    EXPECT_EQ(res(5), 32 << 10U);
  }
  next(7).prep_recv_file(*from, there.room(0, 256), target, 0);
  next(8).prep_send_file(*to, source, 100, 0);
  wait(2);
  EXPECT_EQ(res(7), -EINVAL) << "less than a sector cannot be written";
  EXPECT_EQ(find(7)->text, text.substr(0, 100)) << "and is not lost";
  post(1);
  next(9).prep_send_file(*to, source, 100, 7);
  wait(1);
  EXPECT_EQ(res(9), -EINVAL) << "the offset is the caller's to get right";
  expect_posted(kPosted);
}

TEST_P(TransferTest, RegisteredDirectFilesAreReadAndWrittenWhateverTheAddress) {
  const std::string text = pattern(kLarge);
  const int source = ring->register_file(file(text, O_DIRECT)).value();
  const int target = ring->register_file(file("", O_DIRECT)).value();
  const File written(::open((dir / std::to_string(files)).c_str(), O_RDWR | O_CLOEXEC));
  std::size_t place = 0;
  for (const std::size_t odd : {0U, 16U, 100U}) {
    place += 64 << 10U;
    next(1).prep_post_recv(*from, there.room(place + odd, 48 << 10U));
    next(2, kFixedFile).prep_send_file(*to, source, kLarge, 0);
    wait(2);
    EXPECT_EQ(res(2), kLarge);
    EXPECT_EQ(find(1)->text, text);
    next(3, kFixedFile).prep_recv_file(*from, there.room(place + odd, 48 << 10U), target, 0);
    next(4, kFixedFile).prep_send_file(*to, source, 32 << 10U, 0);
    wait(2);
    EXPECT_EQ(res(3), 32 << 10U);
    EXPECT_EQ(res(4), 32 << 10U);
    EXPECT_TRUE(read_back(written) == text.substr(0, 32 << 10U));
    ASSERT_EQ(::ftruncate(written, 0), 0);
  }
  ASSERT_TRUE(ring->unregister_file(source));
  ASSERT_TRUE(ring->unregister_file(target));
}

TEST_P(TransferTest, ARegisteredFileOutlivesItsDescriptor) {
  File source = file("registered");
  const int number = ring->register_file(source).value();
  source.close();
  post(1);
  next(1, kFixedFile).prep_send_file(*to, number, 100, 0);
  wait(2);
  EXPECT_EQ(find(kPosted)->text, "registered");
  EXPECT_EQ(ring->register_file(-1).error().sys, EBADF);
  ASSERT_TRUE(ring->unregister_file(number));
  EXPECT_EQ(ring->unregister_file(number).error().code, Errc::invalid_value);
  post(1);
  for (const int wrong : {number, -1, 255, 256, 1 << 30}) {
    next(1, kFixedFile).prep_send_file(*to, wrong, 100, 0);
    wait(1);
    EXPECT_EQ(res(1), -EBADF) << wrong;
  }
  expect_posted(kPosted);
}

TEST_P(TransferTest, AFileStaysRegisteredUntilWhatNamesItIsOver) {
  const Pipe pipe;
  const int number = ring->register_file(*pipe.from).value();
  const int other = ring->register_file(*pipe.to).value();
  const auto expect_in_use = [&](int file, const char* because) {
    const Status s = ring->unregister_file(file);
    ASSERT_FALSE(s) << because;
    EXPECT_EQ(s.error().code, Errc::in_use) << because;
  };
  next(1, kFixedFile | kLink).prep_send_file(*to, number, 6);
  next(2, kFixedFile).prep_write_file(other, bytes("late"));
  ring->submit().value();
  expect_in_use(number, "it waits for room");
  expect_in_use(other, "it is held back");
  post(1);
  pipe.write("abc");
  expect_quiet();
  expect_in_use(number, "it is short, and goes on");
  pipe.write("def");
  wait(3);
  ASSERT_NE(find(kPosted), nullptr);
  EXPECT_EQ(find(kPosted)->text, "abcdef");
  EXPECT_TRUE(ring->unregister_file(number));
  next(3, kFixedFile).prep_recv_file(*from, room(kRooms - 1), other);
  ring->submit().value();
  expect_in_use(other, "a message is to go there");
  send("the last", 4);
  wait(2);
  EXPECT_EQ(res(3), 8);
  EXPECT_TRUE(ring->unregister_file(other));
}

TEST_P(TransferTest, MemoryThatIsNotMappedHereIsSentToFromACopy) {
  Memory apart(1 << 17U, false);
  auto staged = Consumer::create(server.connection(), apart.map()).value();
  ring->prepare(*staged, 4).value();
  start_beside(*staged);
  Source* const its = ring->register_source(*staged).value();
  Destination* const it = ring->register_destination(*producer, staged->id()).value();
  EXPECT_EQ(ring->register_memory(*it).error().code, Errc::not_supported);
  const std::string text = pattern(kLarge);
  const File source = file(text);
  const File target = file("");
  next(1).prep_recv_file(*its, apart.room(0, 48 << 10U), target, 0);
  next(2).prep_recv_file(*its, apart.room(48 << 10U, 100), target, kLarge);
  next(3).prep_send_file(*it, source, kLarge, 0);
  next(4).prep_send_file(*it, source, 101, 0);
  next(5).prep_send_file(*it, source, 100, 0);
  wait(5);
  EXPECT_EQ(res(1), kLarge);
  EXPECT_EQ(res(3), kLarge);
  EXPECT_EQ(res(4), -EINVAL);
  EXPECT_EQ(res(5), 100);
  EXPECT_EQ(read_back(target), text + text.substr(0, 100));
  next(6).prep_send_file(*it, source, 100, 0);
  expect_quiet();
  ASSERT_TRUE(staged->stop());
  wait(1);
  EXPECT_EQ(res(6), -ECONNRESET);
  ASSERT_TRUE(run_until_idle(*staged));
  EXPECT_TRUE(ring->unregister(*its));
  EXPECT_TRUE(ring->unregister(*it));
  EXPECT_TRUE(Consumer::destroy(staged));
}

INSTANTIATE_TEST_SUITE_P(In, TransferTest, kWays, name_of_way);

}  // namespace
}  // namespace comch::uring::test
