// Transfers: one at a time, over a kernel that answers as it is told.
#include "uring/transfers.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>

namespace comch::uring::test {
namespace {

struct ToldIo {
  bool is_open(int, bool) const { return true; }
  bool is_direct(int, bool) const { return true; }
  bool is_same_file(const Transfer&, int, bool) const { return true; }
  void begin(Transfer& transfer) { asked = &transfer; }
  void cancel(Transfer&) {}
  void flush() {}
  bool drain() { return true; }
  template <class Done>
  bool reap(Done&& done) {
    Transfer* const transfer = std::exchange(asked, nullptr);
    if (transfer == nullptr || answers.empty()) return false;
    const std::int64_t answer = answers.front();
    answers.pop_front();
    done(*transfer, answer);
    return true;
  }

  std::deque<std::int64_t> answers;
  Transfer* asked = nullptr;
};
struct ToldKinds {
  using Io = ToldIo;
};

struct TransfersTest : testing::Test {
  // What a direct read of `length` bytes ends with.
  std::int64_t read(std::uint64_t length, std::deque<std::int64_t> answers) {
    io.answers = std::move(answers);
    Operation op{};
    Transfer& transfer = *transfers.take(Transfers<ToldKinds>::kReading, op);
    transfer.call = Transfer::Call::kRead;
    transfer.bytes = room.data();
    transfer.length = length;
    transfer.offset = 0;
    transfers.start(transfer);
    std::int64_t res = INT64_MIN;
    while (transfers.look([&](Transfer& over) { res = over.res; })) {
    }
    EXPECT_EQ(io.answers.size(), 0U);
    transfers.release(transfer);
    return res;
  }

  ToldIo io;
  Transfers<ToldKinds> transfers{io, 1};
  alignas(4096) std::array<std::byte, 16384> room{};
};

TEST_F(TransfersTest, ADirectReadOfAFileThatEndsWithinABlockOfItsDiskIsShort) {
  EXPECT_EQ(read(16'384, {4096 + 1536, -EINVAL}), 4096 + 1536) << "sectors of 512 bytes, or";
  EXPECT_EQ(read(16'384, {4096 + 100, -EINVAL}), 4096 + 100) << "within one";
  EXPECT_EQ(read(16'000, {-EINVAL, 1536, -EINVAL}), 1536) << "from a copy, too";
}

TEST_F(TransfersTest, ADirectReadThatIsRefusedAtTheStartOfABlockGoesOnWithWholeOnes) {
  EXPECT_EQ(read(10'000, {8192, -EINVAL, 4096}), 10'000);
  EXPECT_EQ(read(10'000, {-EINVAL, -EINVAL}), -EINVAL);
}

}  // namespace
}  // namespace comch::uring::test
