// lane_model: one producer and one consumer, a PostedRing, a Lane and the buffers, in every
// interleaving and with every value that the memory model allows a load to see.
//
// LANE_HEADER, which is the reader's, WRITER_HEADER, POSTED_HEADER and RETURNS_HEADER may name a
// header with a planted mistake.
#ifndef LANE_HEADER
#define LANE_HEADER "shm/lane_awaited.h"
#endif
#ifndef WRITER_HEADER
#define WRITER_HEADER "shm/lane_writer.h"
#endif
#ifndef POSTED_HEADER
#define POSTED_HEADER "shm/posted_ring.h"
#endif
#ifndef RETURNS_HEADER
#define RETURNS_HEADER "shm/returns_ring.h"
#endif
#include LANE_HEADER
#include WRITER_HEADER
#include POSTED_HEADER
#include RETURNS_HEADER

#include "exploration.h"
#include "fast_relacy_machine.h"

namespace comch::model {
namespace {

using Machine = FastRelacyMachine<true>;

constexpr std::uint32_t kSlots = 2;
constexpr std::uint32_t kDepth = 2;
constexpr std::uint32_t kPosted = 4;

// A lane and its two ends. What a model sends and receives differs; in every run at least its
// kLeast messages arrive, for there is credit for so many.
template <class Model, std::uint64_t kMessages, unsigned kTries, bool kHeadCredit = false>
struct LaneSuite : rl::test_suite<Model, 2> {
  shm::LaneShared<Machine> shared;
  std::array<FastRelacyWord, kSlots * 16> slots;
  const shm::LaneShape shape{.slots = kSlots, .immediate_max = 0, .head_credit = kHeadCredit};
  shm::LaneWriter<Machine> writer{shared, slots.data(), nullptr, shape};
  shm::LaneReader<Machine> reader{shared, slots.data(), nullptr, shape};
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  void thread(unsigned index) {
    for (unsigned tries = 0; tries < kTries; ++tries) {
      if (index == 0 && sent < kMessages) model().send();
      if (index == 1) model().receive();
    }
    if (index == 0) writer.publish();  // What a batch has withheld.
  }

  void after() {
    while (model().receive()) continue;
    RL_ASSERT(received == sent);
    RL_ASSERT(sent >= Model::kLeast);
  }

 private:
  Model& model() { return static_cast<Model&>(*this); }
};

// Each message is put into the posted buffer, and its length is its number, too; the consumer
// reads both and posts the buffer again. The lane's only credit is the posted buffer.
template <std::uint64_t kMessages, unsigned kTries, bool kBatch>
struct PostedModel : LaneSuite<PostedModel<kMessages, kTries, kBatch>, kMessages, kTries> {
  using Suite = LaneSuite<PostedModel<kMessages, kTries, kBatch>, kMessages, kTries>;
  using Suite::reader, Suite::received, Suite::sent, Suite::writer;
  static constexpr std::uint64_t kLeast = kDepth;

  std::array<FastRelacyWord, kPosted * 2> ring;
  std::array<rl::var<std::uint64_t>, kDepth> buffers;
  FastRelacyWord run;
  shm::PostedWriter<Machine> posting{&run, ring.data(), kPosted};
  shm::PostedReader<Machine> posted{&run, ring.data(), kPosted, 64};
  std::uint32_t position = 0;

  void before() {
    for (std::uint16_t n = 0; n < kDepth; ++n) {
      buffers[n]($) = 0;
      posting.post(n, n, 1);
    }
    posting.publish();
  }

  void send() {
    shm::Posted buffer;
    const shm::Look look = posted.read(position, buffer);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) {
      writer.publish();
      return;
    }
    RL_ASSERT(buffer.offset == buffer.index && buffer.capacity == 1);
    ++position;
    ++sent;
    buffers[buffer.index]($) = sent;
    writer.put_direct(buffer.index, sent, {});
    if (!kBatch) writer.publish();
  }

  bool receive() {
    shm::LaneRecord record;
    const shm::Look look = reader.look(record);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    ++received;
    RL_ASSERT(record.index < kDepth && record.length == received);
    RL_ASSERT(static_cast<std::uint64_t>(buffers[record.index]($)) == received);
    reader.pop(record);
    posting.post(record.index, record.index, 1);
    posting.publish();
    return true;
  }
};

// The same by the run: the message travels in its slot, and a descriptor is read only where the
// run does not cover it, for every third has another index than its slot.
// kAwaits: the consumer awaits each as the next one, and is wrong about every third, too.
template <std::uint64_t kMessages, unsigned kTries, bool kAwaits = false>
struct RunModel : LaneSuite<RunModel<kMessages, kTries, kAwaits>, kMessages, kTries> {
  using Suite = LaneSuite<RunModel<kMessages, kTries, kAwaits>, kMessages, kTries>;
  using Suite::reader, Suite::received, Suite::sent, Suite::writer;
  static constexpr std::uint64_t kLeast = kDepth;

