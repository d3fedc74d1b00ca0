// What a relacy model explores: its tests, each in full or at random, by name.
//
//   int main(int count, char** arguments) {
//     return explore<InFull<"two slots, in full", RingModel<TwoSlots>>,
//                    AtRandom<"three slots", RingModel<ThreeSlots>>>(count, arguments, 100'000);
//   }
//
// A program with a planted mistake (EXPECT_KILLED) has FOUND_BY, too: the name of the exploration
// that must find it (meson.build). No other is compiled, for that is what takes its time; without
// FOUND_BY all are, in their order, which shows the one to name for a new mistake.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string_view>

#include "relacy_machine.h"

namespace comch::model {

template <std::size_t kSize>
struct Name {
  consteval Name(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
  char text[kSize];
};

template <Name kNamed, class Tested, rl::scheduler_type_e kSearched,
          template <rl::thread_id_t> class Searching, unsigned kMostPreemptions = 0>
struct Exploration {
  static constexpr std::string_view kName = kNamed.text;
  static constexpr rl::scheduler_type_e kSearch = kSearched;
  static constexpr unsigned kPreemptions = kMostPreemptions;
  using Test = Tested;
  using Scheduler = Searching<Test::params::thread_count>;
};

// All interleavings; all with at most so many preemptions; as many as main() says.
template <Name kName, class Test>
using InFull = Exploration<kName, Test, rl::sched_full, rl::full_search_scheduler>;
template <Name kName, class Test, unsigned kPreemptions>
using Bounded =
    Exploration<kName, Test, rl::sched_bound, rl::context_bound_scheduler, kPreemptions>;
template <Name kName, class Test>
using AtRandom = Exploration<kName, Test, rl::sched_random, rl::random_scheduler>;

template <class Exploration>
constexpr bool is_wanted() {
#ifdef FOUND_BY
  return Exploration::kName == FOUND_BY;
#else
  return true;
#endif
}

// As rl::simulate, which would compile the test for every scheduler there is: where it fails, it
// does so once more and tells how.
template <class Exploration>
void run(rl::test_params& params) {
  using Test = typename Exploration::Test;
  using Scheduler = typename Exploration::Scheduler;
  rl::ostringstream state;
  rl::run_test<Test, Scheduler>(params, state, false);
#ifndef EXPECT_KILLED
  if (params.test_result == rl::test_result_success) return;
  params.initial_state = state.str();
  params.collect_history = true;
  rl::run_test<Test, Scheduler>(params, state, true);
#endif
}

template <class Exploration>
bool holds(rl::iteration_t random) {
  if constexpr (is_wanted<Exploration>()) {
    std::ostream silent(nullptr);
    rl::test_params params;
    params.search_type = Exploration::kSearch;
    params.iteration_count = Exploration::kSearch == rl::sched_random ? random : 1'000'000'000;
    params.context_bound = Exploration::kPreemptions;
    params.execution_depth_limit = 20'000;
    params.progress_stream = &silent;
    run<Exploration>(params);
    const bool held = params.test_result == rl::test_result_success;
    std::cout << Exploration::kName << ": "
              << (held ? "holds" : rl::test_result_str(params.test_result)) << " after "
              << params.stop_iteration << " executions\n";
    return held;
  }
  return true;
}

// What main() of a model answers: the real code must hold, a planted mistake must not. An argument
// is how many interleavings are tried at random, in place of `random`.
template <class... Explorations>
int explore(int count, char** arguments, rl::iteration_t random) {
  if (count > 1) random = std::strtoul(arguments[1], nullptr, 10);
  const bool held = (holds<Explorations>(random) && ...);
#ifdef FOUND_BY
  static_assert((is_wanted<Explorations>() + ...) == 1, "FOUND_BY names no exploration");
#endif
#ifdef EXPECT_KILLED
  std::cout << (held ? "the planted mistake SURVIVED\n" : "the planted mistake was found\n");
  return held ? 1 : 0;
#else
  return held ? 0 : 1;
#endif
}

}  // namespace comch::model
