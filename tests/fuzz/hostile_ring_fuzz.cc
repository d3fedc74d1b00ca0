// hostile_ring_fuzz: a RecordRing whose other side is the fuzzer: every read of shared memory
// answers what the next bytes of the input make of it.
//
// The oracle knows what each half may do with the answers it got: which bytes it may touch,
// how often it may look, and what it must conclude. Anything else is a crash. RING_HEADER
// names the header under test, which may have a planted mistake (see plant.py).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#ifndef RING_HEADER
#define RING_HEADER "shm/record_ring.h"
#endif
#include RING_HEADER

#include "input.h"

namespace comch::fuzz {
namespace {

constexpr std::uint32_t kCapacity = 256;
constexpr std::uint32_t kMaxMessage = 100;
constexpr std::uint32_t kQueue = 12;

// What the half under test did since the last begin().
struct Trace {
  std::array<std::uint64_t, 8> headers{};  // What it was told the headers are.
  std::size_t header_loads = 0;
  std::size_t copies = 0;
  std::array<std::uint64_t, 2> heads{};  // What it was told the heads are: bytes, messages.
  std::size_t head_loads = 0;
};

Trace trace;

// A header: nothing, a message, a stamped one, a padding that is right for this place, or anything.
std::uint64_t hostile_header(std::size_t offset) {
  switch (input.take<std::uint8_t>() % 6) {
    case 0:
      return 0;
    case 1:
      return shm::record_header(shm::kRecordMessage, input.take<std::uint8_t>() % 128);
    case 2:
      return shm::record_header(shm::kRecordPadding,
                                kCapacity - static_cast<std::uint32_t>(offset) - 8);
    case 3:
      return shm::record_header(input.take<std::uint8_t>() % 4U, input.take<std::uint32_t>());
    case 4:
      return (input.take<std::uint64_t>() & ~0xff'0000'ff80U) | 3ULL << 32U;
    default:
      return input.take<std::uint64_t>();
  }
}

struct HostileMachine {
  template <class T>
  class Atomic {
   public:
    T load(std::memory_order) const {
      const std::uint64_t told = input.near(written_);
      if (trace.head_loads < trace.heads.size()) trace.heads[trace.head_loads] = told;
      ++trace.head_loads;
      return static_cast<T>(told);
    }
    void store(T value, std::memory_order) { written_ = value; }

   private:
    T written_{};
  };

  using Data = std::byte*;

  static std::uint64_t load_header(Data, std::size_t offset, std::memory_order) {
    require(offset <= kCapacity - 8 && offset % 8 == 0, "a header lies in the ring, aligned");
    const std::uint64_t header = hostile_header(offset);
    require(trace.header_loads < 2, "a look reads one header, or two past a padding");
    trace.headers[trace.header_loads++] = header;
    return header;
  }

  static void store_header(Data data, std::size_t offset, std::uint64_t value, std::memory_order) {
    require(offset <= kCapacity - 8 && offset % 8 == 0, "a header is written in the ring");
    std::memcpy(data + offset, &value, sizeof value);
  }

  static void copy_in(Data data, std::size_t offset, const std::byte* from, std::size_t size) {
    require(offset <= kCapacity && size <= kCapacity - offset, "a payload is written in the ring");
    ++trace.copies;
    if (size != 0) std::memcpy(data + offset, from, size);
  }

  static void copy_out(std::byte* to, Data data, std::size_t offset, std::size_t size) {
    require(size <= kMaxMessage, "a payload fits the scratch");
    require(offset <= kCapacity && size <= kCapacity - offset, "a payload is read in the ring");
    ++trace.copies;
    if (size != 0) std::memcpy(to, data + offset, size);
  }

