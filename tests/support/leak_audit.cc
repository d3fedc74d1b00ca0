// LeakAudit: the comparison; leak_audit_listener.cc hooks it into gtest.
#include "support/leak_audit.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/process_counters.h"

namespace comch::test {

Holdings Holdings::now() {
  return {.descriptors = open_descriptors(),
          .children = test::children(),
          .threads = test::threads(),
          .mounts = mounts_under(std::filesystem::temp_directory_path())};
}

std::string left_behind(const Holdings& before, const Holdings& after) {
  std::ostringstream lines;
  for (const auto& [fd, target] : after.descriptors) {
    const auto known = before.descriptors.find(fd);
    if (known == before.descriptors.end() || known->second != target)
      lines << "descriptor " << fd << " -> " << target << '\n';
  }
  for (const int child : after.children)
    if (std::ranges::find(before.children, child) == before.children.end())
      lines << "child process " << child << '\n';
  if (after.threads > before.threads)
    lines << after.threads - before.threads << " more threads than before\n";
  for (const std::string& mount : after.mounts)
    if (std::ranges::find(before.mounts, mount) == before.mounts.end())
      lines << "mount on " << mount << '\n';
  return lines.str();
}

}  // namespace comch::test