  std::array<FastRelacyWord, kPosted * 2> ring;
  FastRelacyWord run_word;
  shm::PostedWriter<Machine> posting{&run_word, ring.data(), kPosted};
  shm::PostedReader<Machine> posted{&run_word, ring.data(), kPosted, 64};
  std::array<bool, kPosted> is_posted{};
  unsigned posts = 0;
  std::uint32_t position = 0;

  void before() {
    for (unsigned n = 0; n < kDepth; ++n) post();
  }

  void post() {
    {
      typename shm::PostedWriter<Machine>::Walk walk(posting);
      std::uint16_t index = walk.next_slot();
      if (++posts % 3 == 0) ++index %= kPosted;
      while (is_posted[index]) ++index %= kPosted;
      walk.post(index, index, 8);
      is_posted[index] = true;
    }
    posting.publish();
  }

  void send() {
    const shm::PostedRun<> run = posted.run();
    if (run.behind(position) == 0) return;
    std::uint16_t index = posted.slots_from(position)[0];
    if (!run.covers(position)) {
      shm::Posted buffer;
      RL_ASSERT(posted.read(position, buffer) == shm::Look::kMessage);
      index = buffer.index;
    }
    RL_ASSERT(run.room() == 8);
    ++position;
    ++sent;
    std::array<std::byte, 8> data;
    std::memcpy(data.data(), &sent, sizeof sent);
    writer.put_and_publish(index, data);
  }

  bool receive() {
    using Reader = shm::LaneReader<Machine>;
    std::uint16_t index = 0;
    std::uint64_t number = 0;
    auto* const to = reinterpret_cast<std::byte*>(&number);
    if (kAwaits) {
      using Sight = typename Reader::Awaited::Sight;
      typename Reader::Awaited awaited(reader);
      const Sight sight = awaited.is_possible() ? awaited.look() : Sight::kOther;
      if (sight == Sight::kNothing) return false;
      if (sight == Sight::kThis) {
        RL_ASSERT(awaited.length() == sizeof number);
        awaited.copy(to, sizeof number);
        awaited.pass();
        return take(number, awaited.index());
      }
    }
    std::uint64_t length = 0;
    {
      typename Reader::Walk walk(reader);
      if (walk.look(index, length) != Reader::Plain::kInline) return false;
      walk.copy(to, length);
      walk.pass();
    }
    if (kAwaits) reader.await_next();
    return take(number, index);
  }
  bool take(std::uint64_t number, std::uint16_t index) {
    RL_ASSERT(number == ++received);
    RL_ASSERT(index < kPosted && is_posted[index]);
    is_posted[index] = false;
    post();
    return true;
  }
};

// The head is the lane's only credit.
template <std::uint64_t kMessages, unsigned kTries>
struct HeadModel : LaneSuite<HeadModel<kMessages, kTries>, kMessages, kTries, true> {
  using Suite = LaneSuite<HeadModel<kMessages, kTries>, kMessages, kTries, true>;
  using Suite::reader, Suite::received, Suite::sent, Suite::writer;
  static constexpr std::uint64_t kLeast = kSlots;

  void send() {
    const std::uint32_t room = writer.room();
    RL_ASSERT(!writer.broken());
    if (room == 0) return;
    ++sent;
    writer.put_direct(0, sent, {});
    writer.publish();
  }

  bool receive() {
    shm::LaneRecord record;
    const shm::Look look = reader.look(record);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    ++received;
    RL_ASSERT(record.length == received);
    reader.pop(record);
    return true;
  }
};

// The head is the only credit, and the consumer keeps messages to look at them where they lie.
template <std::uint64_t kMessages, unsigned kTries>
struct KeepModel : LaneSuite<KeepModel<kMessages, kTries>, kMessages, kTries, true> {
  using Suite = LaneSuite<KeepModel<kMessages, kTries>, kMessages, kTries, true>;
  using Suite::reader, Suite::received, Suite::sent, Suite::slots, Suite::writer;
  static constexpr std::uint64_t kLeast = kSlots;

  void send() {
    if (writer.room() == 0) return;
    ++sent;
    std::array<std::byte, 8> data;
    std::memcpy(data.data(), &sent, sizeof sent);
    writer.put_and_publish(0, data);
  }

  bool receive() {
    using Reader = shm::LaneReader<Machine>;
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    typename Reader::Walk walk(reader);
    if (walk.look(index, length) == Reader::Plain::kInline) {
      RL_ASSERT(length == 8);
      walk.keep();
      ++received;
      return true;
    }
    return let_go();
  }

