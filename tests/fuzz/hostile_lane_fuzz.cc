// hostile_lane_fuzz: a Lane whose other side is the fuzzer, and a ReturnsRing whose consumer is.
//
// The oracle knows what each half may do with the answers it got. The headers under test may have a
// planted mistake (see plant_tree.py).
#include "hostile_words.h"
#include "shm/lane_awaited.h"
#include "shm/lane_writer.h"
#include "shm/returns_ring.h"

namespace comch::fuzz {
namespace {

using shm::LaneKind;
using shm::LaneRecord;
using shm::Look;

constexpr std::uint32_t kSlots = 4;
constexpr std::uint32_t kImmediateMax = 100;
constexpr std::uint32_t kSideStride = 128;
constexpr std::uint64_t kBounce = 1000;
constexpr shm::LaneShape kShape{.slots = kSlots,
                                .immediate_max = kImmediateMax,
                                .side_stride = kSideStride,
                                .bounce_size = kBounce,
                                .head_credit = true};

std::uint32_t position = 0;  // Where the reader must stand.

// A word of a slot: sound more often than not, so that the reader gets on.
std::uint64_t slot_word(std::size_t offset) {
  switch (offset % shm::kLaneSlot) {
    case 0: {
      const std::uint64_t kind = input.take<std::uint8_t>() % 11U;
      const std::uint32_t sequence = input.take<std::uint8_t>() % 8 == 0
                                         ? static_cast<std::uint32_t>(input.near(position))
                                         : position + 1;
      return sequence | std::uint64_t{input.take<std::uint8_t>() % 2U} << 32U | kind << 48U;
    }
    case 8: {
      if (input.take<std::uint8_t>() % 8 == 0) return input.take<std::uint64_t>();
      const std::uint8_t upper = input.take<std::uint8_t>();  // A row's are few.
      return input.take<std::uint8_t>() % 128U | std::uint64_t{upper % (upper < 128 ? 128U : 8U)}
                                                     << 48U;
    }
    default:
      return input.take<std::uint8_t>() % 4 == 0 ? input.take<std::uint64_t>()
                                                 : input.take<std::uint8_t>();
  }
}

std::uint64_t any_word(std::size_t) { return input.take<std::uint64_t>(); }

// What is open of a staged message.
struct Staged {
  std::uint64_t left = 0;
  std::uint64_t index = 0;
};

// What is left of a row.
struct RowLeft {
  std::uint64_t left = 0;
  std::uint64_t length = 0;
  std::uint64_t index = 0;
};
RowLeft row_at(const Region& slots, std::size_t at) {
  const std::uint64_t lengths = slots.told(at + 8);
  return {lengths >> 48U, lengths % (1ULL << 48U), slots.told(at) >> 32U & 0xffffU};
}

// Whether a correct writer can have said that. Written from the format, not from the code.
bool is_sound(const Region& slots, std::size_t at, const Staged& staged) {
  const std::uint64_t word = slots.told(at), lengths = slots.told(at + 8);
  const std::uint64_t kind = word >> 48U, immediate = lengths >> 48U;
  const std::uint64_t length = lengths % (1ULL << 48U);
  if (kind == 8) {
    return staged.left == 0 && immediate >= 1 && immediate <= kSlots && length >= 1 && length <= 64;
  }
  if (kind < 1 || kind > 9 || immediate > kImmediateMax) return false;
  if ((kind == 5) != (staged.left != 0)) return false;
  if (kind == 1) return length == 0;
  if (kind == 2) return length <= 112;
  if (kind == 3 || kind == 7) return true;
  const std::uint64_t first = slots.told(at + 16), second = slots.told(at + 24);
  if (kind == 6 || kind == 9) {
    const std::uint64_t shift = first >> 32U;
    return length != 0 && shift >= 12 && shift <= 20 && (length - 1) >> shift < 0x3fff'ffffU;
  }
  if (second == 0 || first > kBounce || second > kBounce - first) return false;
  if (kind == 4) return second <= length;
  return (word >> 32U & 0xffffU) == staged.index && immediate == 0 && length == second &&
         second <= staged.left;
}

using Reader = shm::LaneReader<HostileMachine>;
bool reader_keeps = false;  // Messages, in a lane with head credit.

// The next message of a row: it is there, whatever its slot says now, and nothing but its data is
// read.
void take_of_row(Reader& reader, Region& slots, RowLeft& row) {
  const std::size_t at = position % kSlots * std::size_t{shm::kLaneSlot};
  std::array<std::byte, shm::kRowPayload> data;
  std::byte* const to = data.data() + (data.size() - row.length);
  slots.begin();
  if (input.take<std::uint8_t>() % 2 == 0) {
    LaneRecord record;
    require(reader.look(record) == Look::kMessage && slots.count == 0, "a row is read once");
    require(record.kind == LaneKind::kRow && record.length == row.length &&
                record.index == row.index && record.immediate == 0,
            "what a row's messages are is what was checked");
    reader.copy_data(to, record);
    reader.pop(record);
  } else {
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    require(Reader::Walk(reader).look(index, length) == Reader::Plain::kRow && slots.count == 0,
            "a walk is at the row, and reads nothing");
    Reader::Row left(reader);
    require(left.left() == row.left && left.length() == row.length && left.index() == row.index,
            "what is left of a row is what was checked");
    left.copy(to);
    left.pass();
  }
  for (std::size_t n = 0; n < slots.count; ++n) {
    require(slots.reads[n].offset >= at + 64 && slots.reads[n].offset < at + 128,
            "a row's message is one line");
  }
  ++position;
  row = {row.left - 1, row.length, (row.index + 1) % 65536};
}

// A walk sees what look() would, or leaves it to look(). True: a message was taken, or a row begun.
bool take_plain(Reader& reader, Region& slots, std::size_t at, const Staged& staged, bool broken,
                RowLeft& row) {
  std::uint16_t index = 0;
  std::uint64_t length = 0;
  Reader::Walk walk(reader);
  const Reader::Plain plain = walk.look(index, length);
  if (plain == Reader::Plain::kOther) return false;
  const bool unusual = broken || staged.left != 0;
  const bool there = static_cast<std::uint32_t>(slots.told(at)) == position + 1;
  if (plain == Reader::Plain::kNothing) {
    require(!unusual && !there, "nothing is said to be there when nothing is");
    return false;
  }
  const std::uint64_t word = slots.told(at);
  require(!unusual && there && is_sound(slots, at, staged), "what is plain is sound");
  if (plain == Reader::Plain::kRow) {
    require(word >> 48U == 8, "what is a row says so");
    row = row_at(slots, at);
    return true;
  }
  require(word >> 48U == (plain == Reader::Plain::kInline ? 2U : 3U) &&
              slots.told(at + 8) == length && length != 0 && index == (word >> 32U & 0xffffU),
          "what is plain is data alone");
  if (plain == Reader::Plain::kInline) {
    std::array<std::byte, shm::kLanePayload> data;
    walk.copy(data.data() + (shm::kLanePayload - length), length);
  }
  walk.pass();
  ++position;
  return true;
}

// What is awaited is what a walk would find, or not this one. True: a message was taken.
bool take_awaited(Reader& reader, Region& slots, std::size_t at, const Staged& staged,
                  bool broken) {
  using Sight = Reader::Awaited::Sight;
  Reader::Awaited awaited(reader);
  if (!awaited.is_possible()) return false;
  require(!reader_keeps && !broken && staged.left == 0, "nothing is awaited amid something else");
  const Sight sight = awaited.look();
  require(slots.count == 1, "a look at what is awaited reads one word");
  const std::uint64_t word = slots.told(at);
  const bool there = static_cast<std::uint32_t>(word) == position + 1;
  require((sight != Sight::kNothing) == there, "what is there is seen, and nothing else");
  if (sight != Sight::kThis) return false;
  require(word >> 48U == 2 && awaited.index() == (word >> 32U & 0xffffU),
          "what is awaited is in its slot, and for its buffer");
  const std::uint64_t length = awaited.length();
  if (length - 1 >= shm::kLanePayload) return false;
  std::array<std::byte, shm::kLanePayload> data;
  awaited.copy(data.data() + (shm::kLanePayload - length), length);
  for (std::size_t n = 0; n < slots.count; ++n) {
    require(slots.reads[n].offset / shm::kLaneSlot == at / shm::kLaneSlot,
            "only the message's own slot is read");
  }
  awaited.pass();
  ++position;
  return true;
}

// The fuzzer sends, we receive.
void fuzz_reader() {
  shm::LaneShared<HostileMachine> shared;
  Region slots{.size = kSlots * std::size_t{shm::kLaneSlot}, .answer = slot_word};
  Region side{.size = kSlots * std::size_t{kSideStride}, .answer = any_word};
  shm::LaneShape shape = kShape;
  shape.head_credit = reader_keeps = input.take<std::uint8_t>() % 2 == 0;
  Reader reader(shared, &slots, &side, shape);
  Staged staged;
  RowLeft row;
  bool broken = false;
  position = 0;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    if (row.left != 0) {
      take_of_row(reader, slots, row);
      continue;
    }
    const std::size_t next = position % kSlots * std::size_t{shm::kLaneSlot};
    const std::uint8_t how = input.take<std::uint8_t>();
    if (how % 4 > 1) {
      slots.begin();  // What the last one says is read once more, and need not be the same.
      reader.await_next();
      slots.begin();
      if (take_awaited(reader, slots, next, staged, broken)) continue;
    }
    slots.begin();
    side.begin();
    if (how % 2 == 0) {
      if (take_plain(reader, slots, next, staged, broken, row)) continue;
      slots.begin();
    }
    LaneRecord record;
    const Look look = reader.look(record);
    if (broken) {
      require(look == Look::kBroken && slots.count == 0, "broken is for good");
      continue;
    }
    const std::size_t at = position % kSlots * std::size_t{shm::kLaneSlot};
    if (static_cast<std::uint32_t>(slots.told(at)) != position + 1) {
      require(look == Look::kNothing && slots.count == 1, "another sequence is no message");
      continue;
    }
    broken = !is_sound(slots, at, staged);
    require((look == Look::kBroken) == broken && reader.broken() == broken,
            "what no correct writer writes breaks the lane, and nothing else does");
    if (broken) continue;
    if (slots.told(at) >> 48U == 8) {
      row = row_at(slots, at);
      continue;
    }
    require(record.length == slots.told(at + 8) % (1ULL << 48U) &&
                record.immediate == slots.told(at + 8) >> 48U,
            "the record is what was checked");
    require(slots.count <= 4, "a look reads two words, and two of control");
    // Exactly as long as it may be: the sanitizer watches the ends.
    std::array<std::byte, kImmediateMax> immediate;
    reader.copy_immediate(immediate.data() + (kImmediateMax - record.immediate), record);
    if (record.kind == LaneKind::kInline) {
      std::array<std::byte, shm::kLanePayload> data;
      reader.copy_data(data.data() + (shm::kLanePayload - record.length), record);
    }
    for (std::size_t n = 0; n < slots.count; ++n) {
      require(slots.reads[n].offset / shm::kLaneSlot == at / shm::kLaneSlot,
              "only the message's own slot is read");
    }
    if (record.kind == LaneKind::kStaged) staged = {record.length, record.index};
    if (record.kind == LaneKind::kStaged || record.kind == LaneKind::kStagedNext) {
      staged.left -= record.control[1];
      require(reader.left_behind(record) == staged.left, "what is left is what was not sent");
    }
    reader.pop(record);
    ++position;
    if (input.take<std::uint8_t>() % 4 == 0) static_cast<void>(reader.flush());
  }
}

// The fuzzer receives, we send.
void fuzz_writer() {
  using Atomic = HostileMachine::Atomic<std::uint32_t>;
  shm::LaneShared<HostileMachine> shared;
  Region slots{.size = kSlots * std::size_t{shm::kLaneSlot}, .answer = any_word};
  Region side{.size = kSlots * std::size_t{kSideStride}, .answer = any_word};
  shm::LaneWriter<HostileMachine> writer(shared, &slots, &side, kShape);
  shm::BellRinger<HostileMachine> bell(shared.space_bell);
  const std::array<std::byte, 112> bytes{};
  std::uint64_t sent = 0, head = 0;  // Whole numbers.
  bool broken = false;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    slots.begin();
    side.begin();
    const bool is_full = sent - head == kSlots;
    const std::uint32_t room = writer.room();
    if (is_full && !broken) {
      if (Atomic::last < head || Atomic::last > sent) {
        broken = true;
      } else {
        head = Atomic::last;
      }
    }
    require(writer.broken() == broken, "an impossible head breaks the lane, and nothing else does");
    require(room == (broken ? 0 : kSlots - (sent - head)), "there is room for what was read");
    require(slots.count == 0, "what we wrote is never read back");
    if (room == 0) continue;
    const std::uint64_t before = sent;
    const std::size_t size = input.take<std::uint8_t>() % 113U;
    const std::size_t immediate = input.take<std::uint8_t>() % (kImmediateMax + 1U);
    const auto extra = std::span(bytes).first(immediate);
    switch (input.take<std::uint8_t>() % 7) {
      case 0:
        writer.put_immediate(1, extra);
        break;
      case 1:
        writer.put_inline(1, std::span(bytes).first(size), extra);
        break;
      case 2:
        writer.put_direct(1, size, extra);
        break;
      case 3:
        writer.put_staged(1, size + 1, {0, size + 1}, extra);
        break;
      case 4:
        static_cast<void>(writer.put_job(1, 2, {0, size + 1}, shm::kChunkShift, extra));
        break;
      case 5: {
        const auto same = [&](std::size_t) { return std::span(bytes).first(size == 0 ? 1 : size); };
        sent += shm::LaneWriter<HostileMachine>::Walk(writer).put_alike(1, room, same) - 1;
        break;
      }
      default:
        writer.put_hand_over(1, 2, 3, {0, size}, extra);
    }
    ++sent;
    writer.publish();
    static_cast<void>(bell.should_ring());
    require(slots.count == 0 && side.count == 0, "what we wrote is never read back");
    require(slots.writes <= 16 * (sent - before) && side.writes <= kSideStride / 8,
            "a message is one slot");
  }
}

