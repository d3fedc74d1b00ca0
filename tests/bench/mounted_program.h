// MountedProgram: a file system's daemon on a mount point of its own, kept on one processor
// together with who uses it: a synchronous operation is fastest there.
//
//   MountedProgram tree(program, {"-f"}, "version");
//   const Descriptor file = tree.open("servers/echo/ctl", O_WRONLY);
//
// Threads: forks. Lifetime: unmounts, and waits for the daemon to end.
// Errors: std::runtime_error with what the daemon said; std::system_error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::bench {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&&) = delete;
  ~File();

  // One system call each, which must take, or give, exactly so much.
  void write(const std::string& bytes) const;
  void read(std::string& bytes) const;

 private:
  int fd_;
};

class MountedProgram {
 public:
  // `arguments` come between the program and the mount point; `first` is a file that is there
  // once the tree answers.
  MountedProgram(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::string& first);
  ~MountedProgram();
  MountedProgram(const MountedProgram&) = delete;
  MountedProgram& operator=(const MountedProgram&) = delete;

  // Why this machine cannot mount; nothing when it may try.
  static std::optional<std::string> unavailable(const std::filesystem::path& program);

  std::filesystem::path operator/(const std::string& name) const { return point_ / name; }
  File open(const std::string& name, int flags) const;
  void keep_on(int processor) const;

 private:
  std::string log() const;

  test::TempDir dir_;
  std::filesystem::path point_;
  std::optional<test::ChildProcess> daemon_;
};

}  // namespace comch::bench
