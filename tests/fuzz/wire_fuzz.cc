// wire_fuzz: decode() of whatever a peer may send.
//
// The oracle: what decode() lets through is exactly what encode() would have written, byte for
// byte; so nothing is accepted that no correct peer writes. Some inputs get a sound
// header, for the fuzzer to spend its time behind it, or are a sound packet with some bytes
// changed. The sources may be copies with a planted mistake (see plant_tree.py).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "input.h"
#include "packet_input.h"
#include "wire/frame.cc"
#include "wire/handshake.cc"

namespace {

using namespace comch;
using fuzz::require;

using Bytes = std::vector<std::byte>;  // Exactly its size, so that one byte too far is seen.

Bytes sound_packet(unsigned which) {
  using namespace wire;
  const std::array<Packet, 4> packets = {Hello{.max_message_size = 4080,
                                               .recv_queue_size = 64,
                                               .membarrier = true,
                                               .acting = std::nullopt,
                                               .representor = "0000:b1:00.0",
                                               .name = "echo"},
                                         Welcome{.recv_queue_size = 64,
                                                 .membarrier = false,
                                                 .connection_id = 1,
                                                 .to_server_capacity = 4096,
                                                 .to_client_capacity = 8192},
                                         Refusal{.code = Errc::full, .reason = "full"}, Goodbye{}};
  Bytes bytes(kMaxPacket);
  bytes.resize(std::visit([&](const auto& packet) { return encode(packet, bytes); },
                          packets[which % packets.size()]));
  return bytes;
}

Bytes packet_of(std::span<const std::uint8_t> input) {
  const auto raw = std::as_bytes(input);
  if (input.empty() || input[0] % 3 == 0) return {raw.begin(), raw.end()};
  if (input[0] % 3 == 1) {  // Pairs of a place and what stands there.
    Bytes packet = sound_packet(input[0] / 3U);
    for (std::size_t n = 1; n + 1 < raw.size() && n < 16; n += 2) {
      packet[input[n] % packet.size()] = raw[n + 1];
    }
    return packet;
  }
  Bytes packet(12 + input.size() - 1);
  wire::Writer out(packet);
  out.number(std::uint32_t{0x48434D43});
  out.number(wire::kVersion);
  out.number(static_cast<std::uint16_t>(1 + input[0] / 3 % 5));
  out.number(static_cast<std::uint32_t>(packet.size()));
  std::copy(raw.begin() + 1, raw.end(), packet.begin() + 12);
  return packet;
}

void check(std::span<const std::byte> bytes) {
  const Result<wire::Packet> packet = wire::decode(bytes);
  if (!packet) return fuzz::check_refused(packet.error());
  std::visit([&](const auto& body) { fuzz::check_written(body, bytes); }, *packet);
  if (const auto* refusal = std::get_if<wire::Refusal>(&*packet)) {
    for (const char c : wire::printable(refusal->reason)) {
      require(c >= 0x20 && c < 0x7f, "a peer's text is shown printable");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check(packet_of({bytes, size}));
  return 0;
}
