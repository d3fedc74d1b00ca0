// The thread that makes inotify see; see announcer.h.
#include "announcer.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

namespace comch::fuse {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

}  // namespace

bool Announcer::start(std::string mount_point, fuse_session* session) {
  mount_point_ = std::move(mount_point);
  session_ = session;
  done_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (done_fd_ < 0) return false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    errno = error.code().value();
    return false;
  }
  // The thread says who it is before it does anything.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return announced_thread_id_ != 0; });
  thread_id_ = announced_thread_id_;
  return true;
}

void Announcer::quit() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  changed_.notify_all();
}

bool Announcer::has_ended() {
  const std::scoped_lock lock(mutex_);
  return ended_ || !thread_.joinable();
}

void Announcer::stop() {
  quit();
  if (thread_.joinable()) thread_.join();
  if (done_fd_ >= 0) close(std::exchange(done_fd_, -1));
}

void Announcer::appear(std::string path, Done done) {
  post(Kind::kAppear, std::move(path), 0, std::move(done));
}

void Announcer::vanish(std::string path, std::uint64_t parent_id, Done done) {
  post(Kind::kVanish, std::move(path), parent_id, std::move(done));
}

void Announcer::refresh(std::uint64_t node_id) {
  if (node_id != 0) post(Kind::kRefresh, {}, node_id, {});
}

void Announcer::post(Kind kind, std::string path, std::uint64_t node_id, Done done) {
  const std::uint64_t number = ++last_number_;
  if (done) waiting_[number] = {std::move(done), std::chrono::steady_clock::now()};
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back({kind, number, std::move(path), node_id});
  }
  changed_.notify_all();
}

void Announcer::collect() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(done_fd_, &count, sizeof count);
  std::vector<std::uint64_t> numbers;
  {
    const std::scoped_lock lock(mutex_);
    numbers.swap(finished_);
  }
  const auto too_old = std::chrono::steady_clock::now() - kPatience;
  for (const auto& [number, waiting] : waiting_) {
    if (waiting.since < too_old) numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) {
    const auto waiting = waiting_.extract(number);  // First: `done` may post another job.
    if (waiting) waiting.mapped().done();
  }
}

int Announcer::timeout_ms() const {
  // A job that is found a little late harms nobody, so there is no need to be exact.
  return waiting_.empty() && !stopping_ ? -1 : static_cast<int>(kPatience.count());
}

void Announcer::work() {
  // Signals are the loop's.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);

  std::unique_lock lock(mutex_);
  announced_thread_id_ = gettid();
  changed_.notify_all();
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) break;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    run(job);
    signal_done(job.number);
    lock.lock();
  }
  ended_ = true;
  wake_loop();
}

void Announcer::run(const Job& job) const {
  const std::string path = mount_point_ + "/" + job.path;
  switch (job.kind) {
    case Kind::kAppear:
      mkdir(path.c_str(), 0777);  // A failure is found by the loop: nobody asked for it.
      break;
    case Kind::kVanish:
      if (rmdir(path.c_str()) != 0) {
        const std::string name = job.path.substr(job.path.rfind('/') + 1);
        fuse_lowlevel_notify_inval_entry(session_, job.node_id, name.c_str(), name.size());
      }
      break;
    case Kind::kRefresh:
      fuse_lowlevel_notify_inval_inode(session_, job.node_id, -1, 0);
      break;
  }
}

void Announcer::signal_done(std::uint64_t number) {
  {
    const std::scoped_lock lock(mutex_);
    finished_.push_back(number);
  }
  wake_loop();
}

void Announcer::wake_loop() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(done_fd_, &one, sizeof one);
}

}  // namespace comch::fuse
