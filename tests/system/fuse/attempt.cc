// Attempt: a child, and a pipe for what its call said.
#include "attempt.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace comch::test {
namespace {

std::string contents(pid_t pid, const char* name) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(pid) + "/" + name).rdbuf();
  return text.str();
}

// In the child: the error, then the bytes; the end of the pipe ends them.
void tell(const File& pipe, const Got& said) {
  std::string message(sizeof said.error, '\0');
  std::memcpy(message.data(), &said.error, sizeof said.error);
  message += said.bytes;
  for (std::string_view rest = message; !rest.empty();) {
    const ssize_t size = ::write(pipe.fd(), rest.data(), rest.size());
    if (size < 0) return;
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
}

}  // namespace

char state_of(pid_t pid) {
  const std::string stat = contents(pid, "stat");
  const std::size_t name_end = stat.rfind(") ");
  return name_end == std::string::npos ? '\0' : stat.at(name_end + 2);
}

bool sleeps_in(pid_t pid, long system_call, const Deadline& deadline) {
  const std::string number = std::to_string(system_call) + " ";
  return eventually(
      [&] { return state_of(pid) == 'S' && contents(pid, "syscall").starts_with(number); },
      deadline);
}

void interrupt_on(int signal) {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ::sigaction(signal, &action, nullptr);
}

Attempt::Pipe Attempt::pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  return {File::adopt(ends[0]), File::adopt(ends[1])};
}

Attempt::Attempt(Pipe pipe, const std::function<Got()>& call)
    : answer_(std::move(pipe.out)), process_(ChildProcess::run([&] {
        answer_.close();
        tell(pipe.in, call());
        return 0;
      })) {}

Got Attempt::result(const Deadline& deadline) const {
  std::string message;
  for (;;) {
    const Got part = answer_.wait_and_read(File::kRoom, deadline);
    if (part.error != 0) return part;
    if (part.bytes.empty()) break;
    message += part.bytes;
  }
  Got said;
  if (message.size() < sizeof said.error) return failed(ESRCH);
  std::memcpy(&said.error, message.data(), sizeof said.error);
  said.bytes = message.substr(sizeof said.error);
  return said;
}

}  // namespace comch::test