  static void full_fence() {}
  static void prefetch(Data, std::size_t) {}
  static void light_fence() {}
};

using Shared = shm::RingShared<HostileMachine>;

// What a receiver at `place` must conclude from the headers that it was told.
shm::Look conclusion(std::uint32_t place, bool stamped, std::uint32_t& length) {
  std::uint64_t header = trace.headers[0];
  std::uint32_t room = kCapacity - place;
  if (header == 0) return shm::Look::kNothing;
  if (header >> 32 == 2) {
    if ((header & 0xffff'ffff) != room - 8) return shm::Look::kBroken;
    header = trace.headers[1];
    room = kCapacity;
  }
  length = static_cast<std::uint32_t>(stamped ? header & 0xffff : header);
  const std::uint64_t stride = 8 + (std::uint64_t{length} + 7) / 8 * 8;
  const bool is_message = stamped ? (header >> 32 & 0xff) == 3 : header >> 32 == 1;
  if (!is_message || length > kMaxMessage || stride > room) return shm::Look::kBroken;
  return shm::Look::kMessage;
}

// The fuzzer sends, we receive.
void fuzz_receiver() {
  Shared shared;
  alignas(8) std::array<std::byte, kCapacity> data{};
  const bool stamped = input.take<std::uint8_t>() % 2 == 0;
  shm::RecordReceiver<HostileMachine> receiver(shared, data.data(), kCapacity, kMaxMessage, kQueue,
                                               stamped);
  std::uint32_t place = 0;  // Where the receiver must stand.
  bool broken = false;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    std::array<std::byte, kMaxMessage> scratch;
    std::uint32_t size = 0;
    std::uint32_t length = 0;
    trace = {};
    const shm::Look look = receiver.look(scratch.data(), size);
    if (broken) {
      require(look == shm::Look::kBroken && trace.header_loads == 0, "broken is for good");
      continue;
    }
    const shm::Look expected = conclusion(place, stamped, length);
    require(look == expected, "what is no record breaks the ring, and nothing else does");
    require(trace.header_loads == (trace.headers[0] >> 32 == 2 && trace.header_loads == 2 ? 2 : 1),
            "a header is read once");
    broken = look == shm::Look::kBroken;
    require(receiver.broken() == broken, "broken() says so");
    if (look != shm::Look::kMessage) continue;
    require(size == length && trace.copies == 1, "the payload is copied once, as long as it is");
    const std::uint64_t header = trace.headers[trace.header_loads - 1];
    require(!stamped || receiver.stamp() == (header >> 40 << 16 | (header >> 16 & 0xffff)),
            "a stamp is what its header says");
    if (trace.headers[0] >> 32 == 2) place = 0;
    if (input.take<std::uint8_t>() % 4 == 0) continue;  // Look again.
    receiver.pop();
    place = (place + 8 + (length + 7) / 8 * 8) % kCapacity;
    if (input.take<std::uint8_t>() % 4 == 0) static_cast<void>(receiver.flush());
  }
}

// The fuzzer receives, we send.
void fuzz_sender() {
  Shared shared;
  alignas(8) std::array<std::byte, kCapacity> data{};
  shm::RecordSender<HostileMachine> sender(shared, data.data(), kCapacity, kMaxMessage, kQueue);
  shm::BellRinger<HostileMachine> bell(shared.data_bell);
  std::array<std::byte, kMaxMessage + 1> message{};
  std::uint64_t tail = 0, sent = 0, head = 0, read = 0;  // Whole numbers, and the last sound heads.
  bool broken = false;
  for (int step = 0; step < 64 && !input.bytes.empty(); ++step) {
    const std::uint32_t size = input.take<std::uint8_t>() % (kMaxMessage + 2U);
    trace = {};
    const Status pushed = sender.push(std::span(message).first(size));
    if (size > kMaxMessage) {
      require(!pushed && pushed.error().code == Errc::too_big, "too_big above the limit");
      continue;
    }
    require(trace.head_loads == 0 || (trace.head_loads == 2 && !broken), "each head is read once");
    if (trace.head_loads == 2) {
      // Plain comparisons of numbers that do not come round in so few steps.
      if (trace.heads[0] < head || trace.heads[0] > tail || trace.heads[1] < read ||
          trace.heads[1] > sent) {
        broken = true;
      } else {
        head = trace.heads[0];
        read = trace.heads[1];
      }
    }
    require(sender.broken() == broken, "an impossible head breaks the ring, and nothing else does");
    if (broken) {
      require(!pushed && pushed.error().code == Errc::connection_reset, "broken is for good");
      continue;
    }
    const std::uint64_t stride = 8 + (size + 7) / 8 * 8;
    const std::uint64_t room = kCapacity - tail % kCapacity;
    const std::uint64_t taken = stride > room ? room + stride : stride;
    const bool fits = tail + taken + 8 - head <= kCapacity && sent - read < kQueue;
    require(pushed.has_value() == fits, "a message is sent exactly when there is room");
    if (pushed) {
      tail += taken;
      ++sent;
      static_cast<void>(bell.should_ring());
    }
  }
}

}  // namespace
}  // namespace comch::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace comch::fuzz;
  input = {std::span(bytes, size)};
  if (input.take<std::uint8_t>() % 2 == 0) {
    fuzz_receiver();
  } else {
    fuzz_sender();
  }
  return 0;
}
