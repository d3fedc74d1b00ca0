// Limits: which of them does what.
#include "bench/limits/limits.h"

#include <algorithm>
#include <stdexcept>

#include "bench/limits/copy_routine.h"
#include "bench/limits/in_place_ring.h"
#include "bench/limits/index_ring.h"
#include "bench/limits/one_copy_ring.h"
#include "bench/limits/shared_copy_ring.h"
#include "bench/limits/slot_ring.h"

namespace comch::bench {
namespace {

template <std::uint64_t kSlots>
double slot_ring(const Pair& pair, const Workload& workload, Duration duration) {
  switch (workload.bytes) {
    case sizeof(WordSlot::Message):
      return measure<SlotRing<WordSlot, kSlots>>(pair, workload, duration);
    case sizeof(Message):
      return measure<SlotRing<BareSlot, kSlots>>(pair, workload, duration);
    default:
      throw std::logic_error("a slot of this size does not exist");
  }
}

// Copies a second, between as many buffers as OneCopyRing has.
double copies(CopyRoutine routine, std::size_t bytes, Duration duration) {
  const std::size_t slots = ring_slots(bytes);
  const Buffers source(1, bytes);
  const Buffers target(slots, bytes);
  source.populate();
  target.populate();
  std::size_t next = 0;
  const auto copy = [&] { routine(target[next++ % slots].data(), source[0].data(), bytes); };
  return 1e9 / median_ns(duration, copy, static_cast<int>(burst_of({Shape::kCopy, bytes})));
}

Subject copying(const char* name, CopyRoutine routine, std::vector<Workload> workloads) {
  return {.name = name,
          .workloads = std::move(workloads),
          .measure = [routine](const Pair& pair, const Workload& workload, Duration duration) {
            if (routine != copy_by_memcpy && !kHasCopyInstructions) {
              throw Unavailable("not an instruction of this processor");
            }
            return measure_on(pair.asker,
                              [&] { return copies(routine, workload.bytes, duration); });
          }};
}

std::vector<Workload> of_shape(Shape shape, const std::vector<std::size_t>& sizes,
                               std::size_t largest) {
  std::vector<Workload> workloads;
  for (const std::size_t bytes : sizes) {
    if (bytes <= largest) workloads.push_back({shape, bytes});
  }
  return workloads;
}

}  // namespace

std::vector<Subject> limits(std::size_t largest) {
  const auto of = [&](Shape shape, const std::vector<std::size_t>& sizes) {
    return of_shape(shape, sizes, largest);
  };
  const auto read = of(Shape::kRead, {64 * kKib, kMib});
  const auto copy = of(Shape::kCopy, {4 * kKib, 64 * kKib, kMib, 16 * kMib, kGib});
  const auto in_place = of(Shape::kInPlace, {4 * kKib, 64 * kKib, kMib, 16 * kMib});
  return {
      {"slot_ring",
       {{Shape::kRoundTrip, 8}, {Shape::kRoundTrip, 64}, {Shape::kOneWay, 64}},
       slot_ring<64>},
      {"slot_ring_256", {{Shape::kOneWay, 64}}, slot_ring<256>},
      lane_subject<IndexRing>("index_ring", {{Shape::kBatched, 64}}),
      lane_subject<OneCopyRing>(
          "one_copy",
          joined(of(Shape::kOneWay, {4 * kKib, 64 * kKib, kMib, 16 * kMib, kGib}), read)),
      lane_subject<SharedCopyRing>(
          "shared_copy", joined(of(Shape::kOneWay, {64 * kKib, kMib, 16 * kMib, kGib}), read)),
      lane_subject<InPlaceRing<2>>("in_place", in_place),
      lane_subject<InPlaceRing<16>>("in_place_16", in_place),
      copying("memcpy", copy_by_memcpy, copy),
      copying("rep_movsb", copy_by_string_move, copy),
      copying("non_temporal", copy_past_cache, copy),
  };
}

}  // namespace comch::bench
