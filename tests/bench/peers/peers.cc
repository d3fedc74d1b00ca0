// Peers: which of them this build has, and what each of them can do.
#include "bench/peers/peers.h"

namespace comch::bench {
namespace {

constexpr Workload one_way(std::size_t bytes) { return {Shape::kOneWay, bytes}; }

std::vector<Workload> small_and_large() {
  return {{Shape::kRoundTrip, 8}, {Shape::kRoundTrip, 64}, one_way(64),
          one_way(4 * kKib),      one_way(64 * kKib),      one_way(kMib)};
}

std::vector<Workload> of_ucx() { return joined(small_and_large(), {one_way(16 * kMib)}); }

std::vector<Workload> of_ucx_put() {
  return joined(of_ucx(), {{Shape::kRead, 64 * kKib}, {Shape::kRead, kMib}});
}

std::vector<Workload> of_iceoryx() {
  std::vector<Workload> in_place;
  for (const std::size_t bytes : {4 * kKib, 64 * kKib, kMib, 16 * kMib}) {
    in_place.push_back({Shape::kInPlace, bytes});
  }
  return joined(small_and_large(), in_place);
}

void add_ucx(std::vector<Subject>& all) {
#if COMCH_BENCH_UCX
  all.push_back(ucx_put(of_ucx_put()));
  all.push_back(ucx_put_flag(of_ucx_put()));
  all.push_back(ucx_am(of_ucx()));
#else
  all.push_back(absent("ucx_put", of_ucx_put(), "libucx-dev"));
  all.push_back(absent("ucx_put_flag", of_ucx_put(), "libucx-dev"));
  all.push_back(absent("ucx_am", of_ucx(), "libucx-dev"));
#endif
}

Subject iceoryx_or_absent() {
#if COMCH_BENCH_ICEORYX
  return iceoryx(of_iceoryx());
#else
  return absent("iceoryx", of_iceoryx(), "libiceoryx-posh-dev and libacl1-dev");
#endif
}

Subject zeromq_or_absent() {
#if COMCH_BENCH_ZEROMQ
  return zeromq(small_and_large());
#else
  return absent("zeromq", small_and_large(), "libzmq3-dev");
#endif
}

Subject openmpi_or_absent([[maybe_unused]] const std::filesystem::path& programs) {
#if COMCH_BENCH_OPENMPI
  return openmpi(small_and_large(), programs);
#else
  return absent("openmpi", small_and_large(), "libopenmpi-dev and openmpi-bin");
#endif
}

}  // namespace

std::vector<Subject> peers(const std::filesystem::path& programs) {
  std::vector<Subject> all;
  add_ucx(all);
  all.push_back(iceoryx_or_absent());
  all.push_back(zeromq_or_absent());
  all.push_back(openmpi_or_absent(programs));
  all.push_back(seqpacket(small_and_large()));
  all.push_back(pipe(small_and_large()));
  return all;
}

}  // namespace comch::bench
