// Goals of the fast path, one line each. The floors were measured on a prototype; the subjects
// that begin with "comch" are the fast path's cells:
//
//   comch_array      submits and polls arrays of messages
//   comch_view       the same, messages looked at where they lie
//   comch_task       a task and a callback for each message, depth 256, nobody helps copying;
//                    small ones one way are submitted as those of which more are to come
//   comch_task_16    the same at depth 16
//   comch_producers_2, _3, _4    so many producers to one consumer, the same, in total
//   comch_shared     the same, sender and receiver copy together
//   comch_loan       builds messages in the receiver's buffers
//   comch_hand_over  has messages read where they are, and given back
//   comch_ring       submits and reaps through comch-uring
//   comch_ring_view  the same, messages looked at where they lie
#include "bench/peers/goal.h"

#include <fmt/format.h>

#include <utility>

namespace comch::bench {
namespace {

constexpr Workload kWord{Shape::kRoundTrip, 8};
constexpr Workload kLine{Shape::kRoundTrip, 64};
constexpr Workload kStream{Shape::kOneWay, 64};
constexpr Workload kBatches{Shape::kBatched, 64};
constexpr Workload kPages{Shape::kOneWay, 4 * kKib};
constexpr Workload kBlocks{Shape::kOneWay, 64 * kKib};
constexpr Workload kLarge{Shape::kOneWay, kMib};
constexpr Workload kBlocksRead{Shape::kRead, 64 * kKib};
constexpr Workload kLargeRead{Shape::kRead, kMib};
constexpr Workload kHuge{Shape::kOneWay, 16 * kMib};
constexpr Workload kWhole{Shape::kOneWay, kGib};
constexpr Workload kLoans{Shape::kInPlace, kMib};
constexpr Workload kSmallLoans{Shape::kInPlace, 4 * kKib};
constexpr Workload kHugeLoans{Shape::kInPlace, 16 * kMib};

std::vector<CellName> packaged_peers(const Workload& workload) {
  std::vector<CellName> peers;
  for (const char* name :
       {"ucx_put", "ucx_put_flag", "ucx_am", "iceoryx", "zeromq", "openmpi", "seqpacket", "pipe"}) {
    peers.push_back({workload, name});
  }
  return peers;
}

std::vector<CellName> copies(const Workload& workload) {
  const Workload copy{Shape::kCopy, workload.bytes};
  return {{copy, "memcpy"}, {copy, "rep_movsb"}, {copy, "non_temporal"}};
}

// What is held against a put: first the one that sends nothing but the message, and then the one
// that says when it is there.
std::vector<FastGoal> with_flags(std::vector<FastGoal> goals) {
  std::vector<FastGoal> all;
  for (FastGoal& goal : goals) {
    all.push_back(goal);
    if (goal.to.size() != 1 || goal.to.front().subject != "ucx_put") continue;
    goal.to.front().subject = "ucx_put_flag";
    all.push_back(std::move(goal));
  }
  return all;
}

}  // namespace

std::vector<FastGoal> fast_goals() {
  return with_flags({
      {{kWord, "comch_array"}, {{kWord, "slot_ring"}}, at_most(1.25)},
      {{kWord, "comch_task"}, {{kWord, "slot_ring"}}, at_most(1.45)},
      {{kWord, "comch_array"}, packaged_peers(kWord), at_most(1)},
      {{kLine, "comch_array"}, {{kLine, "slot_ring"}}, at_most(1.25)},
      {{kLine, "comch_task"}, {{kLine, "slot_ring"}}, at_most(1.45)},
      {{kLine, "comch_array"}, packaged_peers(kLine), at_most(1)},

      // Like with like: caches are why the bare ring, too, is slower at depth 256.
      {{kStream, "comch_task"}, {{kStream, "slot_ring_256"}}, at_least(0.6)},
      {{kStream, "comch_task"}, {{kStream, "ucx_put"}}, at_least(1.5)},
      {{kStream, "comch_task_16"}, {{kStream, "slot_ring"}}, at_least(0.4)},
      {{kStream, "comch_producers_2"}, {{kStream, "comch_task"}}, at_least(0.9)},
      {{kStream, "comch_producers_3"}, {{kStream, "comch_task"}}, at_least(0.9)},
      {{kBatches, "comch_array"}, {}, at_least(85)},
      {{kBatches, "comch_array"}, {{kBatches, "index_ring"}}, at_least(0.25)},
      {{kBatches, "comch_array"}, {{kStream, "ucx_put"}}, at_least(2)},
      {{kBatches, "comch_view"}, {{kBatches, "index_ring"}}, at_least(0.4)},
      {{kBatches, "comch_view"}, {{kStream, "ucx_put"}}, at_least(3)},

      {{kLine, "comch_ring"}, {{kLine, "slot_ring"}}, at_most(1.25)},
      {{kBatches, "comch_ring"}, {{kBatches, "index_ring"}}, at_least(0.3)},
      {{kBatches, "comch_ring"}, {{kStream, "ucx_put"}}, at_least(2)},
      {{kBatches, "comch_ring_view"}, {{kBatches, "index_ring"}}, at_least(0.4)},
      {{kBatches, "comch_ring_view"}, {{kStream, "ucx_put"}}, at_least(3)},

      {{kPages, "comch_task"}, {{kPages, "one_copy"}}, at_least(0.9)},
      {{kPages, "comch_task"}, {{kPages, "ucx_put"}}, at_least(1)},
      {{kBlocks, "comch_task"}, {{kBlocks, "one_copy"}}, at_least(0.9)},
      {{kBlocks, "comch_shared"}, {{kBlocks, "ucx_put"}}, at_least(1)},
      {{kLarge, "comch_task"}, {{kLarge, "one_copy"}}, at_least(0.9)},
      {{kLarge, "comch_shared"}, {{kLarge, "ucx_put"}}, at_least(1.6)},
      // What is not read has hardly left its sender's cache. One that reads all the time has none
      // to help with copies.
      {{kBlocksRead, "comch_task"}, {{kBlocksRead, "one_copy"}}, at_least(0.9)},
      {{kBlocksRead, "comch_task"}, {{kBlocksRead, "ucx_put"}}, at_least(1)},
      {{kLargeRead, "comch_task"}, {{kLargeRead, "one_copy"}}, at_least(0.9)},
      {{kLargeRead, "comch_task"}, {{kLargeRead, "ucx_put"}}, at_least(1)},
      {{kHuge, "comch_task"}, copies(kHuge), at_least(0.9)},
      {{kWhole, "comch_task"}, copies(kWhole), at_least(0.9)},

      {{kLoans, "comch_loan"}, {{kLoans, "in_place"}}, at_least(0.8)},
      {{kLoans, "comch_loan"}, {{kLoans, "iceoryx"}}, at_least(5)},
      // The rate does not depend on the size; picked: what noise may take from that.
      {{kHugeLoans, "comch_loan"}, {{kSmallLoans, "comch_loan"}}, at_least(0.9)},
      {{kLoans, "comch_hand_over"}, {{kLoans, "in_place"}}, at_least(0.8)},
      {{kLoans, "comch_hand_over"}, {{kLoans, "iceoryx"}}, at_least(5)},
      {{kHugeLoans, "comch_hand_over"}, {{kSmallLoans, "comch_hand_over"}}, at_least(0.9)},
  });
}

std::string name_of(const FastGoal& goal) {
  const auto of = fmt::format("{}: {}", name_of(goal.of.workload), goal.of.subject);
  if (goal.to.empty()) return fmt::format("{}, {}", of, unit_of(goal.of.workload));
  const CellName& to = goal.to.front();
  if (goal.to.size() > 1) {
    return fmt::format("{} to the best of {}, ...", of, to.subject);
  }
  if (to.workload == goal.of.workload) return fmt::format("{} to {}", of, to.subject);
  return fmt::format("{} to {}: {}", of, name_of(to.workload), to.subject);
}

}  // namespace comch::bench
