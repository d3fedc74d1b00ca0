// Slow close: see slow_close.h.
#include "os/slow_close.h"

#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "base/say.h"
#include "os/syscalls.h"

namespace comch::os {
namespace {

// The jobs, and the threads that do them: each takes the next one, and makes the thread for the one
// behind it first, for its own may not end.
class SlowJobs {
 public:
  // Never destroyed: its threads may outlive main().
  static SlowJobs& all() {
    static auto* const jobs = new SlowJobs;
    return *jobs;
  }

  void add(std::function<void()> job) {
    const std::unique_lock lock(mutex_);
    waiting_.push_back(std::move(job));
    start_thread_if_none_is_free();
    if (waiting_.size() <= kMany || std::exchange(told_, true)) return;
    say(LogLevel::kError,
        "{} of what peers have sent stay open: {} threads wait for others to let them go",
        waiting_.size(), threads_);
  }
  std::size_t count() {
    const std::unique_lock lock(mutex_);
    return waiting_.size() + running_;
  }

 private:
  static constexpr std::size_t kMany = 256;  // One packet brings fewer, and they are soon closed.

  // Signals are the application's, and so are the threads that it expects them on.
  void start_thread_if_none_is_free() {
    if (threads_ != running_ || threads_ == kSlowJobsMax) return;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ++threads_;
    try {
      std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {
      --threads_;  // The next job tries again.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      std::function<void()> job = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      if (!waiting_.empty()) start_thread_if_none_is_free();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
      --running_;
    }
    --threads_;
    told_ = false;
  }

  std::mutex mutex_;
  // All behind mutex_.
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
  std::size_t threads_ = 0;
  bool told_ = false;
};

}  // namespace

// No question reaches the file system behind a file. One that is not answered, which does not
// happen, is no reason to suspect anybody.
Closing closing_of(const Fd& fd) {
  if (syscalls().get_seals(fd.get()) >= 0 || errno != EINVAL) return Closing::kAtOnce;
  const auto is = [&](int option, int wanted) {
    int answer = wanted;
    socklen_t size = sizeof answer;
    const int asked = syscalls().getsockopt(fd.get(), SOL_SOCKET, option, &answer, &size);
    return asked == 0 ? answer == wanted : errno != ENOTSOCK;
  };
  const bool is_line =
      is(SO_DOMAIN, AF_UNIX) && is(SO_TYPE, SOCK_SEQPACKET) && is(SO_ACCEPTCONN, 0);
  return is_line ? Closing::kOnceEmpty : Closing::kSlow;
}

void do_elsewhere(std::function<void()> job) { SlowJobs::all().add(std::move(job)); }

void close_elsewhere(std::vector<Fd> fds) {
  for (Fd& fd : fds) {
    // A job is copied, and a descriptor is not.
    do_elsewhere([closed = std::make_shared<Fd>(std::move(fd))] {
      constexpr linger kNone{.l_onoff = 0, .l_linger = 0};
      std::ignore =
          syscalls().setsockopt(closed->get(), SOL_SOCKET, SO_LINGER, &kNone, sizeof kNone);
      closed->reset();
    });
  }
}

void unmap_elsewhere(std::span<std::byte> pages) {
  const auto unmap = [pages] { syscalls().munmap(pages.data(), pages.size()); };
  if (pages.size() >= kManyBytes) return do_elsewhere(unmap);
  unmap();
}

std::size_t slow_jobs() { return SlowJobs::all().count(); }

}  // namespace comch::os
