// Remote handshake: the packets by which a client and a server on two machines come to terms.
//
//   client                                server
//     Call (with connect)  ---------->              who is to answer, in which version
//                          <----------  Answer (with accept)
//                               or      Refusal (with reject)
//     RemoteHello          ---------->              who I am, how much I take
//                          <----------  Challenge   only with a key: I have it; have you?
//     Proof                ---------->              I have
//                          <----------  RemoteWelcome, or Refusal and the end
//
// Call, Answer and that Refusal travel as rdma_cm's private data, in fields filled up with
// zeros; the others as SENDs. What the decoders let through is within the limits below; whether it
// is acceptable is the carrier's question, and what proofs prove is transport/rdma/key.h's.
//
// Threads: pure functions. FORMAT.md has every byte, with an example that
// remote_handshake_test.cc holds against this code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "comch/result.h"
#include "wire/handshake.h"

namespace comch::wire {

// The version of this protocol; the header's is that of its layout.
inline constexpr std::uint16_t kRemoteVersion = 1;
inline constexpr std::size_t kNonceSize = 32;
inline constexpr std::size_t kProofSize = 32;
inline constexpr std::uint32_t kMaxWindow = 8192;

using Nonce = std::array<std::byte, kNonceSize>;
using ProofBytes = std::array<std::byte, kProofSize>;

struct Call {
  std::uint16_t min_version = kRemoteVersion;
  std::uint16_t max_version = kRemoteVersion;
  std::uint64_t name_hash = 0;  // So that a server that has this port for another name says so.
  friend bool operator==(const Call&, const Call&) = default;
};

struct Answer {
  std::uint16_t version = kRemoteVersion;  // The one both speak from here on.
  bool wants_key = false;                  // A Challenge will come.
  friend bool operator==(const Answer&, const Answer&) = default;
};

// A process, as its own machine names it.
struct RemoteProcess {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t pid = 0;
  friend bool operator==(const RemoteProcess&, const RemoteProcess&) = default;
};

struct RemoteHello {
  std::uint32_t max_message_size = 0;  // 1 .. kMaxMessage
  std::uint32_t recv_queue_size = 0;   // 1 .. kMaxQueue
  std::uint32_t window = 0;            // 1 .. kMaxWindow: messages the server may have under way.
  RemoteProcess process;
  std::optional<Identity> acting;
  Nonce nonce{};     // Never used before.
  std::string name;  // Of the server, never empty.
  friend bool operator==(const RemoteHello&, const RemoteHello&) = default;
};

struct Challenge {
  Nonce nonce{};
  ProofBytes proof{};
  friend bool operator==(const Challenge&, const Challenge&) = default;
};

struct Proof {
  ProofBytes proof{};
  friend bool operator==(const Proof&, const Proof&) = default;
};

struct RemoteWelcome {
  std::uint32_t recv_queue_size = 0;
  std::uint32_t window = 0;
  std::uint64_t connection_id = 0;
  RemoteProcess process;
  friend bool operator==(const RemoteWelcome&, const RemoteWelcome&) = default;
};

// Write a packet to the front of `out` and answer its size; 0 when a field is outside its limits
// or `out` is too small.
std::size_t encode(const Call& call, std::span<std::byte> out);
std::size_t encode(const Answer& answer, std::span<std::byte> out);
std::size_t encode(const RemoteHello& hello, std::span<std::byte> out);
std::size_t encode(const Challenge& challenge, std::span<std::byte> out);
std::size_t encode(const Proof& proof, std::span<std::byte> out);
std::size_t encode(const RemoteWelcome& welcome, std::span<std::byte> out);

// What private data brings. unsupported_version and connection_reset as decode().
Result<Call> decode_call(std::span<const std::byte> field);
Result<Answer> decode_answer(std::span<const std::byte> field);
Result<Refusal> decode_refusal(std::span<const std::byte> field);

// What a SEND of the handshake brings.
using RemotePacket = std::variant<RemoteHello, Challenge, Proof, RemoteWelcome, Refusal>;
Result<RemotePacket> decode_remote(std::span<const std::byte> bytes);

// The version to speak with the sender of `call`. unsupported_version: there is none.
Result<std::uint16_t> choose_version(const Call& call);

}  // namespace comch::wire
