// Remote handshake: see remote_handshake.h. Fields in the order of FORMAT.md.
#include "wire/remote_handshake.h"

#include <algorithm>
#include <utility>

#include "wire/frame.h"

namespace comch::wire {
namespace {

constexpr std::uint32_t kFlagActing = 1;
constexpr std::uint16_t kFlagWantsKey = 1;

bool within(std::uint32_t value, std::uint32_t limit) { return value >= 1 && value <= limit; }

bool legal(const Call& call) {
  return call.min_version >= 1 && call.min_version <= call.max_version;
}

bool legal(const RemoteHello& hello) {
  return within(hello.max_message_size, kMaxMessage) && within(hello.recv_queue_size, kMaxQueue) &&
         within(hello.window, kMaxWindow) &&
         within(static_cast<std::uint32_t>(hello.name.size()), kMaxName) &&
         hello.name.find('\0') == std::string::npos;
}

bool legal(const RemoteWelcome& welcome) {
  return within(welcome.recv_queue_size, kMaxQueue) && within(welcome.window, kMaxWindow);
}

template <std::size_t N>
void write(Writer& out, const std::array<std::byte, N>& bytes) {
  for (const std::byte byte : bytes) out.number(std::to_integer<std::uint8_t>(byte));
}

template <std::size_t N>
void read(Reader& in, std::array<std::byte, N>& bytes) {
  std::ranges::generate(bytes, [&] { return std::byte{in.number<std::uint8_t>()}; });
}

void write(Writer& out, const RemoteProcess& process) {
  out.number(process.uid);
  out.number(process.gid);
  out.number(process.pid);
}

RemoteProcess read_process(Reader& in) {
  RemoteProcess process;
  process.uid = in.number<std::uint32_t>();
  process.gid = in.number<std::uint32_t>();
  process.pid = in.number<std::uint32_t>();
  return process;
}

std::unexpected<Error> nonsense(const char* what) { return fail(Errc::connection_reset, what); }

Result<RemotePacket> read_hello(Reader in) {
  RemoteHello hello;
  hello.max_message_size = in.number<std::uint32_t>();
  hello.recv_queue_size = in.number<std::uint32_t>();
  hello.window = in.number<std::uint32_t>();
  hello.process = read_process(in);
  const auto flags = in.number<std::uint32_t>();
  const Identity acting{in.number<std::uint32_t>(), in.number<std::uint32_t>()};
  if ((flags & kFlagActing) != 0) hello.acting = acting;
  read(in, hello.nonce);
  hello.name = in.text(kMaxName);
  const bool silent = hello.acting || acting == Identity{};
  if (!in.done() || (flags & ~kFlagActing) != 0 || !silent || !legal(hello)) {
    return nonsense("a RemoteHello no correct peer writes");
  }
  return hello;
}

Result<RemotePacket> read_challenge(Reader in) {
  Challenge challenge;
  read(in, challenge.nonce);
  read(in, challenge.proof);
  if (!in.done()) return nonsense("a Challenge no correct peer writes");
  return challenge;
}

Result<RemotePacket> read_proof(Reader in) {
  Proof proof;
  read(in, proof.proof);
  if (!in.done()) return nonsense("a Proof no correct peer writes");
  return proof;
}

Result<RemotePacket> read_welcome(Reader in) {
  RemoteWelcome welcome;
  welcome.recv_queue_size = in.number<std::uint32_t>();
  welcome.window = in.number<std::uint32_t>();
  welcome.connection_id = in.number<std::uint64_t>();
  welcome.process = read_process(in);
  if (!in.done() || !legal(welcome)) return nonsense("a RemoteWelcome no correct peer writes");
  return welcome;
}

}  // namespace

std::size_t encode(const Call& call, std::span<std::byte> out) {
  if (!legal(call)) return 0;
  return write_frame(Kind::kCall, out, [&](Writer& writer) {
    writer.number(call.min_version);
    writer.number(call.max_version);
    writer.number(call.name_hash);
  });
}

std::size_t encode(const Answer& answer, std::span<std::byte> out) {
  return write_frame(Kind::kAnswer, out, [&](Writer& writer) {
    writer.number(answer.version);
    writer.number(answer.wants_key ? kFlagWantsKey : std::uint16_t{0});
  });
}

std::size_t encode(const RemoteHello& hello, std::span<std::byte> out) {
  if (!legal(hello)) return 0;
  return write_frame(Kind::kRemoteHello, out, [&](Writer& writer) {
    writer.number(hello.max_message_size);
    writer.number(hello.recv_queue_size);
    writer.number(hello.window);
    write(writer, hello.process);
    writer.number(hello.acting ? kFlagActing : 0U);
    const Identity acting = hello.acting.value_or(Identity{});
    writer.number(acting.uid);
    writer.number(acting.gid);
    write(writer, hello.nonce);
    writer.text(hello.name);
  });
}

std::size_t encode(const Challenge& challenge, std::span<std::byte> out) {
  return write_frame(Kind::kChallenge, out, [&](Writer& writer) {
    write(writer, challenge.nonce);
    write(writer, challenge.proof);
  });
}

std::size_t encode(const Proof& proof, std::span<std::byte> out) {
  return write_frame(Kind::kProof, out, [&](Writer& writer) { write(writer, proof.proof); });
}

std::size_t encode(const RemoteWelcome& welcome, std::span<std::byte> out) {
  if (!legal(welcome)) return 0;
  return write_frame(Kind::kRemoteWelcome, out, [&](Writer& writer) {
    writer.number(welcome.recv_queue_size);
    writer.number(welcome.window);
    writer.number(welcome.connection_id);
    write(writer, welcome.process);
  });
}

Result<Call> decode_call(std::span<const std::byte> field) {
  const Result<Frame> frame = read_padded_frame(field);
  if (!frame) return std::unexpected(frame.error());
  Reader in(frame->body);
  Call call;
  call.min_version = in.number<std::uint16_t>();
  call.max_version = in.number<std::uint16_t>();
  call.name_hash = in.number<std::uint64_t>();
  if (frame->kind != Kind::kCall || !in.done() || !legal(call)) {
    return nonsense("a Call no correct peer writes");
  }
  return call;
}

Result<Answer> decode_answer(std::span<const std::byte> field) {
  const Result<Frame> frame = read_padded_frame(field);
  if (!frame) return std::unexpected(frame.error());
  Reader in(frame->body);
  Answer answer;
  answer.version = in.number<std::uint16_t>();
  const auto flags = in.number<std::uint16_t>();
  answer.wants_key = (flags & kFlagWantsKey) != 0;
  if (frame->kind != Kind::kAnswer || !in.done() || (flags & ~kFlagWantsKey) != 0) {
    return nonsense("an Answer no correct peer writes");
  }
  if (answer.version != kRemoteVersion) {
    return fail(Errc::unsupported_version, "the server chose a version that was not offered");
  }
  return answer;
}

Result<Refusal> decode_refusal(std::span<const std::byte> field) {
  const Result<Frame> frame = read_padded_frame(field);
  if (!frame) return std::unexpected(frame.error());
  Result<Packet> packet = decode(field.first(kHeaderSize + frame->body.size()));
  if (!packet) return std::unexpected(packet.error());
  if (!std::holds_alternative<Refusal>(*packet)) return nonsense("no Refusal");
  return std::get<Refusal>(std::move(*packet));
}

Result<RemotePacket> decode_remote(std::span<const std::byte> bytes) {
  const Result<Frame> frame = read_frame(bytes);
  if (!frame) return std::unexpected(frame.error());
  const Reader body(frame->body);
  switch (frame->kind) {
    case Kind::kRemoteHello:
      return read_hello(body);
    case Kind::kChallenge:
      return read_challenge(body);
    case Kind::kProof:
      return read_proof(body);
    case Kind::kRemoteWelcome:
      return read_welcome(body);
    case Kind::kRefusal: {
      Result<Refusal> refusal = decode_refusal(bytes);
      if (!refusal) return std::unexpected(refusal.error());
      return std::move(*refusal);
    }
    default:
      return nonsense("a packet that is not of the handshake");
  }
}

Result<std::uint16_t> choose_version(const Call& call) {
  if (call.min_version <= kRemoteVersion && kRemoteVersion <= call.max_version) {
    return kRemoteVersion;
  }
  return fail(Errc::unsupported_version, "the two ends speak no common version");
}

}  // namespace comch::wire
