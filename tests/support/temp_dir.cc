// TempDir and RuntimeDirectory; temp_dir.h says what they promise.
#include "support/temp_dir.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <tuple>

#include "support/deadline.h"

namespace comch::test {
namespace {

constexpr const char* kVariable = "COMCH_RUNTIME_DIR";

std::filesystem::path make_directory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "comch-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), pattern);
  return pattern;
}

}  // namespace

TempDir::TempDir() : path_(make_directory()) {}

// A process that has just been told to end takes its own files away, and whoever removes them in
// the meantime misses some. What cannot be removed is reported by the audit of the run.
TempDir::~TempDir() {
  std::ignore = eventually(
      [this] {
        std::error_code failed;
        std::filesystem::remove_all(path_, failed);
        return !failed;
      },
      Deadline(std::chrono::seconds(1)));
}

std::vector<std::string> TempDir::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

RuntimeDirectory::RuntimeDirectory() {
  if (const char* value = std::getenv(kVariable)) former_ = value;
  ::setenv(kVariable, dir_.path().c_str(), 1);
}

RuntimeDirectory::~RuntimeDirectory() {
  if (former_)
    ::setenv(kVariable, former_->c_str(), 1);
  else
    ::unsetenv(kVariable);
}

}  // namespace comch::test
