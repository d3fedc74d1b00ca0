// Process counters; each function reads one file or directory of /proc.
#include "support/process_counters.h"

#include <algorithm>
#include <fstream>
#include <ranges>
#include <sstream>
#include <system_error>

namespace comch::test {
namespace {

namespace stdfs = std::filesystem;

stdfs::path proc(pid_t pid) { return stdfs::path("/proc") / std::to_string(pid); }

template <class Each>
void for_each_line(const stdfs::path& file, const Each& each) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) each(line);
}

// A worker of an io_uring, which stays for some seconds when it has done its work.
bool is_of_the_kernel(const stdfs::path& task) {
  std::string name;
  for_each_line(task / "comm", [&](const std::string& line) { name = line; });
  return name.starts_with("iou-");
}

// Undoes the kernel's \040 for a space and its three relatives.
std::string unescape(const std::string& field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      text += static_cast<char>(std::stoi(field.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      text += field[i];
    }
  }
  return text;
}

}  // namespace

std::map<int, std::string> open_descriptors(pid_t pid) {
  std::map<int, std::string> found;
  std::error_code error;
  const stdfs::path own = proc(pid) / "fd";
  for (const auto& entry : stdfs::directory_iterator(own, error)) {
    const stdfs::path target = stdfs::read_symlink(entry.path(), error);
    // The descriptor this very loop reads through is not one the process holds.
    if (error || target == own) continue;
    found.emplace(std::stoi(entry.path().filename().string()), target.string());
  }
  return found;
}

std::size_t mappings(const std::string& text, pid_t pid) {
  std::size_t count = 0;
  for_each_line(proc(pid) / "maps",
                [&](const std::string& line) { count += line.find(text) != std::string::npos; });
  return count;
}

std::vector<pid_t> children(pid_t pid) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& task : stdfs::directory_iterator(proc(pid) / "task", error)) {
    std::ifstream in(task.path() / "children");
    for (pid_t child = 0; in >> child;) found.push_back(child);
  }
  return found;
}

std::size_t threads(pid_t pid) {
  std::error_code error;
  return static_cast<std::size_t>(
      std::ranges::count_if(stdfs::directory_iterator(proc(pid) / "task", error),
                            [](const auto& task) { return !is_of_the_kernel(task.path()); }));
}

std::size_t resident_bytes(pid_t pid) {
  std::size_t kib = 0;
  for_each_line(proc(pid) / "status", [&](const std::string& line) {
    if (line.starts_with("VmRSS:")) kib = std::stoul(line.substr(6));
  });
  return kib * 1024;
}

std::vector<std::string> mounts_under(const stdfs::path& directory) {
  const std::string root = directory.string();
  std::vector<std::string> found;
  for_each_line("/proc/self/mountinfo", [&](const std::string& line) {
    std::istringstream fields(line);
    std::string point;
    for (int i = 0; i < 5; ++i) fields >> point;  // The fifth is the mount point.
    point = unescape(point);
    if (point == root || point.starts_with(root + "/")) found.push_back(point);
  });
  return found;
}

}  // namespace comch::test
