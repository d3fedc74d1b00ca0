// hostile_posted_fuzz: a PostedRing whose consumer is the fuzzer.
//
// What a producer gets from the ring is a range that it will write to: it must lie in the
// memory map, and be what was checked. POSTED_HEADER names the header under test, which may have
// a planted mistake (see plant.py).
#ifndef POSTED_HEADER
#define POSTED_HEADER "shm/posted_ring.h"
#endif
#include POSTED_HEADER

#include <algorithm>

#include "hostile_words.h"

namespace comch::fuzz {
namespace {

using shm::Look;

constexpr std::uint32_t kSlots = 8;
constexpr std::uint64_t kMap = 10'000;

std::uint32_t position = 0;

std::uint64_t posted_word(std::size_t offset) {
  if (offset % shm::kPostedSize == 0) {
    return input.take<std::uint8_t>() % 4 == 0 ? ~0ULL : input.near(kMap / 2);
  }
  const std::uint64_t generation = (position / kSlots + 1) & 0xffU;
  const std::uint64_t capacity =
      input.take<std::uint8_t>() % 2 == 0 ? input.near(kMap / 2) : input.take<std::uint8_t>() % 4U;
  return (input.take<std::uint8_t>() % 4 == 0 ? input.near(generation) & 0xffU : generation) |
         std::uint64_t{input.take<std::uint8_t>()} << 8U | capacity << 24U;
}

std::uint64_t run_word(std::size_t) {
  const std::uint64_t end = input.near(position + 2) & 0xffffffffU;
  return end | std::uint64_t{input.take<std::uint8_t>()} << 32U |
         std::uint64_t{input.take<std::uint8_t>()} << 48U;
}

// Whatever the word says: a position is covered if it is among the newest, and no other is.
void fuzz_run(const shm::PostedReader<HostileMachine>& reader, Region& region) {
  region.begin();
  const shm::PostedRun<> run = reader.run();
  const std::uint64_t word = region.told(0);
  const auto left = static_cast<std::uint32_t>(word) - position;
  require(run.behind(position) == left, "what is posted is the distance to the end");
  require(run.covers(position) == (left != 0 && left <= (word >> 32U & 0xffffU)),
          "a run covers what is posted and not older than its length");
  require(run.room() == std::min(word >> 48U, shm::PostedRun<>::kMostRoom),
          "the room is what the word says, and never more than a slot has");
  require(reader.slots_from(position)[0] < kSlots, "an index is a slot");
}

void fuzz_reader() {
  Region ring{.size = kSlots * std::size_t{shm::kPostedSize}, .answer = posted_word};
  Region run{.size = 8, .answer = run_word};
  const shm::PostedReader<HostileMachine> reader(&run, &ring, kSlots, kMap);
  position = 0;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    fuzz_run(reader, run);
    ring.begin();
    shm::Posted posted;
    const Look look = reader.read(position, posted);
    const std::size_t at = position % kSlots * std::size_t{shm::kPostedSize};
    const std::uint64_t word = ring.told(at + 8);
    if ((word & 0xffU) != ((position / kSlots + 1) & 0xffU)) {
      require(look == Look::kNothing, "another lap's descriptor is none");
      continue;
    }
    const std::uint64_t offset = ring.told(at), capacity = word >> 24U;
    const bool is_inside = offset <= kMap && capacity <= kMap - offset;
    const bool is_none = offset == ~0ULL && capacity == 0;
    require((look == Look::kMessage) == (is_inside || is_none),
            "what lies outside of the map breaks the ring, and nothing else does");
    if (look != Look::kMessage) return;
    require(posted.offset == offset && posted.capacity == capacity &&
                posted.index == (word >> 8U & 0xffffU),
            "the descriptor is what was checked");
    require(posted.has_buffer() == !is_none, "a post without a buffer says so");
    ++position;
  }
}

}  // namespace
}  // namespace comch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace comch::fuzz;
  input = {std::span(bytes, size)};
  fuzz_reader();
  return 0;
}
