// Leaving the terminal; see background.h.
#include "background.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "comch/log.h"

namespace comch::fuse {
namespace {

// The code the child sends, or its own if it dies before it can.
[[noreturn]] void wait_for(pid_t child, int pipe_end) {
  unsigned char code = static_cast<unsigned char>(ExitCode::kSystem);
  if (read(pipe_end, &code, 1) != 1) {
    int status = 0;
    if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
      code = static_cast<unsigned char>(WEXITSTATUS(status));
    }
  }
  _exit(code);
}

void leave_terminal() {
  setsid();
  if (chdir("/") != 0) log(LogLevel::kWarning, "cannot leave the working directory");
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  close(null);
}

}  // namespace

Background Background::enter(bool foreground) {
  std::array<int, 2> ends{};
  if (foreground || pipe2(ends.data(), O_CLOEXEC) != 0) return {true, -1};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    return {false, ends[1]};
  }
  close(ends[1]);
  if (child > 0) wait_for(child, ends[0]);
  close(ends[0]);
  return {true, -1};
}

Background::Background(Background&& other) noexcept
    : foreground_(other.foreground_), parent_(std::exchange(other.parent_, -1)) {}

Background::~Background() {
  if (parent_ >= 0) ready(ExitCode::kSystem);
}

void Background::ready(ExitCode code) {
  if (code == ExitCode::kSuccess && !foreground_) leave_terminal();
  if (parent_ < 0) return;
  const auto byte = static_cast<unsigned char>(code);
  // A parent that is gone needs no answer.
  [[maybe_unused]] const ssize_t put = write(parent_, &byte, 1);
  close(std::exchange(parent_, -1));
}

void notify_supervisor(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::copy_n(path, std::strlen(path), address.sun_path);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // An abstract name.
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  // Best effort, as sd_notify(3) is: a supervisor that does not hear will time out.
  std::ignore = sendto(fd, state.data(), state.size(), MSG_NOSIGNAL,
                       reinterpret_cast<const sockaddr*>(&address), size);
  close(fd);
}

}  // namespace comch::fuse
