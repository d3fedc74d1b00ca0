// TransferPair: a RingPair in every way that files and sockets can be moved in, and the files,
// pipes and sockets of such tests.
//
// Threads, lifetime: as RingPair.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {

struct Way {
  Place place;
  bool registered;
};

// A descriptor that is closed at the end.
class File {
 public:
  explicit File(int fd) : fd_(fd) { EXPECT_GE(fd, 0) << std::strerror(errno); }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct TransferPair : RingPair, testing::WithParamInterface<Way> {
  static constexpr std::uint64_t kLarge = 40'000;  // Neither whole pages nor whole sectors.

  explicit TransferPair(std::uint32_t transfers = 4)
      : RingPair(
            GetParam().place,
            {.transfers = transfers, .spin = 0ns, .without_registration = !GetParam().registered}) {
    if (!ring->features().registered_memory) return;
    EXPECT_TRUE(ring->register_memory(*to));
    EXPECT_TRUE(ring->register_memory(there.map()));
  }

  File file(const std::string& text, int flags = 0) {
    const auto path = dir / std::to_string(++files);
    std::ofstream(path) << text;
    return File(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags));
  }
  static std::string read_back(int fd) {
    std::string text(1 << 20U, ' ');
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    EXPECT_GE(got, 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }
  void post_large(std::uint64_t user_data, std::size_t offset = 0) {
    next(user_data).prep_post_recv(*from, there.room(offset, 48 << 10U));
    ring->submit().value();
  }
  // That what is posted is not lost: the next message finds it.
  void expect_posted(std::uint64_t user_data) {
    send("the next", 99);
    wait(2);
    ASSERT_NE(find(user_data), nullptr);
    EXPECT_EQ(find(user_data)->text, "the next");
  }
  void expect_quiet() { EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out); }

  TempDir dir;
  int files = 0;
};

struct Pipe {
  explicit Pipe(int flags = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | flags), 0);
    from.emplace(ends[0]);
    to.emplace(ends[1]);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(*to, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::optional<File> from, to;
};

struct Sockets {
  Sockets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    here.emplace(ends[0]);
    other.emplace(ends[1]);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(*other, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::optional<File> here, other;
};

inline const auto kWays = testing::Values(
    Way{Place::kOwnRing, true}, Way{Place::kJoinedRing, true}, Way{Place::kOwnRing, false},
    Way{Place::kTimerDescriptor, true}, Way{Place::kPoll, false});
inline std::string name_of_way(const testing::TestParamInfo<Way>& given) {
  return name_of(given.param.place) + (given.param.registered ? "Registered" : "");
}

}  // namespace comch::uring::test
