// rdma_packet_fuzz: decode_rdma() of whatever another machine may send about its consumers and
// producers.
//
// The oracle is the tables of FORMAT.md; see fast_packet_fuzz.cc. The sources may be copies with a
// planted mistake (see plant_tree.py).
#include <array>
#include <cstdio>
#include <cstdlib>

#include "input.h"
#include "packet_input.h"
#include "wire/frame.cc"
#include "wire/rdma_packet.cc"

namespace {

using namespace comch;
using fuzz::is_id;
using fuzz::number;
using fuzz::Packet;
using fuzz::require;

// --- The tables --------------------------------------------------------------------------

constexpr std::uint64_t kMost = 1ULL << 47U;  // Bytes of memory that is spoken of.

bool is_pair(const Packet& bytes, std::size_t at) {
  return number(bytes, at, 4) != 0 && number(bytes, at, 4) < 1U << 24U &&
         number(bytes, at + 4, 4) < 1U << 24U;
}

bool is_target(const Packet& bytes, std::size_t at, std::uint64_t size) {
  const std::uint64_t address = number(bytes, at, 8);
  return address != 0 && address + size > address;
}

bool is_consumer(const Packet& bytes) {
  const std::uint64_t depth = number(bytes, 16, 4), size = number(bytes, 32, 8);
  return bytes.size() == 52 && depth >= 1 && depth <= 8192 && number(bytes, 20, 4) <= 256 &&
         is_pair(bytes, 24) && size >= 1 && size <= kMost && is_target(bytes, 40, size);
}

// Whether a correct peer can have written that about the fast path.
bool is_sound(const Packet& bytes) {
  if (!fuzz::is_header(bytes) || !is_id(number(bytes, 12, 4))) return false;
  const bool has_lane = number(bytes, 16, 4) != 0;
  switch (fuzz::kind_of(bytes)) {
    case 32:
      return is_consumer(bytes);
    case 33:
      return bytes.size() == 36 && is_pair(bytes, 16) && is_target(bytes, 24, kMost);
    case 34:
      return bytes.size() == 28 && has_lane && is_pair(bytes, 20);
    case 35:
      return bytes.size() == 40 && has_lane && is_pair(bytes, 20) && is_target(bytes, 28, kMost);
    case 36:
      return bytes.size() == 20 && has_lane;
    case 37:
      return bytes.size() == 24 && has_lane;
    case 38:
    case 39:
      return bytes.size() == 16;
    case 40:
      return bytes.size() == 21 && number(bytes, 20, 1) >= 1 && number(bytes, 20, 1) <= 30;
    default:
      return false;
  }
}

// --- Inputs ------------------------------------------------------------------------------

Packet sound_packet(unsigned which) {
  using namespace wire;
  constexpr PairEnd kPair{.number = 17, .first_packet = 4711};
  constexpr Target kTarget{.address = 0x7f0000001000, .key = 7};
  const std::array<RdmaPacket, 9> packets = {
      RdmaConsumer{.id = 2,
                   .depth = 64,
                   .immediate_max = 32,
                   .line = kPair,
                   .map_size = 4096,
                   .map = kTarget},
      RdmaAccepted{.id = 2, .line = kPair, .board = kTarget},
      RdmaLane{.consumer = 2, .number = 1, .pair = kPair},
      RdmaLaneReady{.consumer = 2, .number = 1, .pair = kPair, .lane = kTarget},
      RdmaLaneEnd{.consumer = 2, .number = 1},
      RdmaLaneOver{.consumer = 2, .number = 1, .messages = 3},
      RdmaConsumerEnd{2},
      RdmaConsumerDone{2},
      RdmaRefused{.consumer = 2, .lane = 0, .code = Errc::no_memory}};
  Packet bytes(kMaxPacket);
  bytes.resize(encode(packets[which % packets.size()], bytes));
  return bytes;
}

void check(const Packet& bytes) {
  const Result<wire::RdmaPacket> packet = wire::decode_rdma(bytes);
  require(packet.has_value() == is_sound(bytes), "a packet is what its table says");
  if (!packet) return fuzz::check_refused(packet.error());
  fuzz::check_written(*packet, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check(fuzz::packet_of({bytes, size}, sound_packet, {32, 40}));
  return 0;
}
