// chunk_model: two sides copy the chunks of one job after another in the same slot, in every
// interleaving. The receiver may come late: when the slot holds the next job already.
//
// CHUNK_HEADER may name a header with a planted mistake.
#ifndef CHUNK_HEADER
#define CHUNK_HEADER "shm/chunk_job.h"
#endif
#include CHUNK_HEADER

#include "exploration.h"
#include "fast_relacy_machine.h"

namespace comch::model {
namespace {

using Machine = FastRelacyMachine<false>;
using Job = shm::ChunkJob<Machine>;
using shm::JobState;

constexpr std::uint32_t kShift = shm::kChunkShiftMin;
constexpr std::uint32_t kChunks = 2;

template <std::uint32_t kJobs>
struct ChunkModel : rl::test_suite<ChunkModel<kJobs>, 2> {
  std::array<FastRelacyWord, 2> words;
  FastRelacyAtomic<std::uint32_t> opened;  // LANE: the slot's header.
  std::array<rl::var<std::uint32_t>, kChunks> bytes;
  std::uint32_t finished = 0;

  void before() {
    for (auto& chunk : bytes) chunk($) = 0;
  }

  static Job job(std::array<FastRelacyWord, 2>& words, std::uint32_t sequence) {
    return Job(words.data(), 0, sequence, std::uint64_t{kChunks} << kShift, kShift);
  }

  void help(Job& job, std::uint32_t n) {
    for (Job::Chunk chunk; job.claim(chunk);) {
      bytes[chunk.offset >> kShift]($) = n;
      job.copied();
    }
  }

  void thread(unsigned index) { index == 0 ? send() : receive(); }

  // Opens the next job when the last one is finished, and gives up where it is not.
  void send() {
    for (std::uint32_t n = 1; n <= kJobs; ++n) {
      Job mine = job(words, n);
      mine.open();
      opened.store(n, std::memory_order_release);
      help(mine, n);
      const JobState state = mine.state();
      RL_ASSERT(state != JobState::kBroken);
      if (state == JobState::kPending) return;
      ++finished;
      check(n);
    }
  }

  // One job, the latest when it looked; then it may be late.
  void receive() {
    const std::uint32_t n = opened.load(std::memory_order_acquire);
    if (n == 0) return;
    Job mine = job(words, n);
    help(mine, n);
    // Broken is what it answers when its slot holds the next job.
    if (mine.state() == JobState::kFinished && n == kJobs) check(n);
  }

  void check(std::uint32_t n) {
    for (auto& chunk : bytes) RL_ASSERT(static_cast<std::uint32_t>(chunk($)) == n);
  }

  // What the sender left pending waited for the receiver alone: all is copied by now.
  void after() {
    const std::uint32_t n = opened.load(std::memory_order_acquire);
    RL_ASSERT(n == kJobs || finished + 1 == n);
    Job last = job(words, n);
    RL_ASSERT(last.state() == JobState::kFinished);
    check(n);
  }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<InFull<"one job of two chunks, in full", ChunkModel<1>>,
                 AtRandom<"two jobs of two chunks", ChunkModel<2>>,
                 AtRandom<"three jobs of two chunks", ChunkModel<3>>>(count, arguments, 100'000);
}
