// Shell: a process group per script, so that what hangs is ended as a whole.
#include "shell.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "support/temp_dir.h"

namespace comch::test {
namespace {

int become(const std::filesystem::path& directory, const std::string& output,
           const char* interpreter, const std::string& script) {
  ::setpgid(0, 0);
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (in < 0 || out < 0 || ::dup2(in, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(out, STDERR_FILENO) < 0 || ::chdir(directory.c_str()) != 0)
    return 126;
  ::execl(interpreter, interpreter, "-c", script.c_str(), nullptr);
  return 127;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Said& said) {
  return out << said.exit << ", output \"" << said.output << '"';
}

Said shell(const std::filesystem::path& directory, const std::string& script,
           const Deadline& deadline, const char* interpreter) {
  const TempDir dir;
  const std::string output = dir / "output";
  ChildProcess process =
      ChildProcess::run([&] { return become(directory, output, interpreter, script); });
  ::setpgid(process.pid(), process.pid());  // Whichever of the two comes first.
  auto exit = process.wait(deadline);
  if (!exit) {
    ::kill(-process.pid(), SIGKILL);
    exit = process.wait();
  }
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  return {.exit = exit.value_or(Exit::by_signal(SIGKILL)), .output = text.str()};
}

bool has_program(const std::string& name) {
  return shell("/", "command -v " + name + " >/dev/null").exit == Exit::with(0);
}

}  // namespace comch::test