// The fuzzer gives back what we have handed over, or not.
void fuzz_returns() {
  constexpr std::uint32_t kHandles = 4;
  Region ring{.size = kHandles * std::size_t{8}, .answer = [](std::size_t) {
                const std::uint64_t sequence = input.near(position + 1);
                return (sequence & 0xffff'ffffU) | std::uint64_t{input.take<std::uint8_t>() % 6U}
                                                       << 32U;
              }};
  std::array<bool, kHandles> flags{}, lent{};
  shm::ReturnsReader<HostileMachine> reader(&ring, kHandles, flags);
  bool broken = false;
  position = 0;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    const std::uint32_t lend = input.take<std::uint8_t>() % kHandles;
    if (!lent[lend]) reader.lend(lend);
    lent[lend] = true;
    ring.begin();
    std::uint32_t handle = ~0U;
    const Look look = reader.take(handle);
    if (broken) {
      require(look == Look::kBroken && ring.count == 0, "broken is for good");
      continue;
    }
    const std::uint64_t told = ring.told(position % kHandles * std::size_t{8});
    if (static_cast<std::uint32_t>(told) != position + 1) {
      require(look == Look::kNothing, "another sequence is nothing");
      continue;
    }
    broken = told >> 32U >= kHandles || !lent[told >> 32U];
    require((look == Look::kBroken) == broken, "only what was lent comes back");
    if (broken) continue;
    require(handle == told >> 32U, "the handle is what was checked");
    lent[handle] = false;
    ++position;
  }
}

}  // namespace
}  // namespace comch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace comch::fuzz;
  input = {std::span(bytes, size)};
  switch (input.take<std::uint8_t>() % 3) {
    case 0:
      fuzz_reader();
      break;
    case 1:
      fuzz_writer();
      break;
    default:
      fuzz_returns();
  }
  return 0;
}
