// Wake: an eventfd, and a RingServer.
#include "bench/ring/wake.h"

#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <system_error>
#include <vector>

#include "base/pause.h"
#include "bench/control_client.h"
#include "bench/processes.h"
#include "bench/ring/kernel_ring.h"
#include "bench/ring/ring_server.h"

namespace comch::bench {
namespace {

struct Answer {
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<bool> over{false};
};

class EventFd {
 public:
  EventFd() {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~EventFd() { ::close(fd_); }
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;

  int get() const { return fd_; }
  void ring() const {
    const std::uint64_t one = 1;
    if (::write(fd_, &one, sizeof one) != sizeof one) throw std::runtime_error("no eventfd");
  }

 private:
  const int fd_ = ::eventfd(0, EFD_CLOEXEC);
};

void answer_bare(const EventFd& bell, Answer& answer) {
  KernelRing ring;
  // PAGE: what was written before the bell rang is seen behind the read of it.
  while (!answer.over.load(std::memory_order_acquire)) {
    io_uring_prep_poll_add(ring.next(), bell.get(), POLLIN);
    ring.submit_and_wait();
    ring.forget_completions();
    std::uint64_t rings = 0;
    if (::read(bell.get(), &rings, sizeof rings) != sizeof rings) return;
    answer.rounds.fetch_add(1, std::memory_order_release);  // ANSWER
  }
}

// Clients in a process of their own, on any processor, that sleep until they may go.
class Crowd {
 public:
  Crowd(std::string server, std::uint32_t size)
      : process_(test::ChildProcess::run([this, name = std::move(server), size] {
          if (!served_.wait()) return 1;
          std::vector<std::unique_ptr<ControlClient>> clients;
          while (clients.size() < size) {
            clients.push_back(std::make_unique<ControlClient>(ControlPlan(), name));
          }
          gathered_.open();
          return dismissed_.wait() ? 0 : 1;
        })) {}
  void may_come() const { served_.open(); }
  void await() const {
    if (!gathered_.wait()) throw std::runtime_error("the crowd did not gather");
  }
  void dismiss() const { dismissed_.open(); }

 private:
  const Gate served_;
  const Gate gathered_;
  const Gate dismissed_;
  test::ChildProcess process_;
};

double processor_us() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}
double sleeps() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_nvcsw);
}

}  // namespace

double bare_wake_ns(const Pair& pair, Duration idle, Duration duration) {
  const EventFd bell;
  const SharedMemory<Answer> answer;
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        answer_bare(bell, *answer);
      },
      [&] {
        std::uint64_t round = 0;
        const double ns = median_ns_after(idle, duration, [&] {
          ++round;
          bell.ring();
          // ANSWER: meets the other's release.
          while (answer->rounds.load(std::memory_order_acquire) < round) pause();
        });
        answer->over.store(true, std::memory_order_release);  // PAGE
        bell.ring();
        return ns;
      });
}

double ring_wake_ns(const Pair& pair, Duration idle, Duration duration, std::size_t crowd) {
  const std::string name = fresh_server_name();
  const auto clients = static_cast<std::uint32_t>(crowd);
  const Crowd others(name, clients);
  return ask(
      pair,
      [&](const Gate& ready) {
        RingServer server(name, clients + 1);
        others.may_come();
        server.await(crowd);
        ready.open();
        server.await(crowd + 1);
        server.serve();
      },
      [&] {
        others.await();
        ControlClient client(ControlPlan(), name);
        const double ns = median_ns_after(idle, duration, [&] { client.round_trip(); });
        others.dismiss();
        return ns;
      });
}

Facts idle_ring(std::size_t crowd) {
  const std::string name = fresh_server_name();
  const auto clients = static_cast<std::uint32_t>(crowd);
  const Crowd others(name, clients);
  const SharedMemory<double> wakes;
  const double used_us = measure_on(any_pair().answerer, [&] {
    RingServer server(name, clients);
    others.may_come();
    server.await(crowd);
    others.await();
    for (int n = 0; n < 8; ++n) server.turn(std::chrono::milliseconds(10));  // What is left over.
    const double slept = sleeps();
    const double used = processor_us();
    server.turn(std::chrono::seconds(1));
    const double more = processor_us() - used;
    *wakes = sleeps() - slept - 1;  // The sleep that was asked for.
    others.dismiss();
    server.serve();
    return more;
  });
  return {{.name = "processor time of an idle ring, in a second", .value = used_us, .unit = "us"},
          {.name = "wake-ups of an idle ring, in a second",
           .value = *wakes,
           .unit = "",
           .expected = 0}};
}

}  // namespace comch::bench
