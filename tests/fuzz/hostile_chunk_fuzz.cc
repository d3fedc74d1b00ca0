// hostile_chunk_fuzz: a ChunkJob whose other side is the fuzzer.
//
// What it claims is what it will copy: each chunk lies in the message, and none is copied twice,
// whatever the counters say. CHUNK_HEADER names the header under test, which may have a
// planted mistake (see plant.py).
#ifndef CHUNK_HEADER
#define CHUNK_HEADER "shm/chunk_job.h"
#endif
#include CHUNK_HEADER

#include "hostile_words.h"

namespace comch::fuzz {
namespace {

using shm::JobState;

constexpr std::uint32_t kSequence = 77;
constexpr std::uint32_t kShift = shm::kChunkShiftMin;

std::uint64_t chunks = 0;

std::uint64_t job_word(std::size_t) {
  const std::uint64_t count = input.take<std::uint8_t>() % 2 == 0
                                  ? input.take<std::uint8_t>() % (chunks + 2)
                                  : input.near(chunks);
  const std::uint64_t sequence =
      input.take<std::uint8_t>() % 8 == 0 ? input.near(kSequence) : kSequence;
  const std::uint64_t missed = input.take<std::uint8_t>() % 8 == 0 ? input.take<std::uint8_t>() : 0;
  return missed << 62U | count << 32U | (sequence & 0xffff'ffffU);
}

void fuzz_job() {
  const std::uint64_t length = 1 + input.take<std::uint16_t>();
  chunks = (length + (1U << kShift) - 1) >> kShift;
  Region words{.size = 16, .answer = job_word, .reads_once = false};
  shm::ChunkJob<HostileMachine> job(&words, 0, kSequence, length, kShift);
  std::uint64_t end = 0, done = 0;  // Of what was claimed.
  bool broken = false, missed = false;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    words.begin();
    shm::ChunkJob<HostileMachine>::Chunk chunk;
    if (input.take<std::uint8_t>() % 2 == 0 && job.claim(chunk)) {
      require(chunk.offset >= end, "no chunk is claimed twice");
      require(chunk.length != 0 && chunk.offset < length && chunk.length <= length - chunk.offset,
              "a chunk lies in the message");
      require(chunk.offset % (1U << kShift) == 0, "a chunk begins at a chunk");
      end = chunk.offset + chunk.length;
      ++done;
      if (input.take<std::uint8_t>() % 8 == 0) {
        missed = true;
        job.missed(shm::JobSide::kReceiver);
      } else {
        job.copied();
      }
    }
    words.begin();
    const JobState state = job.state();
    require(words.count == 1, "the count is read once");
    const std::uint64_t told = words.reads[0].told;
    const std::uint64_t count = told >> 32U & 0x3fff'ffffU;
    const bool is_possible = (told & 0xffff'ffffU) == kSequence && count <= chunks && count >= done;
    require(is_possible || state == JobState::kBroken, "an impossible count breaks the job");
    require(!broken || state == JobState::kBroken, "broken is for good");
    broken = state == JobState::kBroken;
    if (broken) continue;
    require((state == JobState::kPending) == (count != chunks), "pending is some of the chunks");
    require(state != JobState::kFinished || (!missed && told >> 62U == 0), "finished is all there");
    require(state != JobState::kVoid || missed || told >> 62U != 0, "void is not all there");
  }
}

}  // namespace
}  // namespace comch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace comch::fuzz;
  input = {std::span(bytes, size)};
  fuzz_job();
  return 0;
}
