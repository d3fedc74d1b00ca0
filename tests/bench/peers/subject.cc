// Subject: a cell for each workload that it can do.
#include "bench/peers/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace comch::bench {
namespace {

// Each once, in the order in which the subjects name them.
std::vector<Workload> workloads_of(const std::vector<Subject>& subjects) {
  std::vector<Workload> all;
  for (const Subject& subject : subjects) {
    for (const Workload& workload : subject.workloads) {
      if (std::ranges::find(all, workload) == all.end()) all.push_back(workload);
    }
  }
  std::ranges::sort(all, [](const Workload& a, const Workload& b) {
    return std::pair(a.shape, a.bytes) < std::pair(b.shape, b.bytes);
  });
  return all;
}

Entry entry_of(const Subject& subject, const Workload& workload, Duration time) {
  const auto measure = [measure = subject.measure, workload, time](const Pair& pair) {
    return figure_in_unit(workload, measure(pair, workload, time));
  };
  return {.subject = subject.name,
          .workload = workload,
          .cell = {.name = cell_name(workload, subject.name),
                   .unit = std::string(unit_of(workload)),
                   .placed = true,
                   .measure = measure}};
}

}  // namespace

Subject absent(std::string name, std::vector<Workload> workloads, const std::string& package) {
  return {
      .name = std::move(name),
      .workloads = std::move(workloads),
      .measure = [why = "absent: install " + package](
                     const Pair&, const Workload&, Duration) -> double { throw Unavailable(why); }};
}

std::string cell_name(const Workload& workload, std::string_view subject) {
  return fmt::format("{}: {}", name_of(workload), subject);
}

std::vector<Entry> entries_of(const std::vector<Subject>& subjects, Duration time) {
  std::vector<Entry> entries;
  for (const Workload& workload : workloads_of(subjects)) {
    for (const Subject& subject : subjects) {
      if (std::ranges::find(subject.workloads, workload) == subject.workloads.end()) continue;
      entries.push_back(entry_of(subject, workload, time));
    }
  }
  return entries;
}

}  // namespace comch::bench
