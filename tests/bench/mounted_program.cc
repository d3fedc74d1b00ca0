// MountedProgram: starts, places and ends a daemon.
#include "bench/mounted_program.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>

#include "support/process_counters.h"

namespace comch::bench {

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

void File::write(const std::string& bytes) const {
  if (::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) return;
  throw std::system_error(errno, std::generic_category(), "write");
}

void File::read(std::string& bytes) const {
  if (::read(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) return;
  throw std::system_error(errno, std::generic_category(), "read");
}

MountedProgram::MountedProgram(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, const std::string& first)
    : point_(dir_ / "tree") {
  std::filesystem::create_directory(point_);
  std::vector<std::string> command{program.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.push_back(point_.string());
  daemon_ = test::ChildProcess::exec(command, dir_ / "log");
  std::error_code ignored;
  const bool answers = test::eventually([&] {
    return std::filesystem::exists(point_ / first, ignored) ||
           daemon_->wait(test::Deadline(std::chrono::milliseconds(0)));
  });
  if (!answers || !std::filesystem::exists(point_ / first, ignored)) {
    throw std::runtime_error(program.filename().string() + " does not mount: " + log());
  }
}

MountedProgram::~MountedProgram() {
  if (!test::mounts_under(point_).empty() && ::umount2(point_.c_str(), MNT_DETACH) != 0) {
    test::run_program({"fusermount3", "-uz", point_.string()});
  }
  if (daemon_ && !daemon_->wait()) daemon_->kill(SIGKILL);
}

std::optional<std::string> MountedProgram::unavailable(const std::filesystem::path& program) {
  if (!std::filesystem::exists(program)) return program.filename().string() + " is not built";
  if (::access("/dev/fuse", R_OK | W_OK) != 0) return "/dev/fuse cannot be opened here";
  return std::nullopt;
}

File MountedProgram::open(const std::string& name, int flags) const {
  const int fd = ::open((point_ / name).c_str(), flags | O_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), name);
  return File(fd);
}

void MountedProgram::keep_on(int processor) const {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  const std::filesystem::path tasks = "/proc/" + std::to_string(daemon_->pid()) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    ::sched_setaffinity(std::stoi(task.path().filename()), sizeof set, &set);
  }
}

std::string MountedProgram::log() const {
  std::ostringstream text;
  text << std::ifstream(dir_ / "log").rdbuf();
  return text.str();
}

}  // namespace comch::bench
