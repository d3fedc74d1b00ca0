// Announcer: makes inotify see what the daemon itself changes in its tree.
//
// The kernel tells watchers about mkdir(2) and rmdir(2) of processes, not about
// directories that a file system simply has from now on. So when conn0 shall appear, a
// thread of ours calls mkdir("<mount>/servers/echo/conn0"); the loop recognises the
// thread, and only then shows the directory.
//
//   announcer.appear("servers/echo/conn0", [..] { show it, if mkdir has not });
//
// The loop never waits for the thread. If mkdir fails, or is not done within half a
// second because somebody keeps the kernel's lock of the parent, the directory appears
// without it, and watchers have missed it.
//
// Threads: all members are called from the loop; the thread works through one queue, in
// order. The notifications that take locks of the kernel are sent from there, too,
// because a request that the loop has yet to answer may hold those locks.
#pragma once

#include <fuse3/fuse_lowlevel.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace comch::fuse {

class Announcer {
 public:
  using Done = std::function<void()>;

  Announcer() = default;
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;
  ~Announcer() { stop(); }

  // False: there is no thread or no descriptor to be had; errno says why.
  bool start(std::string mount_point, fuse_session* session);
  // What it has begun it finishes, for which requests are to be served; it begins nothing more.
  // done_fd() tells of the end, behind which the thread uses the session no more.
  void quit();
  bool has_ended();
  // Where it has not ended, the mount must be gone: then it waits for no answer of ours.
  void stop();

  // Directories, by their path inside the mount. `done` runs in the loop, once.
  void appear(std::string path, Done done);
  void vanish(std::string path, std::uint64_t parent_id, Done done);
  // What the kernel remembers of a node's owner and mode is out of date.
  void refresh(std::uint64_t node_id);

  // True when a request comes from the thread itself.
  bool is_self(pid_t thread) const { return thread == thread_id_; }

  int done_fd() const { return done_fd_; }
  // Runs what is done, and what has taken too long.
  void collect();
  bool idle() const { return waiting_.empty(); }
  // How long the loop may sleep before something has taken too long; -1 for ever.
  int timeout_ms() const;

 private:
  enum class Kind : std::uint8_t { kAppear, kVanish, kRefresh };
  struct Job {
    Kind kind;
    std::uint64_t number;
    std::string path;
    std::uint64_t node_id;
  };
  struct Waiting {
    Done done;
    std::chrono::steady_clock::time_point since;
  };

  void post(Kind kind, std::string path, std::uint64_t node_id, Done done);
  void work();
  void run(const Job& job) const;
  void signal_done(std::uint64_t number);
  void wake_loop() const;

  std::string mount_point_;
  fuse_session* session_ = nullptr;
  int done_fd_ = -1;
  pid_t thread_id_ = 0;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  // By job; the oldest first.

  std::mutex mutex_;  // Of what follows, which the thread shares.
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<std::uint64_t> finished_;
  pid_t announced_thread_id_ = 0;
  bool stopping_ = false;  // Set by the loop, which may read it without the lock.
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace comch::fuse
