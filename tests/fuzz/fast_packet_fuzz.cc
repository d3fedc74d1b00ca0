// fast_packet_fuzz: decode_fast() and read_frame() of whatever a peer may send.
//
// The oracle reads the bytes by the tables of FORMAT.md, with none of the code under test: what
// they allow is accepted, and nothing else is. What is accepted is, byte for byte, what encode()
// writes. The sources may be copies with a planted mistake (see plant_tree.py).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "input.h"
#include "wire/fast_packet.cc"
#include "wire/frame.cc"

namespace {

using namespace comch;
using fuzz::require;

using Bytes = std::vector<std::byte>;  // Exactly its size, so that one byte too far is seen.

// --- The tables --------------------------------------------------------------------------

std::uint64_t number(const Bytes& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t n = size; n > 0; --n) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + n - 1]);
  }
  return value;
}

bool is_kind(std::uint64_t kind) {
  return (kind >= 1 && kind <= 11) || (kind >= 16 && kind <= 21) || (kind >= 32 && kind <= 40);
}

bool is_header(const Bytes& bytes) {
  return bytes.size() >= 12 && bytes.size() <= 512 && number(bytes, 0, 4) == 0x48434d43 &&
         number(bytes, 4, 2) == 1 && is_kind(number(bytes, 6, 2)) &&
         number(bytes, 8, 4) == bytes.size();
}

bool is_id(std::uint64_t id) { return id != 0 && id != 65'535; }

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
  switch (number(bytes, 6, 2)) {
    case 6:
      return is_consumer(bytes);
    case 7:
      return bytes.size() == 16 && is_id(number(bytes, 12, 4));
    case 8:
      return bytes.size() == 16 && number(bytes, 12, 4) <= 1;
    case 9:
      return is_lane(bytes);
    case 10:
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
  const std::array<FastPacket, 8> packets = {
      Consumer{.id = 2, .depth = 64, .immediate_max = 32, .way = Way::kMapped, .map_size = 4096},
      Consumer{.id = 3, .depth = 8192, .immediate_max = 256, .way = Way::kCma, .membarrier = true},
      Consumer{.id = 4, .depth = 256, .immediate_max = 8, .way = Way::kView},
      ConsumerEnd{2},
      Accepted{true},
      Lane{.producer = 1, .slots = 8, .handles = 1024, .bounce_size = 65'536},
      LaneEnd{1},
      Map{.number = 0, .offset = 4096, .size = 8192}};
  Bytes bytes(kMaxPacket);
  bytes.resize(encode(packets[which % packets.size()], bytes));
  return bytes;
}

// Numbers beside which the limits lie.
constexpr std::array<std::uint64_t, 12> kLimits = {
    0, 1, 256, 4096, 8192, 65'535, 65'536, 1ULL << 30U, 1ULL << 31U, 1ULL << 47U, 1ULL << 63U, 512};

Bytes packet_of(std::span<const std::uint8_t> input) {
  const auto raw = std::as_bytes(input);
  if (input.empty() || input[0] % 4 == 0) return {raw.begin(), raw.end()};
  if (input[0] % 4 == 3) {  // A sound header, and whatever behind it.
    Bytes packet(12 + input.size() - 1);
    wire::Writer out(packet);
    out.number(wire::kMagic);
    out.number(wire::kVersion);
    out.number(static_cast<std::uint16_t>(5 + input[0] / 4 % 8));
    out.number(static_cast<std::uint32_t>(packet.size()));
    std::copy(raw.begin() + 1, raw.end(), packet.begin() + 12);
    return packet;
  }
  Bytes packet = sound_packet(input[0] / 4U);
  if (input[0] % 4 == 1) {  // Pairs of a place and what stands there.
    for (std::size_t n = 1; n + 1 < raw.size() && n < 16; n += 2) {
      packet[input[n] % packet.size()] = raw[n + 1];
    }
    return packet;
  }
  // A number near a limit at a place where one begins.
  for (std::size_t n = 1; n + 2 < input.size() && n < 9; n += 3) {
    const std::size_t at = 12 + 4 * (input[n] % 11U);
    const std::uint64_t value = kLimits[input[n + 1] % kLimits.size()] + input[n + 2] % 5U - 2;
    const std::size_t size = (input[n + 2] & 0x80U) != 0 ? 8 : 4;
    for (std::size_t k = 0; k < size && at + k < packet.size(); ++k) {
      packet[at + k] = static_cast<std::byte>(value >> (8 * k));
    }
  }
  return packet;
}

void check(const Bytes& bytes) {
  const Result<wire::Frame> frame = wire::read_frame(bytes);
  require(frame.has_value() == is_header(bytes), "a header is what the table says");
  const Result<wire::FastPacket> packet = wire::decode_fast(bytes);
  require(packet.has_value() == is_sound(bytes), "a packet is what its table says");
  const bool is_fast = is_header(bytes) && number(bytes, 6, 2) >= 6 && number(bytes, 6, 2) <= 11;
  require(wire::is_fast(bytes) == is_fast, "a packet of the fast path is known by its kind");
  if (!packet) {
    require(packet.error().code == Errc::connection_reset ||
                packet.error().code == Errc::unsupported_version,
            "a refused packet has one of two reasons");
    return;
  }
  std::array<std::byte, wire::kMaxPacket> again;
  const std::size_t size = wire::encode(*packet, again);
  require(size == bytes.size() && std::equal(bytes.begin(), bytes.end(), again.begin()),
          "an accepted packet is one that encode() writes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check(packet_of({bytes, size}));
  return 0;
}
