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

// One job of which a side cannot have what it claims.
template <shm::JobSide kMisses>
struct MissedModel : rl::test_suite<MissedModel<kMisses>, 2> {
  std::array<FastRelacyWord, 2> words;
  FastRelacyAtomic<std::uint32_t> opened;  // LANE: the slot's header.
  rl::var<std::uint32_t> missed;           // Of the side that does.

  void before() { missed($) = 0; }

  void work(Job& job, shm::JobSide side) {
    std::uint32_t misses = 0;
    for (Job::Chunk chunk; job.claim(chunk);) {
      if (side == kMisses) {
        ++misses;
        job.missed(side);
      } else {
        job.copied();
      }
    }
    if (side == kMisses) missed($) = misses;
    RL_ASSERT(misses == 0 || job.state() != JobState::kFinished);
  }
  void thread(unsigned index) {
    if (index == 0) {
      Job mine = job();
      mine.open();
      opened.store(1, std::memory_order_release);
      work(mine, shm::JobSide::kSender);
      once_over(mine);
    } else if (opened.load(std::memory_order_acquire) == 1) {
      Job mine = job();
      work(mine, shm::JobSide::kReceiver);
      once_over(mine);
    }
  }
  // Whoever sees that it is over sees the same as everybody ever will.
  void once_over(Job& mine) {
    const JobState state = mine.state();
    if (state == JobState::kPending) return;
    Job last = job();
    RL_ASSERT(state != JobState::kBroken && last.state() == state);
  }
  void after() {
    Job last = job();
    const bool is_void = static_cast<std::uint32_t>(missed($)) != 0;
    RL_ASSERT(last.state() == (is_void ? JobState::kVoid : JobState::kFinished));
  }
  Job job() { return Job(words.data(), 0, 1, std::uint64_t{kChunks} << kShift, kShift); }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<InFull<"one job of two chunks, in full", ChunkModel<1>>,
                 InFull<"one job, what the sender claims missed, in full",
                        MissedModel<comch::shm::JobSide::kSender>>,
                 InFull<"one job, what the receiver claims missed, in full",
                        MissedModel<comch::shm::JobSide::kReceiver>>,
                 AtRandom<"two jobs of two chunks", ChunkModel<2>>,
                 AtRandom<"three jobs of two chunks", ChunkModel<3>>>(count, arguments, 100'000);
}
