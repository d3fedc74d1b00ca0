// Files that both sides read: what arrives, what does not, and who has a descriptor of it.
#include "comch/shown_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>

#include "os/syscalls.h"
#include "support/nameless_file.h"
#include "support/process_counters.h"
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
// More than a producer reads in one call, so that a consumer beside it on a thread has its turn.
constexpr std::size_t kLong = 20 * kMiB;

struct ShownFileTest : FastPair {
  ~ShownFileTest() override { end_all(); }

  Status end_of(Producer& sender, ConsumerId receiver) {
    EXPECT_TRUE(run_until([&] { return !sender.busy(receiver); }));
    return sender.ending(receiver);
  }
  void expect_refused(Errc why, const Status& sent) { EXPECT_EQ(code(sent), why); }

  // What everybody may change of it is its length.
  const std::string text = pattern(kLong);
  const NamelessFile file{text};
  std::unique_ptr<ShownFile> shown = ShownFile::create(file.fd()).value();
  Memory room{kLong + kMiB};
  Consumer& to = consumer(room);
  Producer& from = producer();
};

TEST_F(ShownFileTest, WhatBothSidesReadArrivesWhole) {
  for (const std::size_t size : {std::size_t{65'536}, kMiB + 1, kLong - 5}) {
    post(to, room.room(0, kLong));
    const std::size_t before = texts.size();
    const Status s = from.send_file(to.id(), *shown, 5, size, bytes("immediate"));
    ASSERT_TRUE(s) << size << ": " << describe(s.error());
    EXPECT_TRUE(from.busy(to.id()));
    EXPECT_EQ(from.send_file(to.id(), *shown, 5, size).error().code, Errc::again);
    EXPECT_EQ(code(from.send(to.id(), std::array{Outgoing{.data = bytes("x"), .immediate = {}}})),
              Errc::again);
    EXPECT_TRUE(end_of(from, to.id()));
    ASSERT_TRUE(run_until([&] { return texts.size() == before + 1; }));
    EXPECT_TRUE(texts.back() == std::string_view(text).substr(5, size)) << size;
    EXPECT_EQ(immediates.back(), "immediate");
  }
  EXPECT_EQ(from.counters().cooperative_messages, 3U);
  EXPECT_EQ(from.counters().sent_bytes, to.counters().received_bytes);
}

// Behind a call that has not read all of it.
TEST_F(ShownFileTest, TheOtherSideReadsAPartOfIt) {
  post(to, room.room(0, kLong));
  ASSERT_TRUE(from.send_file(to.id(), *shown, 0, kLong));
  // What the first call has left, and this side does not see any more.
  for (int n = 0; n < 100; ++n) std::ignore = engine->progress();
  EXPECT_TRUE(end_of(from, to.id()));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_TRUE(texts.back() == text);
}

TEST_F(ShownFileTest, OneThatIsCutShortMeanwhileDoesNotComeAndItsBufferIsPostedAgain) {
  post(to, room.room(0, kLong));
  for (int n = 0; n < 20; ++n) {
    ASSERT_EQ(::ftruncate(file.fd(), kLong), 0);
    ASSERT_TRUE(from.send_file(to.id(), *shown, 0, kLong)) << n;
    ASSERT_EQ(::ftruncate(file.fd(), 9 * kMiB), 0);
    EXPECT_EQ(code(end_of(from, to.id())), Errc::io_failed) << n;
    ASSERT_TRUE(run_until([&] { return from.has_space(to.id()); })) << n;
  }
  EXPECT_TRUE(texts.empty());
  EXPECT_EQ(from.counters().cooperative_messages, 0U);
  ASSERT_TRUE(
      from.send(to.id(), std::array{Outgoing{.data = bytes("behind it"), .immediate = {}}}));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_EQ(texts.back(), "behind it");
}

TEST_F(ShownFileTest, OneThatIsShownNoMoreWhileItIsUnderWayComesOrDoesNot) {
  post(to, room.room(0, kLong));
  ASSERT_TRUE(from.send_file(to.id(), *shown, 0, kLong));
  shown.reset();
  const Status ended = end_of(from, to.id());
  if (!ended) {
    EXPECT_EQ(ended.error().code, Errc::io_failed);
    ASSERT_TRUE(run_until([&] { return from.has_space(to.id()); }));
    return;
  }
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_TRUE(texts.back() == text);
}

TEST_F(ShownFileTest, TheOtherSideHasADescriptorUntilItIsShownNoMore) {
  shown.reset();
  post(to, room.room(0, kLong));
  ASSERT_TRUE(from.send(to.id(), std::array{Outgoing{.data = bytes("first"), .immediate = {}}}));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  const std::size_t before = open_descriptors().size();
  shown = ShownFile::create(file.fd()).value();
  for (int n = 0; n < 3; ++n) {
    post(to, room.room(0, kLong));
    ASSERT_TRUE(from.send_file(to.id(), *shown, 0, kLong));
    EXPECT_TRUE(end_of(from, to.id()));
    ASSERT_TRUE(run_until([&] { return texts.size() == static_cast<std::size_t>(n) + 2; }));
  }
  EXPECT_EQ(open_descriptors().size(), before + 2) << "its own, and one of the other side";
  shown.reset();
  EXPECT_TRUE(run_until([&] { return open_descriptors().size() == before; }));
}

TEST_F(ShownFileTest, WhatCannotBeReadByBothIsNotSupportedAndNothingIsSent) {
  ASSERT_EQ(::ftruncate(file.fd(), kMiB), 0);
  post(to, room.room(0, kLong));
  expect_refused(Errc::not_supported, from.send_file(to.id(), *shown, 0, 65'535));
  expect_refused(Errc::not_supported, from.send_file(to.id(), *shown, 0, 0));
  expect_refused(Errc::not_supported, from.send_file(to.id(), *shown, 1, kMiB));
  expect_refused(Errc::not_supported, from.send_file(to.id(), *shown, ~std::uint64_t{0}, kMiB));
  expect_refused(Errc::not_supported, from.send_file(to.id(), *shown, 0, ~std::size_t{0}));
  EXPECT_FALSE(from.busy(to.id()));
  Consumer& staged = consumer(room, {.way = DataWay::kStaged});
  post(staged, room.room(0, kLong));
  expect_refused(Errc::not_supported, from.send_file(staged.id(), *shown, 0, kMiB));
  expect_refused(Errc::invalid_value, from.send_file(ConsumerId{77}, *shown, 0, kMiB));
  EXPECT_TRUE(from.send_file(to.id(), *shown, 0, kMiB));
  EXPECT_TRUE(end_of(from, to.id()));
}

TEST_F(ShownFileTest, OneThatDoesNotFitWhatIsPostedLeavesItPosted) {
  expect_refused(Errc::again, from.send_file(to.id(), *shown, 0, kMiB));
  post(to, room.room(0, kMiB));
  expect_refused(Errc::invalid_value, from.send_file(to.id(), *shown, 0, kMiB + 1));
  expect_refused(Errc::invalid_value,
                 from.send_file(to.id(), *shown, 0, kMiB, bytes(pattern(to.immediate_size() + 1))));
  EXPECT_TRUE(from.send_file(to.id(), *shown, 0, kMiB));
  EXPECT_TRUE(end_of(from, to.id()));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
}

// Whoever waits for it asks again and again.
TEST_F(ShownFileTest, WhereNothingIsPostedTheKernelIsNotAsked) {
  static std::atomic<int> reads;
  reads = 0;
  os::Syscalls counting = os::kKernel;
  counting.pread_cached = [](int fd, void* into, size_t size, off_t at) {
    ++reads;
    return os::kKernel.pread_cached(fd, into, size, at);
  };
  const os::ScopedSyscalls scope(counting);
  for (int n = 0; n < 10; ++n) {
    expect_refused(Errc::again, from.send_file(to.id(), *shown, 0, kMiB));
  }
  EXPECT_EQ(reads, 0);
  post(to, room.room(0, kMiB));
  EXPECT_TRUE(from.send_file(to.id(), *shown, 0, kMiB));
  EXPECT_TRUE(end_of(from, to.id()));
  EXPECT_GT(reads, 1);
}

TEST_F(ShownFileTest, WhatIsNoRegularFileToBeReadFromTheCacheIsNotShown) {
  EXPECT_EQ(ShownFile::create(-1).error().code, Errc::invalid_value);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  EXPECT_EQ(ShownFile::create(pipe[0]).error().code, Errc::invalid_value);
  ::close(pipe[0]);
  ::close(pipe[1]);
  const std::string path = "/proc/self/fd/" + std::to_string(file.fd());
  const int for_writing = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(for_writing, 0);
  EXPECT_EQ(ShownFile::create(for_writing).error().code, Errc::invalid_value);
  ::close(for_writing);
}

}  // namespace
}  // namespace comch::test
