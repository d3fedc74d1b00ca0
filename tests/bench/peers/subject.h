// Subject: one thing the fast path is compared with, or the fast path itself, and the
// workloads it can do.
//
//   subjects.push_back(lane_subject<PipeLane>("pipe", kMessages));
//   subjects.push_back(absent("zeromq", kMessages, "libzmq3-dev"));
//   std::vector<Entry> entries = entries_of(subjects, milliseconds(60));
//
// An entry is a cell of the run, and what it measures. Entries of one workload follow each
// other, in the order of the subjects, so that what is compared is measured close together.
//
// Threads: a subject's measure() forks; one thread. Errors: as of Cell.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cell.h"
#include "bench/peers/lane.h"
#include "bench/peers/workload.h"
#include "bench/timing.h"

namespace comch::bench {

struct Subject {
  std::string name;  // One word, for the table, for --only and for goals.
  std::vector<Workload> workloads;
  // Nanoseconds, or messages a second.
  std::function<double(const Pair&, const Workload&, Duration)> measure;
};

template <class Lane>
Subject lane_subject(const std::string& name, const std::vector<Workload>& workloads) {
  return {.name = name, .workloads = workloads, .measure = measure<Lane>};
}

// One that this build or machine cannot measure, because a package was not there.
Subject absent(std::string name, std::vector<Workload> workloads, const std::string& package);

struct Entry {
  std::string subject;
  Workload workload;
  Cell cell;  // Its name is "WORKLOAD: SUBJECT".
};

std::string cell_name(const Workload& workload, std::string_view subject);
std::vector<Entry> entries_of(const std::vector<Subject>& subjects, Duration time);

}  // namespace comch::bench
