// comch_bench: what comch costs, beside what it could cost at best; README.md says how to read
// it.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "bench/cell_program.h"
#include "bench/many_connections.h"
#include "bench/plan.h"
#include "bench/steady_state.h"

namespace {

using namespace comch::bench;

// Where the build puts the programs, seen from this one.
Options options_for(const CellProgram& program) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  Options options{.cell = program.cell_time(),
                  .comchfs = here / "../../fuse/comchfs",
                  .bare_fuse = here / "bare_fuse"};
  if (program.is_smoke()) {
    options.idle_connections = 7;
    options.counted_round_trips = 1000;
  }
  return options;
}

Facts facts_for(const Options& options) {
  Facts facts = steady_state(options.counted_round_trips);
  std::ranges::move(memory_of_connections(options.idle_connections), std::back_inserter(facts));
  return facts;
}

Plan plan_for(const Options& options) {
  Plan plan{control_cells(options), control_goals(), [=] { return facts_for(options); }};
  std::ranges::move(file_cells(options), std::back_inserter(plan.cells));
  std::ranges::move(file_goals(), std::back_inserter(plan.goals));
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  CellProgram program("comch_bench",
                      "Measures comch beside bare shared memory, sockets and libfuse");
  return program.run(argc, argv, [&] { return plan_for(options_for(program)); });
}
