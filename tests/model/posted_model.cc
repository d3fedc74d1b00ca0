// posted_model: a consumer that posts its buffers by two, the second as one of the same capacity,
// and a producer that goes by the run for two and by their descriptors for the next two; in every
// interleaving and with every value that the memory model allows a load to see. lane_model has
// buffers that are posted one by one.
//
// POSTED_HEADER may name a header with a planted mistake.
#include "shm/lane_reader.h"
#include "shm/lane_writer.h"
#ifndef POSTED_HEADER
#define POSTED_HEADER "shm/posted_ring.h"
#endif
#include POSTED_HEADER

#include "exploration.h"
#include "fast_relacy_machine.h"

namespace comch::model {
namespace {

using Machine = FastRelacyMachine<true>;

constexpr std::uint32_t kTogether = 2;

// Each message is put into the posted buffer, and its length is its number, too.
template <std::uint32_t kDepth, std::uint64_t kMessages, unsigned kTries>
struct AlikeModel : rl::test_suite<AlikeModel<kDepth, kMessages, kTries>, 2> {
  static constexpr std::uint32_t kPosted = 2 * kDepth;

  // The way to the consumer.
  shm::LaneShared<Machine> shared;
  std::array<FastRelacyWord, kDepth * 16> slots;
  const shm::LaneShape shape{.slots = kDepth, .immediate_max = 0};
  shm::LaneWriter<Machine> writer{shared, slots.data(), nullptr, shape};
  shm::LaneReader<Machine> reader{shared, slots.data(), nullptr, shape};
  // The way back.
  std::array<FastRelacyWord, kPosted * 2> ring;
  FastRelacyWord run_word;
  shm::PostedWriter<Machine> posting{&run_word, ring.data(), kPosted};
  shm::PostedReader<Machine> posted{&run_word, ring.data(), kPosted, 64};

  std::array<rl::var<std::uint64_t>, kPosted> buffers;
  std::uint32_t position = 0;  // The producer's.
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  void before() {
    for (auto& buffer : buffers) buffer($) = 0;
    for (std::uint32_t n = 0; n < kDepth; n += kTogether) post();
  }

  void thread(unsigned index) {
    for (unsigned tries = 0; tries < kTries; ++tries) {
      if (index == 0 && sent < kMessages) send();
      if (index == 1) receive();
    }
  }

  void after() {
    while (receive()) continue;
    RL_ASSERT(received == sent);
    RL_ASSERT(sent >= std::min<std::uint64_t>(kMessages, kDepth));
  }

  void post() {
    for (std::uint32_t n = 0; n < kTogether; ++n) {
      const auto next = [](std::uint16_t index) { return std::uint64_t{index}; };
      if (posting.post_alike(1, 1, next) != 0) continue;
      const auto slot = typename shm::PostedWriter<Machine>::Walk(posting).next_slot();
      posting.post(slot, slot, 1);
    }
    posting.publish();
  }

  bool find(std::uint16_t& index) {
    index = posted.slots_from(position)[0];
    if (position / kTogether % 2 == 0) return posted.run().covers(position);
    shm::Posted buffer;
    const shm::Look look = posted.read(position, buffer);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    RL_ASSERT(buffer.index == index && buffer.offset == index && buffer.capacity == 1);
    return true;
  }

  void send() {
    std::uint16_t index = 0;
    if (!find(index)) return;
    ++position;
    ++sent;
    buffers[index]($) = sent;
    writer.put_direct(index, sent, {});
    writer.publish();
  }

  bool receive() {
    shm::LaneRecord record;
    const shm::Look look = reader.look(record);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    ++received;
    RL_ASSERT(record.index < kPosted && record.length == received);
    RL_ASSERT(static_cast<std::uint64_t>(buffers[record.index]($)) == received);
    reader.pop(record);
    if (received % kTogether == 0) post();
    return true;
  }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<AtRandom<"four buffers, sixteen messages", AlikeModel<4, 16, 32>>,
                 InFull<"two buffers, four messages, in full", AlikeModel<2, 4, 4>>>(
      count, arguments, 100'000);
}
