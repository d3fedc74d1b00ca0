// Handshake: see handshake.h. One pair of functions per packet, fields in the order of
// FORMAT.md; encode() and decode() share the question whether a packet is within its limits.
#include "wire/handshake.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "wire/frame.h"

namespace comch::wire {
namespace {

constexpr std::uint32_t kFlagMembarrier = 1;
constexpr std::uint32_t kFlagActing = 2;   // Hello only.
constexpr std::uint32_t kFlagStamped = 2;  // Welcome only.

bool within(std::uint32_t value, std::uint32_t limit) { return value >= 1 && value <= limit; }

bool is_text(std::string_view text, std::size_t limit) {
  return text.size() <= limit && text.find('\0') == std::string_view::npos;
}

bool is_ring(std::uint32_t capacity) {
  return capacity >= kMinRing && capacity <= kMaxRing && std::has_single_bit(capacity);
}

bool legal(const Hello& hello) {
  return hello.min_version >= 1 && hello.min_version <= hello.max_version &&
         within(hello.max_message_size, kMaxMessage) && within(hello.recv_queue_size, kMaxQueue) &&
         is_text(hello.representor, kMaxRepresentor) && is_text(hello.name, kMaxName) &&
         !hello.name.empty();
}

bool legal(const Welcome& welcome) {
  return welcome.version >= 1 && !(welcome.version == 1 && welcome.stamped) &&
         within(welcome.recv_queue_size, kMaxQueue) && is_ring(welcome.to_server_capacity) &&
         is_ring(welcome.to_client_capacity);
}

bool is_errc(std::uint8_t number) {
  return number >= std::to_underlying(Errc::unknown) && number <= std::to_underlying(Errc::skipped);
}

bool legal(const Refusal& refusal) {
  return is_errc(std::to_underlying(refusal.code)) && is_text(refusal.reason, kMaxReason);
}

bool legal(const Doorbell&) { return true; }
bool legal(const Goodbye&) { return true; }

void write(Writer& out, const Hello& hello) {
  out.number(hello.min_version);
  out.number(hello.max_version);
  out.number(hello.max_message_size);
  out.number(hello.recv_queue_size);
  out.number((hello.membarrier ? kFlagMembarrier : 0U) | (hello.acting ? kFlagActing : 0U));
  const Identity acting = hello.acting.value_or(Identity{});
  out.number(acting.uid);
  out.number(acting.gid);
  out.text(hello.representor);
  out.text(hello.name);
}

void write(Writer& out, const Welcome& welcome) {
  out.number(welcome.version);
  out.number(std::uint16_t{0});
  out.number(welcome.recv_queue_size);
  out.number((welcome.membarrier ? kFlagMembarrier : 0U) | (welcome.stamped ? kFlagStamped : 0U));
  out.number(welcome.connection_id);
  out.number(welcome.to_server_capacity);
  out.number(welcome.to_client_capacity);
}

void write(Writer& out, const Refusal& refusal) {
  out.number(static_cast<std::uint8_t>(refusal.code));
  out.text(refusal.reason);
}

void write(Writer&, const Doorbell&) {}

void write(Writer& out, const Goodbye& goodbye) {
  out.number(static_cast<std::uint8_t>(goodbye.orderly ? 1 : 0));
}

template <class Body>
std::size_t encode_as(Kind kind, const Body& body, std::span<std::byte> out) {
  if (!legal(body)) return 0;
  return write_frame(kind, out, [&](Writer& writer) { write(writer, body); });
}

std::unexpected<Error> nonsense(const char* what) { return fail(Errc::connection_reset, what); }

// Set bits that mean nothing are refused: they could not be given a meaning later if today's
// peers sent them by accident.
bool known(std::uint32_t flags, std::uint32_t mask) { return (flags & ~mask) == 0; }

Result<Packet> read_hello(Reader in) {
  Hello hello;
  hello.min_version = in.number<std::uint16_t>();
  hello.max_version = in.number<std::uint16_t>();
  hello.max_message_size = in.number<std::uint32_t>();
  hello.recv_queue_size = in.number<std::uint32_t>();
  const auto flags = in.number<std::uint32_t>();
  const auto uid = in.number<std::uint32_t>();
  const auto gid = in.number<std::uint32_t>();
  hello.membarrier = (flags & kFlagMembarrier) != 0;
  if ((flags & kFlagActing) != 0) hello.acting = Identity{uid, gid};
  hello.representor = in.text(kMaxRepresentor);
  hello.name = in.text(kMaxName);
  if (!in.done() || !known(flags, kFlagMembarrier | kFlagActing) || !legal(hello)) {
    return nonsense("a Hello no correct peer writes");
  }
  if (!hello.acting && (uid != 0 || gid != 0)) return nonsense("an identity that is not declared");
  return hello;
}

Result<Packet> read_welcome(Reader in) {
  Welcome welcome;
  welcome.version = in.number<std::uint16_t>();
  const auto reserved = in.number<std::uint16_t>();
  welcome.recv_queue_size = in.number<std::uint32_t>();
  const auto flags = in.number<std::uint32_t>();
  welcome.membarrier = (flags & kFlagMembarrier) != 0;
  welcome.stamped = (flags & kFlagStamped) != 0;
  welcome.connection_id = in.number<std::uint64_t>();
  welcome.to_server_capacity = in.number<std::uint32_t>();
  welcome.to_client_capacity = in.number<std::uint32_t>();
  if (!in.done() || reserved != 0 || !known(flags, kFlagMembarrier | kFlagStamped) ||
      !legal(welcome)) {
    return nonsense("a Welcome no correct peer writes");
  }
  if (welcome.version > kNewestVersion) {
    return fail(Errc::unsupported_version, "the server chose a version that was not offered");
  }
  return welcome;
}

Result<Packet> read_refusal(Reader in) {
  const auto code = in.number<std::uint8_t>();
  std::string reason = in.text(kMaxReason);
  if (!in.done() || !is_errc(code)) return nonsense("a Refusal no correct peer writes");
  Refusal refusal{static_cast<Errc>(code), std::move(reason)};
  if (!legal(refusal)) return nonsense("a Refusal no correct peer writes");
  return refusal;
}

Result<Packet> read_doorbell(Reader in) {
  if (!in.done()) return nonsense("a Doorbell no correct peer writes");
  return Doorbell{};
}

Result<Packet> read_goodbye(Reader in) {
  const auto orderly = in.number<std::uint8_t>();
  if (!in.done() || orderly > 1) return nonsense("a Goodbye no correct peer writes");
  return Goodbye{orderly == 1};
}

}  // namespace

std::size_t encode(const Hello& hello, std::span<std::byte> out) {
  return encode_as(Kind::kHello, hello, out);
}

std::size_t encode(const Welcome& welcome, std::span<std::byte> out) {
  return encode_as(Kind::kWelcome, welcome, out);
}

std::size_t encode(const Refusal& refusal, std::span<std::byte> out) {
  return encode_as(Kind::kRefusal, refusal, out);
}

std::size_t encode(const Doorbell& doorbell, std::span<std::byte> out) {
  return encode_as(Kind::kDoorbell, doorbell, out);
}

std::size_t encode(const Goodbye& goodbye, std::span<std::byte> out) {
  return encode_as(Kind::kGoodbye, goodbye, out);
}

Result<Packet> decode(std::span<const std::byte> bytes) {
  const Result<Frame> frame = read_frame(bytes);
  if (!frame) return std::unexpected(frame.error());
  const Reader body(frame->body);
  switch (frame->kind) {
    case Kind::kHello:
      return read_hello(body);
    case Kind::kWelcome:
      return read_welcome(body);
    case Kind::kRefusal:
      return read_refusal(body);
    case Kind::kDoorbell:
      return read_doorbell(body);
    case Kind::kGoodbye:
      return read_goodbye(body);
    default:
      return nonsense("a packet of the fast path, where none is due");
  }
}

Result<std::uint16_t> choose_version(const Hello& hello) {
  if (hello.min_version <= kNewestVersion) return std::min(hello.max_version, kNewestVersion);
  return fail(Errc::unsupported_version, "the two ends speak no common version");
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      shown += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kDigits[byte >> 4U];
      shown += kDigits[byte & 15U];
    }
  }
  return shown;
}

}  // namespace comch::wire
