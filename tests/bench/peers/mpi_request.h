// MpiRequest: what fastpath_bench asks of each rank of fastpath_mpi, through a named pipe of
// that rank; rank 0 writes the figure, a double, into another one.
#pragma once

#include <array>
#include <type_traits>

#include "bench/peers/workload.h"
#include "bench/timing.h"

namespace comch::bench {

struct MpiRequest {
  bool go_on = false;  // False: end; the rest says nothing.
  int processor = 0;
  Workload workload;
  Duration duration{};
};
static_assert(std::is_trivially_copyable_v<MpiRequest>);

// Names in the directory that is the program's argument.
inline constexpr std::array<const char*, 2> kMpiRequests{"to-rank-0", "to-rank-1"};
inline constexpr const char* kMpiFigures = "figures";

}  // namespace comch::bench
