// Rings of two processes: messages, sockets and timers end one wait, nothing is missed by who
// sleeps, and a peer that is killed in a batch ends what was under way.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <liburing.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "support/temp_dir.h"
#include "uring/ends.h"

namespace comch::uring::test {
namespace {

constexpr std::uint64_t kReceived = 1, kSend = 2, kTimer = 3, kSocket = 4;

struct TwoProcesses : testing::Test {
  RuntimeDirectory runtime;
};
struct TwoSleepers : TwoProcesses, testing::WithParamInterface<int> {};

// What a ring has to wait in: as wait_test.cc, of one process.
Ring::Options place(int n, io_uring* application) {
  Ring::Options options{.spin = 0ns};
  if (n == 1) options.join = application;
  if (n == 2) options.without_timeout_argument = true;
  if (n == 3) options.without_kernel_ring = true;
  if (n == 4) options.without_futex = true;
  return options;
}

struct Application {
  Application() { EXPECT_EQ(io_uring_queue_init(32, &ring, 0), 0); }
  ~Application() { io_uring_queue_exit(&ring); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  io_uring ring{};
};

std::span<const std::byte> bytes_of(const std::uint64_t& number) {
  return std::as_bytes(std::span(&number, 1));
}
std::uint64_t number_of(const Completion& completion) {
  std::uint64_t number = 0;
  if (completion.size == sizeof number) std::memcpy(&number, completion.bytes, sizeof number);
  return number;
}

// Both sleep before every message: one that is missed is missed for ever.
TEST_P(TwoSleepers, WhoSleepsMissesNothing) {
  as_two([](Partner& side) {
    Application application;
    RingEnds ends(side, place(GetParam(), &application.ring));
    ends.receive_all(kReceived);
    constexpr std::uint64_t kRounds = 500;
    std::uint64_t heard = 0;
    std::uint64_t number = 1;
    const auto send = [&] { ends.next(kSend, kSkipSuccess).prep_send(*ends.to, bytes_of(number)); };
    if (side.is_server()) send();
    const Deadline deadline;
    while (heard < kRounds && !deadline.passed()) {
      std::ignore = ends.ring->submit_and_wait(1, std::chrono::milliseconds(deadline.left_ms()));
      const std::uint32_t count = ends.ring->for_each([&](const Completion& c) {
        ASSERT_EQ(c.user_data, kReceived);
        EXPECT_EQ(number_of(c), ++heard);
      });
      ends.ring->advance(count);
      if (count == 0) continue;
      // The client answers the same, the server sends the next.
      number = side.is_server() ? heard + 1 : heard;
      if (number <= kRounds) send();
    }
    EXPECT_EQ(heard, kRounds);
    ends.ring->submit().value();
    EXPECT_TRUE(side.agree("done"));
  });
}

// More than there is room for, both ways at once.
TEST_P(TwoSleepers, BatchesArriveInOrderAndWaitForRoom) {
  as_two([](Partner& side) {
    Application application;
    RingEnds ends(side, place(GetParam(), &application.ring));
    ends.receive_all(kReceived);
    constexpr std::uint64_t kMessages = 50'000;
    std::vector<std::uint64_t> numbers(kMessages);
    std::uint64_t sent = 0, done = 0, heard = 0;
    const Deadline deadline;
    while ((done < kMessages || heard < kMessages) && !deadline.passed()) {
      while (sent < kMessages && ends.ring->space() > 0) {
        numbers[sent] = sent + 1;
        ends.next(kSend).prep_send(*ends.to, bytes_of(numbers[sent]));
        ++sent;
      }
      std::ignore = ends.ring->submit_and_wait(1, std::chrono::milliseconds(deadline.left_ms()));
      ends.ring->advance(ends.ring->for_each([&](const Completion& c) {
        if (c.user_data == kSend) {
          EXPECT_EQ(c.res, 8);
          ++done;
        } else {
          EXPECT_EQ(number_of(c), ++heard);
        }
      }));
    }
    EXPECT_EQ(done, kMessages);
    EXPECT_EQ(heard, kMessages);
    EXPECT_TRUE(side.agree("done"));
  });
}

// All views are shown, and one more message lies unread.
TEST_P(TwoSleepers, APeerThatIsKilledEndsAWaitOverWhatIsUnread) {
  const Gate serving;
  const Gate full;
  auto peer = client_process(serving, [&](Partner& partner) {
    RingEnds ends(partner);
    const std::uint64_t number = 7;
    for (int n = 0; n < 3; ++n) {
      ends.next(kSend, kSkipSuccess).prep_send(*ends.to, bytes_of(number));
    }
    ends.ring->submit().value();
    EXPECT_TRUE(full.wait());
    ::raise(SIGKILL);
  });
  Partner partner(Partner::Role::kServer, {.queue = 16});
  ASSERT_TRUE(partner.serve(serving));
  {
    Application application;
    RingEnds ends(partner, place(GetParam(), &application.ring), 64, DataWay::kView);
    ends.next(kReceived).prep_view_multishot(*ends.from, 2);
    ASSERT_EQ(ends.ring->submit_and_wait(2, patience()).value_or(0), 2U);
    bool ended = false;
    ends.consumer->on_state_changed([&](Context&, ContextState, ContextState) {
      if (std::exchange(ended, true)) return;
      ends.next(kTimer).prep_nop();
      ends.ring->submit().value();
    });
    full.open();
    EXPECT_EQ(ends.ring->submit_and_wait(3, patience()).value_or(0), 3U);
    EXPECT_TRUE(ended);
    ends.consumer->on_state_changed([](Context&, ContextState, ContextState) {});
  }
  EXPECT_EQ(peer.wait(), Exit::by_signal(SIGKILL));
}

std::string name_of(const testing::TestParamInfo<int>& given) {
  constexpr std::array names{"OwnRing", "JoinedRing", "TimerDescriptor", "Poll", "NoFutex"};
  return names[static_cast<std::size_t>(given.param)];
}
INSTANTIATE_TEST_SUITE_P(In, TwoSleepers, testing::Range(0, 5), name_of);

// --- Of all kinds ------------------------------------------------------------------------

class Listener {
 public:
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    address_ = address;
  }
  ~Listener() { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  int fd() const { return fd_; }
  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_GE(fd, 0);
    if (fd < 0) return fd;
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    return fd;
  }

