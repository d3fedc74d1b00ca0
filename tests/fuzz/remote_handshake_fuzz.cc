// remote_handshake_fuzz: what a caller from another machine, or whoever answers a call, may say
// before anything is known of it: as private data of the connection manager, and as packets.
//
// The oracle is the tables of FORMAT.md; see fast_packet_fuzz.cc. The sources may be copies with a
// planted mistake (see plant_tree.py).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <variant>

#include "input.h"
#include "packet_input.h"
#include "wire/frame.cc"
#include "wire/remote_handshake.cc"

namespace {

using namespace comch;
using fuzz::check_written;
using fuzz::number;
using fuzz::Packet;
using fuzz::require;

// --- The tables --------------------------------------------------------------------------

bool is_refusal(const Packet& bytes) {
  return number(bytes, 12, 1) >= 1 && number(bytes, 12, 1) <= 30 &&
         fuzz::is_text(bytes, 13, 0, 255);
}

bool is_hello(const Packet& bytes) {
  const auto between = [&](std::size_t at, std::uint64_t most) {
    return number(bytes, at, 4) >= 1 && number(bytes, at, 4) <= most;
  };
  const std::uint64_t flags = number(bytes, 36, 4);
  return between(12, 65'535) && between(16, 8192) && between(20, 8192) && flags <= 1 &&
         (flags == 1 || number(bytes, 40, 8) == 0) && fuzz::is_text(bytes, 80, 1, 119);
}

bool is_welcome(const Packet& bytes) {
  const std::uint64_t queue = number(bytes, 12, 4), window = number(bytes, 16, 4);
  return bytes.size() == 40 && queue >= 1 && queue <= 8192 && window >= 1 && window <= 8192;
}

// Whether a correct peer can have sent that.
bool is_sent(const Packet& bytes) {
  if (!fuzz::is_header(bytes)) return false;
  switch (fuzz::kind_of(bytes)) {
    case 3:
      return is_refusal(bytes);
    case 18:
      return is_hello(bytes);
    case 19:
      return bytes.size() == 76;
    case 20:
      return bytes.size() == 44;
    case 21:
      return is_welcome(bytes);
    default:
      return false;
  }
}

// The packet in a field of private data, which is filled up with zeros. Nothing: there is none.
std::optional<Packet> filled(const Packet& field) {
  const std::uint64_t size = number(field, 8, 4);
  if (field.size() < 12 || size > field.size()) return std::nullopt;
  const auto end = field.begin() + static_cast<std::ptrdiff_t>(size);
  if (std::any_of(end, field.end(), [](std::byte b) { return b != std::byte{}; })) {
    return std::nullopt;
  }
  Packet packet(field.begin(), end);
  if (!fuzz::is_header(packet)) return std::nullopt;
  return packet;
}

bool is_call(const Packet& bytes) {
  const std::uint64_t least = number(bytes, 12, 2);
  return fuzz::kind_of(bytes) == 16 && bytes.size() == 24 && least >= 1 &&
         least <= number(bytes, 14, 2);
}

bool is_answer(const Packet& bytes) {
  return fuzz::kind_of(bytes) == 17 && bytes.size() == 16 && number(bytes, 12, 2) == 1 &&
         number(bytes, 14, 2) <= 1;
}

// --- Inputs ------------------------------------------------------------------------------

template <class Body>
Packet encoded(const Body& body) {
  Packet bytes(wire::kMaxPacket);
  bytes.resize(wire::encode(body, bytes));
  return bytes;
}

Packet sound_packet(unsigned which) {
  using namespace wire;
  switch (which % 8) {
    case 0:
      return encoded(Call{.name_hash = 0x3000e56026044164});
    case 1:
      return encoded(Answer{.wants_key = true});
    case 2:
      return encoded(RemoteHello{.max_message_size = 4080,
                                 .recv_queue_size = 64,
                                 .window = 64,
                                 .process = {1000, 100, 4242},
                                 .acting = Identity{1001, 1001},
                                 .nonce = {},
                                 .name = "echo"});
    case 3:
      return encoded(Challenge{});
    case 4:
      return encoded(Proof{});
    case 5:
      return encoded(RemoteWelcome{
          .recv_queue_size = 128, .window = 128, .connection_id = 1, .process = {1, 2, 3}});
    case 6:
      return encoded(Refusal{.code = Errc::full, .reason = "full"});
    default: {
      Packet field = encoded(Call{.name_hash = 1});
      field.resize(56);  // As rdma_cm fills it up.
      return field;
    }
  }
}

// --- The rules ---------------------------------------------------------------------------

void check_sent(const Packet& bytes) {
  const Result<wire::RemotePacket> packet = wire::decode_remote(bytes);
  require(packet.has_value() == is_sent(bytes), "a packet is what its table says");
  if (packet) std::visit([&](const auto& body) { check_written(body, bytes); }, *packet);
}

void check_fields(const Packet& field) {
  const std::optional<Packet> packet = filled(field);
  const Result<wire::Call> call = wire::decode_call(field);
  require(call.has_value() == (packet && is_call(*packet)), "a Call is what its table says");
  if (call) {
    check_written(*call, *packet);
    const bool ours = number(*packet, 12, 2) == 1;
    require(wire::choose_version(*call).has_value() == ours, "version 1 alone is spoken");
  }
  const Result<wire::Answer> answer = wire::decode_answer(field);
  require(answer.has_value() == (packet && is_answer(*packet)), "an Answer is what its table says");
  if (answer) check_written(*answer, *packet);
  const Result<wire::Refusal> refusal = wire::decode_refusal(field);
  require(refusal.has_value() == (packet && fuzz::kind_of(*packet) == 3 && is_refusal(*packet)),
          "a Refusal is what its table says");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Packet packet = fuzz::packet_of({bytes, size}, sound_packet, {16, 21});
  check_sent(packet);
  check_fields(packet);
  return 0;
}
