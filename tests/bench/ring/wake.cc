// Wakes: an eventfd, and a RingServer.
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

// Of a process that was woken.
struct Answer {
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<bool> over{false};

  void await(std::uint64_t round) const {
    // HEARD: meets the other's release.
    while (rounds.load(std::memory_order_acquire) < round) pause();
  }
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
    answer.rounds.fetch_add(1, std::memory_order_release);  // HEARD
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

double Wakes::ring_ns(const Pair& pair) {
  const bool is_here =
      measured_ && measured_->asker == pair.asker && measured_->answerer == pair.answerer;
  if (!is_here) measure(pair);
  measured_.reset();
  return ring_ns_;
}

void Wakes::measure(const Pair& pair) {
  const EventFd bell;
  const SharedMemory<Answer> of_bare, of_ring;
  const SharedMemory<double> bare;
  const std::string name = fresh_server_name();
  const auto clients = static_cast<std::uint32_t>(crowd_);
  const Crowd others(name, clients);
  ring_ns_ = ask(
      pair,
      [&](const Gate& ready) {
        // On the same processor.
        test::ChildProcess beside = test::ChildProcess::run([&] {
          answer_bare(bell, *of_bare);
          return 0;
        });
        RingServer server(name, clients + 1, of_ring->rounds);
        others.may_come();
        server.await(crowd_);
        ready.open();
        server.await(crowd_ + 1);
        server.serve();
      },
      [&] {
        others.await();
        ControlClient client(ControlPlan(), name);
        std::uint64_t bare_round = 0, ring_round = 0;
        const auto wake_bare = [&] {
          bell.ring();
          of_bare->await(++bare_round);
        };
        const auto wake_ring = [&] {
          client.send();
          of_ring->await(++ring_round);
        };
        const auto [bare_ns, ring_ns] = medians_ns_after(idle_, duration_, wake_bare, wake_ring);
        *bare = bare_ns;
        of_bare->over.store(true, std::memory_order_release);  // PAGE
        bell.ring();
        others.dismiss();
        return ring_ns;
      });
  bare_ns_ = *bare;
  measured_ = pair;
}

Facts idle_ring(std::size_t crowd) {
  const std::string name = fresh_server_name();
  const auto clients = static_cast<std::uint32_t>(crowd);
  const Crowd others(name, clients);
  const SharedMemory<double> wakes;
  const SharedMemory<Answer> answer;
  const double used_us = measure_on(any_pair().answerer, [&] {
    RingServer server(name, clients, answer->rounds);
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
