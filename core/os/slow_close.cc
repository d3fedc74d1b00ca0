// Slow close: see slow_close.h.
#include "os/slow_close.h"

#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
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
  // Never destroyed: their threads may outlive main().
  static SlowJobs& of_peers() {
    static auto* const jobs = new SlowJobs(kSlowJobsMax);
    return *jobs;
  }
  static SlowJobs& of_memory() {
    static auto* const jobs = new SlowJobs(kUnmappingMax);
    return *jobs;
  }

  void add(std::function<void()> job, Sender sender = {}) {
    // The application's log may come back to here.
    if (!line_up(std::move(job), sender)) return;
    say(About(*sender), LogLevel::kError,
        "what uid {} has sent does not close: nothing more is taken from its processes until it "
        "does",
        *sender);
  }
  std::size_t count() {
    const std::unique_lock lock(mutex_);
    return waiting_.size() + running_;
  }
  std::size_t count_of(std::uint32_t user) {
    // Nobody's, as always: whoever receives a packet asks. No edge: nothing is read by it.
    if (counted_.load(std::memory_order_relaxed) == 0) return 0;
    const std::unique_lock lock(mutex_);
    const auto it = of_users_.find(user);
    return it == of_users_.end() ? 0 : it->second;
  }

 private:
  struct Job {
    std::function<void()> run;
    Sender sender;
  };

  explicit SlowJobs(std::size_t most) : most_(most) {}

  // True: with this one so many of its sender's wait as may.
  bool line_up(std::function<void()> job, Sender sender) {
    const std::unique_lock lock(mutex_);
    waiting_.push_back({std::move(job), sender});
    if (sender) ++counted_;
    const bool is_last = sender && ++of_users_[*sender] == kWaitingOfAUserMax;
    start_thread_if_none_is_free();
    return is_last;
  }

  // Signals are the application's, and so are the threads that it expects them on.
  void start_thread_if_none_is_free() {
    if (threads_ != running_ || threads_ == most_) return;
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
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      if (!waiting_.empty()) start_thread_if_none_is_free();
      lock.unlock();
      job.run();
      job.run = nullptr;
      lock.lock();
      --running_;
      forget(job.sender);
    }
    --threads_;
  }
  void forget(Sender sender) {
    if (!sender) return;
    --counted_;
    if (--of_users_[*sender] == 0) of_users_.erase(*sender);
  }

  const std::size_t most_;
  std::atomic<std::size_t> counted_ = 0;  // Of all users; written behind mutex_.
  std::mutex mutex_;
  // All behind mutex_.
  std::deque<Job> waiting_;
  std::map<std::uint32_t, std::size_t> of_users_;  // How many of their jobs are not done.
  std::size_t running_ = 0;
  std::size_t threads_ = 0;
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

bool has_too_many(Sender sender) {
  return sender && SlowJobs::of_peers().count_of(*sender) >= kWaitingOfAUserMax;
}

void do_elsewhere(std::function<void()> job, Sender sender) {
  SlowJobs::of_peers().add(std::move(job), sender);
}

// A job is copied, and a descriptor is not.
void close_elsewhere(std::vector<Fd> fds, Sender sender) {
  for (Fd& fd : fds) {
    const auto close = [closed = std::make_shared<Fd>(std::move(fd))] {
      constexpr linger kNone{.l_onoff = 0, .l_linger = 0};
      std::ignore =
          syscalls().setsockopt(closed->get(), SOL_SOCKET, SO_LINGER, &kNone, sizeof kNone);
      closed->reset();
    };
    do_elsewhere(close, sender);
  }
}

void free_elsewhere(std::vector<Fd> memory) {
  for (Fd& fd : memory) {
    SlowJobs::of_memory().add([freed = std::make_shared<Fd>(std::move(fd))] { freed->reset(); });
  }
}

void unmap_elsewhere(std::span<std::byte> pages, std::shared_ptr<const void> share) {
  auto unmap = [pages, counted = std::move(share)] {
    syscalls().munmap(pages.data(), pages.size());
  };
  if (pages.size() >= kManyBytes) return SlowJobs::of_memory().add(std::move(unmap));
  unmap();
}

std::size_t slow_jobs() { return SlowJobs::of_peers().count() + SlowJobs::of_memory().count(); }

}  // namespace comch::os
