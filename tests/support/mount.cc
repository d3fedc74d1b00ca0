// Mount: starts and ends the daemon, and looks at what it leaves.
#include "support/mount.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/process_counters.h"

namespace comch::test {
namespace {

const char* program() { return std::getenv("COMCHFS"); }

// Root unmounts by itself; anyone else asks the helper that mounted for him.
void take_away(const std::filesystem::path& point, bool lazily) {
  if (::umount2(point.c_str(), lazily ? MNT_DETACH : 0) == 0 || ::geteuid() == 0) return;
  run_program({"fusermount3", lazily ? "-uz" : "-u", point.string()});
}

}  // namespace

std::optional<std::string> Mount::unavailable() {
  if (program() == nullptr) return "COMCHFS does not name the daemon to test";
  if (::access("/dev/fuse", R_OK | W_OK) != 0) return "/dev/fuse cannot be opened here";
  // The kernel says whether this process may mount: it refuses a mount without options
  // with EPERM before it looks at them, and with EINVAL when only they are wrong.
  if (::geteuid() != 0) return std::nullopt;
  const TempDir probe;
  if (::mount("comch", probe.path().c_str(), "fuse", 0, "") != 0 && errno == EPERM)
    return "this process may not mount (no CAP_SYS_ADMIN)";
  return std::nullopt;
}

Mount::Mount(const std::vector<std::string>& arguments) : point_(dir_ / "comch") {
  std::filesystem::create_directory(point_);
  std::vector<std::string> command{program(), "-f", point_.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  daemon_ = ChildProcess::exec(command, dir_ / "log");
  const Deadline deadline;
  ready_ = eventually(
      [&] { return is_mounted() || daemon_->wait(Deadline(std::chrono::milliseconds(0))); },
      deadline);
  // Mounted is not yet answering: the first look is served once INIT is through.
  ready_ = ready_ && is_mounted() && std::filesystem::exists(point_ / "version");
}

Mount::~Mount() {
  const bool killed = daemon_->wait(Deadline(std::chrono::milliseconds(0))).has_value();
  const std::optional<Exit> exit = unmount();
  if (!exit) daemon_->kill(SIGKILL);
  if (is_mounted()) take_away(point_, true);
  if (killed) return;
  if (exit != Exit::with(0)) ADD_FAILURE() << "the daemon did not end well:\n" << log();
  for (const std::string& name : runtime_.entries())
    if (std::ranges::none_of(of_others_, [&](const auto& text) { return name.contains(text); }))
      ADD_FAILURE() << "the daemon left " << name << " in its runtime directory";
}

std::optional<Exit> Mount::unmount() {
  // Busy for as long as another process still looks at the tree, or closes it.
  const Deadline deadline;
  eventually(
      [&] {
        if (is_mounted()) take_away(point_, false);
        return !is_mounted();
      },
      deadline);
  return daemon_->wait(deadline);
}

std::string Mount::log() const {
  std::ostringstream text;
  text << std::ifstream(dir_ / "log").rdbuf();
  return text.str();
}

bool Mount::is_mounted() const { return !mounts_under(point_).empty(); }

}  // namespace comch::test
