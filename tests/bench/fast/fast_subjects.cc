// Fast subjects: which of them does what.
#include "bench/fast/fast_subjects.h"

#include <initializer_list>

#include "bench/fast/array_lane.h"
#include "bench/fast/hand_over_lane.h"
#include "bench/fast/loan_lane.h"
#include "bench/fast/producers_lane.h"
#include "bench/fast/task_lane.h"
#include "bench/fast/view_lane.h"
#if COMCH_BENCH_URING
#include "bench/fast/ring_view_lane.h"
#endif

namespace comch::bench {
namespace {

constexpr std::uint32_t kDeep = 256;
constexpr std::uint32_t kDeepest = 1024;
constexpr std::uint32_t kShallow = 16;

std::vector<Workload> of(std::initializer_list<Workload> workloads, std::size_t largest) {
  std::vector<Workload> chosen;
  for (const Workload& workload : workloads) {
    if (workload.bytes <= largest) chosen.push_back(workload);
  }
  return chosen;
}

// The library takes part where it is built.
void add_rings(std::vector<Subject>& all) {
  using enum Shape;
  const std::vector<Workload> workloads{{kRoundTrip, 64}, {kOneWay, 64}, {kBatched, 64}};
#if COMCH_BENCH_URING
  all.push_back(lane_subject<RingLane<kDeep>>("comch_ring", workloads));
  all.push_back(lane_subject<RingLane<kDeepest>>("comch_ring_1024", {{kBatched, 64}}));
  all.push_back(lane_subject<RingViewLane<kDeep>>("comch_ring_view", workloads));
#else
  all.push_back(absent("comch_ring", workloads, "liburing-dev"));
#endif
}

}  // namespace

std::vector<Subject> fast_subjects(std::size_t largest) {
  using enum Shape;
  const auto large =
      of({{kOneWay, 64 * kKib}, {kOneWay, kMib}, {kOneWay, 16 * kMib}, {kOneWay, kGib}}, largest);
  const auto all = of({{kRoundTrip, 8},
                       {kRoundTrip, 64},
                       {kOneWay, 64},
                       {kOneWay, 4 * kKib},
                       {kOneWay, 64 * kKib},
                       {kOneWay, kMib},
                       {kOneWay, 16 * kMib},
                       {kOneWay, kGib}},
                      largest);
  const auto read = of({{kRead, 64 * kKib}, {kRead, kMib}}, largest);
  const auto in_place =
      of({{kInPlace, 4 * kKib}, {kInPlace, 64 * kKib}, {kInPlace, kMib}, {kInPlace, 16 * kMib}},
         largest);
  std::vector<Subject> subjects = {
      lane_subject<ArrayLane<kDeep>>(
          "comch_array",
          {{kRoundTrip, 8}, {kRoundTrip, 64}, {kOneWay, 64}, {kOneWay, 4 * kKib}, {kBatched, 64}}),
      lane_subject<ViewLane<kDeep>>(
          "comch_view", {{kRoundTrip, 8}, {kRoundTrip, 64}, {kOneWay, 64}, {kBatched, 64}}),
      lane_subject<TaskLane<kDeep, false>>("comch_task", joined(all, read)),
      lane_subject<TaskLane<kShallow, false>>("comch_task_16", {{kOneWay, 64}}),
      lane_subject<TaskLane<kDeep, false, DataWay::kAuto, Handing::kEach>>("comch_task_each",
                                                                           {{kOneWay, 64}}),
      lane_subject<ProducersLane<2, kDeep>>("comch_producers_2", {{kOneWay, 64}}),
      lane_subject<ProducersLane<3, kDeep>>("comch_producers_3", {{kOneWay, 64}}),
      lane_subject<ProducersLane<4, kDeep>>("comch_producers_4", {{kOneWay, 64}}),
      lane_subject<TaskLane<kDeep, true>>("comch_shared", joined(large, read)),
      lane_subject<TaskLane<kDeep, false, DataWay::kStaged>>("comch_staged", large),
      lane_subject<TaskLane<kDeep, false, DataWay::kCma>>("comch_cma", large),
      lane_subject<LoanLane>("comch_loan", in_place),
      lane_subject<HandOverLane>("comch_hand_over", in_place),
  };
  add_rings(subjects);
  return subjects;
}

}  // namespace comch::bench
