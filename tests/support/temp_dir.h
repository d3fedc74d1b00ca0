// TempDir: a directory of one test's own, gone when the test is.
//
//   TempDir dir;
//   std::ofstream(dir / "devices.toml") << text;
//
// RuntimeDirectory is one that comch also meets in: it sets COMCH_RUNTIME_DIR, so that
// servers of tests that run side by side never see each other.
//
// Threads: make and drop a RuntimeDirectory while no other thread reads the environment.
// Lifetime: everything below the path is removed by the destructor; mounts are not, and a
// mount left there is what LeakAudit and tests/run report.
// Errors: std::runtime_error, because a test without its directory cannot go on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comch::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  // The names in it, sorted; a test that says "nothing is left" compares this with {}.
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

class RuntimeDirectory {
 public:
  RuntimeDirectory();
  ~RuntimeDirectory();  // The variable gets its former value back.

  const std::filesystem::path& path() const { return dir_.path(); }
  std::vector<std::string> entries() const { return dir_.entries(); }

 private:
  TempDir dir_;
  std::optional<std::string> former_;
};

}  // namespace comch::test
