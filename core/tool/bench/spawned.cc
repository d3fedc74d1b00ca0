// Spawned: posix_spawnp() with a pipe.
#include "tool/bench/spawned.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace comch::tool {

Outcome<Spawned> spawn(const char* program, std::vector<std::string> words, Errors errors) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return complain("cannot make a pipe", Error{.code = Errc::operating_system, .sys = errno});
  }
  Spawned spawned{.output = Descriptor(ends[0])};
  const Descriptor writing(ends[1]);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  if (errors == Errors::kDropped) {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  const int error =
      ::posix_spawnp(&spawned.pid, program, &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return spawned;
  return complain(fmt::format("cannot run {}", program),
                  Error{.code = Errc::operating_system, .sys = error});
}

}  // namespace comch::tool
