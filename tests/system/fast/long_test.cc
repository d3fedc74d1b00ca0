// Messages of a gigabyte, and of more bytes than 32 bits count.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <string>

#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kGiB = std::size_t{1} << 30U;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COMCH_TEST_EVERY_BYTE_COSTS_FOUR
#endif
#endif
#ifdef COMCH_TEST_EVERY_BYTE_COSTS_FOUR
constexpr std::size_t kShadow = 5;
#else
constexpr std::size_t kShadow = 1;
#endif

std::size_t available_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;) {
    if (word != "MemAvailable:") continue;
    std::size_t kilobytes = 0;
    info >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

// Bytes that repeat after a period that is no power of two: much address space, little memory.
class Repeating {
 public:
  static constexpr std::size_t kPeriod = 65 * kMiB;

  explicit Repeating(std::size_t size) : size_((size + kPeriod - 1) / kPeriod * kPeriod) {
    const int fd = ::memfd_create("repeating", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, kPeriod), 0);
    at_ = static_cast<std::byte*>(
        ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t n = 0; n < size_; n += kPeriod) {
      EXPECT_NE(::mmap(at_ + n, kPeriod, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
                MAP_FAILED);
    }
    ::close(fd);
    fill({at_, kPeriod}, 0);
  }
  ~Repeating() { ::munmap(at_, size_); }
  Repeating(const Repeating&) = delete;
  Repeating& operator=(const Repeating&) = delete;

  std::span<std::byte> bytes() const { return {at_, size_}; }
  static bool is(std::span<const std::byte> bytes) {
    for (; bytes.size() > kPeriod; bytes = bytes.subspan(kPeriod)) {
      if (!holds(bytes.first(kPeriod), 0)) return false;
    }
    return holds(bytes, 0);
  }

 private:
  const std::size_t size_;
  std::byte* at_ = nullptr;
};

constexpr std::size_t kSize = 4 * kGiB + 1;

struct Case {
  std::string name;
  DataWay way = DataWay::kMapped;
  Rooms::Kind kind = Rooms::Kind::kShared;
  std::size_t cooperative = Producer::kDefaultCooperative;
};

struct Long : testing::TestWithParam<Case> {
  void require(std::size_t bytes) {
    if (available_memory() < bytes * kShadow + kGiB) {
      GTEST_SKIP() << "needs " << bytes * kShadow / kMiB << " MiB of memory";
    }
  }
  const Deadline deadline{6 * patience()};
  RuntimeDirectory runtime;
};

TEST_P(Long, AGigabyteArrivesWhole) {
  require(2 * kGiB);
  if (IsSkipped()) return;
  as_two([this](Partner& side) {
    const Plan plan{{.size = kGiB, .immediate = 16}, {.size = 5}};
    if (side.is_server()) {
      Receiver receiver(side.connection(), side.engine(), plan,
                        {.depth = 1, .way = GetParam().way, .kind = GetParam().kind});
      ASSERT_TRUE(receiver.start());
      EXPECT_TRUE(side.run_until([&] { return receiver.heard() == 2; }, deadline));
      EXPECT_EQ(receiver.wrong(), 0u);
      EXPECT_TRUE(side.agree("received", deadline));
    } else {
      Sender sender(side.connection(), side.engine(), plan,
                    {.window = 1, .cooperative = GetParam().cooperative});
      ASSERT_TRUE(sender.start());
      sender.send_to({side.consumer().value()});
      EXPECT_TRUE(side.run_until([&] { return sender.done(); }, deadline));
      EXPECT_EQ(sender.sent(), 2u);
      EXPECT_TRUE(side.agree("received", deadline));
    }
  });
}

// Memory that repeats is never copied by both sides.
struct Longer : Long {};

TEST_P(Longer, FourGigabytesAndOneByteArriveWhole) {
  require(kSize);
  if (IsSkipped()) return;
  as_two([this](Partner& side) {
    const Plan plan{{.size = kSize}};
    if (side.is_server()) {
      Receiver receiver(
          side.connection(), side.engine(), plan,
          {.depth = 1, .way = GetParam().way, .kind = GetParam().kind, .repost = false});
      std::uint64_t length = 0;
      bool whole = false;
      receiver.then_heard = [&](ReceiveTask& task) {
        length = task.length();
        whole = Repeating::is(task.buffer()->contents());
      };
      ASSERT_TRUE(receiver.start());
      EXPECT_TRUE(side.run_until([&] { return receiver.heard() == 1; }, deadline));
      EXPECT_EQ(length, kSize);
      EXPECT_TRUE(whole);
      EXPECT_TRUE(side.agree("received", deadline));
    } else {
      const Repeating memory(kSize);
      Rooms rooms(memory.bytes());
      Sender sender(side.connection(), side.engine(), plan, {.window = 1, .rooms = &rooms});
      ASSERT_TRUE(sender.start());
      sender.send_to({side.consumer().value()});
      EXPECT_TRUE(side.run_until([&] { return sender.done(); }, deadline));
      EXPECT_EQ(sender.sent(), 1u);
      EXPECT_EQ(sender->counters().sent_bytes, kSize);
      EXPECT_TRUE(side.agree("received", deadline));
    }
  });
}

using Kind = Rooms::Kind;
const Case kAlone{"mapped", DataWay::kMapped, Kind::kShared, 0};
const Case kStaged{"staged", DataWay::kStaged, Kind::kPrivate, 0};
const auto kName = [](const auto& given) { return given.param.name; };

INSTANTIATE_TEST_SUITE_P(All, Long,
                         testing::Values(Case{"cooperative"}, kAlone, kStaged,
                                         Case{"cma", DataWay::kCma, Kind::kPrivate}),
                         kName);
// The second takes long, and is for the night.
INSTANTIATE_TEST_SUITE_P(All, Longer,
                         testing::ValuesIn(budget() < std::chrono::minutes(1)
                                               ? std::vector{kAlone}
                                               : std::vector{kAlone, kStaged}),
                         kName);

}  // namespace
}  // namespace comch::test