 private:
  const int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

// The server echoes what comes by TCP and by comch, with a timer beside, all in one loop that
// sleeps; the client uses both at once.
TEST_F(TwoProcesses, MessagesATcpSocketAndATimerEndOneWait) {
  const Listener listener;
  constexpr std::uint64_t kRounds = 300;
  as_two([&](Partner& side) {
    if (!side.is_server()) {
      RingEnds ends(side);
      ends.receive_all(kReceived);
      const int fd = listener.connect();
      for (std::uint64_t round = 1; round <= kRounds; ++round) {
        ASSERT_EQ(::send(fd, &round, sizeof round, 0), 8);
        ends.next(kSend, kSkipSuccess).prep_send(*ends.to, bytes_of(round));
        ASSERT_EQ(ends.ring->submit_and_wait(1, patience()).value_or(0), 1U);
        EXPECT_EQ(number_of(*ends.ring->peek()), round);
        ends.ring->advance(1);
        std::uint64_t echo = 0;
        ASSERT_EQ(::recv(fd, &echo, sizeof echo, MSG_WAITALL), 8);
        EXPECT_EQ(echo, round);
      }
      EXPECT_TRUE(side.agree("done"));
      ::close(fd);
      return;
    }
    Application application;
    RingEnds ends(side, {.join = &application.ring});
    ends.receive_all(kReceived);
    io_uring* const kernel = ends.ring->kernel();
    const int fd = ::accept(listener.fd(), nullptr, nullptr);
    ASSERT_GE(fd, 0);
    std::uint64_t text = 0;
    const auto read_next = [&] {
      io_uring_sqe* const sqe = io_uring_get_sqe(kernel);
      io_uring_prep_recv(sqe, fd, &text, sizeof text, MSG_WAITALL);
      sqe->user_data = kSocket;
    };
    read_next();
    ends.next(kTimer).prep_timeout(1ms);
    std::uint64_t messages = 0, texts = 0, ticks = 0;
    std::array<std::uint64_t, RingEnds::kDepth> echoes{};
    const Deadline deadline;
    while ((messages < kRounds || texts < kRounds || ticks == 0) && !deadline.passed()) {
      std::ignore = ends.ring->submit_and_wait(1, std::chrono::milliseconds(deadline.left_ms()));
      ends.ring->advance(ends.ring->for_each([&](const Completion& c) {
        if (c.user_data == kTimer) {
          EXPECT_EQ(c.res, -ETIME);
          ++ticks;
          ends.next(kTimer).prep_timeout(1ms);
        } else {
          std::uint64_t& echo = echoes[messages++ % echoes.size()];
          echo = number_of(c);
          ends.next(kSend, kSkipSuccess).prep_send(*ends.to, bytes_of(echo));
        }
      }));
      const std::uint64_t before = texts;
      unsigned head = 0, count = 0;
      io_uring_cqe* cqe = nullptr;
      io_uring_for_each_cqe(kernel, head, cqe) {
        ++count;
        if (ends.ring->claim(*cqe)) continue;
        ASSERT_EQ(cqe->user_data, kSocket);
        ASSERT_EQ(cqe->res, 8);
        ++texts;
        ASSERT_EQ(::send(fd, &text, sizeof text, 0), 8);
      }
      io_uring_cq_advance(kernel, count);
      if (texts != before && texts < kRounds) read_next();
    }
    EXPECT_EQ(messages, kRounds);
    EXPECT_EQ(texts, kRounds);
    EXPECT_GE(ticks, 1U);
    ends.ring->submit().value();
    EXPECT_TRUE(side.agree("done"));
    ::close(fd);
  });
}

// --- Ends --------------------------------------------------------------------------------

// The server sends in batches without end, to a client that is killed.
TEST_F(TwoProcesses, APeerThatIsKilledInABatchEndsEveryOperationOnce) {
  const Gate serving;
  const Gate busy;
  auto peer = client_process(serving, [&](Partner& partner) {
    RingEnds ends(partner);
    ends.receive_all(kReceived);
    std::uint64_t heard = 0;
    while (true) {
      std::ignore = ends.ring->submit_and_wait(1, 1s);
      heard += ends.ring->ready();
      ends.ring->advance(ends.ring->ready());
      if (heard > 10'000) busy.open();
    }
  });
  Partner partner(Partner::Role::kServer, {.queue = 16});
  ASSERT_TRUE(partner.serve(serving));
  {
    RingEnds ends(partner);
    ends.receive_all(kReceived);
    std::uint64_t prepared = 0, over = 0;
    std::int64_t last = 0, received = 0;
    const std::uint64_t number = 7;
    bool killed = false;
    const Deadline deadline;
    while ((over < prepared || received == 0 || !killed) && !deadline.passed()) {
      while (last >= 0 && ends.ring->space() > 0) {
        ends.next(kSend).prep_send(*ends.to, bytes_of(number));
        ++prepared;
      }
      const auto waited = ends.ring->submit_and_wait(1, 100ms);
      ASSERT_TRUE(waited || waited.error().code == Errc::time_out) << describe(waited.error());
      ends.ring->advance(ends.ring->for_each([&](const Completion& c) {
        if (c.user_data == kReceived) {
          received = c.res;
          return;
        }
        ++over;
        if (last == 0 || c.res < 0) last = c.res;
      }));
      if (!killed && over > 20'000) {
        ASSERT_TRUE(busy.wait());
        peer.kill(SIGKILL);
        killed = true;
      }
    }
    EXPECT_EQ(over, prepared);
    EXPECT_EQ(last, -ECONNRESET);
    EXPECT_EQ(received, -ECONNRESET) << "of the multishot receive";
  }
  EXPECT_EQ(peer.wait(), Exit::by_signal(SIGKILL));
}

}  // namespace
}  // namespace comch::uring::test