  // Looks at the oldest that is kept.
  bool let_go() {
    if (reader.kept() == 0) return false;
    const std::uint64_t number = received - reader.kept();
    const std::size_t at = number % kSlots * shm::kLaneSlot + shm::kPlainDataAt;
    RL_ASSERT(Machine::load_word(slots.data(), at) == number + 1);
    reader.release(1);
    static_cast<void>(reader.flush());
    return true;
  }
};

// The head is the only credit, and messages are sent two at a time, from the second lap on in rows.
template <std::uint64_t kMessages, unsigned kTries>
struct RowModel : LaneSuite<RowModel<kMessages, kTries>, kMessages, kTries, true> {
  using Suite = LaneSuite<RowModel<kMessages, kTries>, kMessages, kTries, true>;
  using Suite::reader, Suite::received, Suite::sent, Suite::writer;
  static constexpr std::uint64_t kLeast = kSlots;

  void send() {
    if (writer.room() == 0) return;
    writer.look_again();
    const std::uint64_t most = writer.room();
    std::array<std::array<std::byte, 8>, kSlots> data;
    for (std::uint64_t n = 0; n < most; ++n) {
      const std::uint64_t number = sent + n + 1;
      std::memcpy(data[n].data(), &number, sizeof number);
    }
    for (std::uint64_t put = 0; put < most;) {
      put += typename shm::LaneWriter<Machine>::Walk(writer).put_alike(
          0, most - put, [&](std::size_t n) { return std::span<const std::byte>(data[put + n]); });
    }
    sent += most;
    writer.publish();
  }

  bool receive() {
    using Reader = shm::LaneReader<Machine>;
    using Plain = typename Reader::Plain;
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    std::uint64_t number = 0;
    auto* const to = reinterpret_cast<std::byte*>(&number);
    typename Reader::Walk walk(reader);
    const Plain found = walk.look(index, length);
    if (found == Plain::kInline) {
      walk.copy(to, length);
      RL_ASSERT(number == ++received);
      walk.pass();
    } else if (found == Plain::kRow) {
      for (typename Reader::Row row(reader); row.left() != 0; row.pass()) {
        row.copy(to);
        RL_ASSERT(number == ++received);
      }
    }
    return found != Plain::kNothing;
  }
};

// Each message hands over one of two buffers, which comes back: the only credit.
template <std::uint64_t kMessages, unsigned kTries>
struct HandOverModel : LaneSuite<HandOverModel<kMessages, kTries>, kMessages, kTries> {
  using Suite = LaneSuite<HandOverModel<kMessages, kTries>, kMessages, kTries>;
  using Suite::reader, Suite::received, Suite::sent, Suite::writer;
  static constexpr std::uint32_t kHandles = 2;
  static constexpr std::uint64_t kLeast = kHandles;

  std::array<FastRelacyWord, kHandles> ring;
  std::array<rl::var<std::uint64_t>, kHandles> buffers;
  std::array<bool, kHandles> lent{};
  shm::ReturnsWriter<Machine> giving{ring.data(), kHandles};
  shm::ReturnsReader<Machine> back{ring.data(), kHandles, lent};

  void before() {
    for (auto& buffer : buffers) buffer($) = 0;
  }

  void send() {
    std::uint32_t handle = lent[0] ? 1 : 0;
    if (lent[handle]) {
      const shm::Look look = back.take(handle);
      RL_ASSERT(look != shm::Look::kBroken);
      if (look == shm::Look::kNothing) return;
    }
    ++sent;
    buffers[handle]($) = sent;
    back.lend(handle);
    writer.put_hand_over(0, 0, handle, {sent, 1}, {});
    writer.publish();
  }

  bool receive() {
    shm::LaneRecord record;
    const shm::Look look = reader.look(record);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    ++received;
    RL_ASSERT(giving.accept());
    RL_ASSERT(record.source().offset == received);
    RL_ASSERT(static_cast<std::uint64_t>(buffers[record.handle()]($)) == received);
    reader.pop(record);
    giving.give_back(record.handle());
    return true;
  }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<AtRandom<"two slots, eight messages", PostedModel<8, 16, false>>,
                 AtRandom<"two slots, eight messages in batches", PostedModel<8, 16, true>>,
                 AtRandom<"two slots, eight messages by the run", RunModel<8, 16>>,
                 AtRandom<"two slots, eight messages that are awaited", RunModel<8, 16, true>>,
                 AtRandom<"two slots, eight messages by the head", HeadModel<8, 16>>,
                 AtRandom<"two slots, eight messages that are kept", KeepModel<8, 24>>,
                 AtRandom<"two slots, eight messages in rows of two", RowModel<8, 24>>,
                 AtRandom<"two slots, eight hand-overs", HandOverModel<8, 16>>,
                 InFull<"two slots, three messages by the head, in full", HeadModel<3, 3>>,
                 InFull<"two slots, three messages by the run, in full", RunModel<3, 3>>,
                 Bounded<"two slots, four that are awaited, three preemptions, in full",
                         RunModel<4, 6, true>, 3>,
                 InFull<"two slots, three messages, in full", PostedModel<3, 3, false>>>(
      count, arguments, 100'000);
}
