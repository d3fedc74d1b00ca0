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

namespace {

// librdmacm keeps a device that was used open until the process ends: the device itself, and one
// descriptor for its events. More events than devices are of queues that were left.
void forgive_rdma_devices(std::map<int, std::string>& descriptors) {
  const auto devices = std::erase_if(descriptors, [](const auto& descriptor) {
    return descriptor.second.starts_with("/dev/infiniband/uverbs");
  });
  std::size_t events = 0;
  std::erase_if(descriptors, [&](const auto& descriptor) {
    return descriptor.second == "anon_inode:[infinibandevent]" && events++ < devices;
  });
}

}  // namespace

std::string left_behind(const Holdings& before, const Holdings& after) {
  std::ostringstream lines;
  std::map<int, std::string> left = after.descriptors;
  std::erase_if(left, [&](const auto& descriptor) {
    const auto known = before.descriptors.find(descriptor.first);
    return known != before.descriptors.end() && known->second == descriptor.second;
  });
  forgive_rdma_devices(left);
  for (const auto& [fd, target] : left) lines << "descriptor " << fd << " -> " << target << '\n';
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
