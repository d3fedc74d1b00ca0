// fast_packet_fuzz: decode_fast() and read_frame() of whatever a peer may send.
//
// The oracle reads the bytes by the tables of FORMAT.md, with none of the code under test: what
// they allow is accepted, and nothing else is. What is accepted is, byte for byte, what encode()
// writes. The sources may be copies with a planted mistake (see plant_tree.py).
#include <array>
#include <cstdio>
#include <cstdlib>

#include "input.h"
#include "packet_input.h"
#include "wire/fast_packet.cc"
#include "wire/frame.cc"

namespace {

using namespace comch;
using fuzz::is_header;
using fuzz::is_id;
using fuzz::kind_of;
using fuzz::number;
using fuzz::require;
using Bytes = fuzz::Packet;

// --- The tables --------------------------------------------------------------------------

bool is_offset(std::uint64_t offset) { return offset % 4096 == 0 && offset <= 1ULL << 47U; }

bool is_consumer(const Bytes& bytes) {
  if (bytes.size() != 53 || number(bytes, 24, 4) > 1) return false;
  const std::uint64_t depth = number(bytes, 16, 4), size = number(bytes, 36, 8);
  const std::uint64_t way = number(bytes, 52, 1);
  return is_id(number(bytes, 12, 4)) && depth >= 1 && depth <= 8192 &&
         number(bytes, 20, 4) <= 256 && is_offset(number(bytes, 28, 8)) && size <= 1ULL << 47U &&
         way >= 1 && way <= 4 && (way != 1 || size != 0) && (way != 4 || size == 0);
}

bool is_lane(const Bytes& bytes) {
  return bytes.size() == 32 && number(bytes, 16, 4) <= 8192 && number(bytes, 20, 4) <= 8192 &&
         number(bytes, 24, 8) <= 1ULL << 30U;
}

bool is_map(const Bytes& bytes) {
  return bytes.size() == 32 && is_offset(number(bytes, 16, 8)) && number(bytes, 24, 8) >= 1 &&
         number(bytes, 24, 8) <= 1ULL << 47U;
}

// Whether a correct peer can have written that on the fast path.
bool is_sound(const Bytes& bytes) {
  if (!is_header(bytes)) return false;
  switch (kind_of(bytes)) {
    case 6:
      return is_consumer(bytes);
    case 7:
      return bytes.size() == 16 && is_id(number(bytes, 12, 4));
    case 8:
      return bytes.size() == 16 && number(bytes, 12, 4) <= 1;
    case 9:
      return is_lane(bytes);
    case 10:
    case 12:
    case 13:
      return bytes.size() == 16;
    case 11:
      return is_map(bytes);
    default:
      return false;
  }
}

// --- Inputs ------------------------------------------------------------------------------

Bytes sound_packet(unsigned which) {
  using namespace wire;
  const std::array<FastPacket, 10> packets = {
      Consumer{.id = 2, .depth = 64, .immediate_max = 32, .way = Way::kMapped, .map_size = 4096},
      Consumer{.id = 3, .depth = 8192, .immediate_max = 256, .way = Way::kCma, .membarrier = true},
      Consumer{.id = 4, .depth = 256, .immediate_max = 8, .way = Way::kView},
      ConsumerEnd{2},
      Accepted{true},
      Lane{.producer = 1, .slots = 8, .handles = 1024, .bounce_size = 65'536},
      LaneEnd{1},
      Map{.number = 0, .offset = 4096, .size = 8192},
      MapEnd{0},
      File{0}};
  Bytes bytes(kMaxPacket);
  bytes.resize(encode(packets[which % packets.size()], bytes));
  return bytes;
}

void check(const Bytes& bytes) {
  const Result<wire::Frame> frame = wire::read_frame(bytes);
  require(frame.has_value() == is_header(bytes), "a header is what the table says");
  const Result<wire::FastPacket> packet = wire::decode_fast(bytes);
  require(packet.has_value() == is_sound(bytes), "a packet is what its table says");
  const bool is_fast = is_header(bytes) && kind_of(bytes) >= 6 && kind_of(bytes) <= 13;
  require(wire::is_fast(bytes) == is_fast, "a packet of the fast path is known by its kind");
  if (!packet) return fuzz::check_refused(packet.error());
  fuzz::check_written(*packet, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check(fuzz::packet_of({bytes, size}, sound_packet, {6, 13}));
  return 0;
}
