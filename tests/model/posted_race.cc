// posted_race: two threads and a few buffers, which one posts in batches of one capacity and the
// other fills, going by the run, for TSan to watch. With a planted mistake (POSTED_HEADER, see
// plant.py) it must report a race.
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#ifndef POSTED_HEADER
#define POSTED_HEADER "shm/posted_ring.h"
#endif
#include POSTED_HEADER
#include "race.h"

namespace {

using namespace comch::shm;
using comch::model::too_late;

constexpr std::uint32_t kDepth = 16;
constexpr std::uint32_t kPosted = posted_slots(kDepth);
constexpr std::uint64_t kMessages = 200'000;

alignas(8) std::array<std::byte, std::size_t{kPosted} * kPostedSize> ring;
alignas(8) std::array<std::byte, 8> run;
std::array<std::uint64_t, kPosted> buffers;  // By index.
std::atomic<std::uint64_t> sent = 0;

void send() {
  const PostedReader<> posted(run.data(), ring.data(), kPosted, kPosted);
  for (std::uint32_t n = 0; n < kMessages && !too_late();) {
    const PostedRun<> known = posted.run();
    if (!known.covers(n)) std::this_thread::yield();
    for (; n < kMessages && known.covers(n); ++n) buffers[posted.slots_from(n)[0]] = n;
    sent.store(n, std::memory_order_release);  // Meets receive(): what is sent is written.
  }
}

void post(PostedWriter<>& posting, std::uint64_t count) {
  const auto next = [](std::uint16_t index) { return std::uint64_t{index}; };
  while (count != 0) {
    const std::uint32_t alike = posting.post_alike(1, count, next);
    count -= alike;
    if (alike != 0) continue;
    const std::uint16_t slot = PostedWriter<>::Walk(posting).next_slot();
    posting.post(slot, slot, 1);
    --count;
  }
  posting.publish();
}

bool receive() {
  PostedWriter<> posting(run.data(), ring.data(), kPosted);
  post(posting, kDepth);
  for (std::uint64_t n = 0; n < kMessages;) {
    const std::uint64_t end = sent.load(std::memory_order_acquire);  // Meets send().
    if (too_late()) return false;
    if (n == end) std::this_thread::yield();
    const std::uint64_t before = n;
    for (; n != end; ++n) {
      if (buffers[n % kPosted] != n) return false;
    }
    post(posting, n - before);
  }
  return true;
}

}  // namespace

int main() { return comch::model::race(send, receive); }
