// Traffic: what a device of RDMA does with memory: regions, queue pairs, completions. The other
// half of the verbs, without connections; verbs.h is where a Domain comes from.
//
//   auto region = domain->register_memory(bytes, RegionAccess::kRemoteWrite).value();
//   queue_pair->post(std::array{SendRequest{...}}, posted);
//   completions->poll(out);
//
// real_verbs.h stands on rdma-core; tests/support/fake_verbs.h is a fabric in one process
// that loses, delays and fails on demand. The calls are virtual, which costs what libibverbs
// costs itself: it posts and polls through a table of functions.
//
// Threads: Domain and MemoryRegion any. A QueuePair is posted to by one thread at a time, a
// CompletionQueue polled by one at a time; they may be different ones.
//
// Lifetime: an object keeps what it was made of, so that a queue pair keeps its completion
// queues. A MemoryRegion outlives what is under way that names it.
//
// Errors: operating_system with the errno of the library's call, unless a call says otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comch/result.h"

namespace comch::transport::rdma {

// What a device can do; asked once, when its domain is made.
struct DomainLimits {
  std::uint64_t max_message = 0;  // Bytes of one SEND or WRITE.
  // Of a WRITE: less where the device goes astray in one of several packets, a part of which it
  // sends again (real_domain.cc).
  std::uint64_t max_write = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t max_completions = 0;  // Depth of a completion queue.
};

// What the other side may do with a region; the own side may always read it. A mask.
enum class RegionAccess : std::uint8_t {
  kLocalRead = 0,
  kLocalWrite = 1,   // Needed for receives.
  kRemoteWrite = 2,  // Implies kLocalWrite.
};
constexpr RegionAccess operator|(RegionAccess a, RegionAccess b) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): a mask is several of them.
  return static_cast<RegionAccess>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool allows(RegionAccess mask, RegionAccess wanted) {
  return (static_cast<std::uint8_t>(mask) & static_cast<std::uint8_t>(wanted)) != 0;
}

// Registered memory: pinned, and known to the device by two keys. The destructor takes it back:
// a WRITE of the peer's that comes later fails at the peer.
class MemoryRegion {
 public:
  virtual ~MemoryRegion() = default;
  std::byte* address = nullptr;
  std::uint64_t length = 0;
  std::uint32_t local_key = 0;
  std::uint32_t remote_key = 0;
};

// A part of registered memory; of an inline send the key is not looked at.
struct Segment {
  const std::byte* address = nullptr;
  std::uint32_t length = 0;
  std::uint32_t local_key = 0;
};

enum class SendOpcode : std::uint8_t { kSend, kWrite, kWriteWithImmediate };

// One work request. Requests of a queue pair take effect in order: what a WRITE wrote is there
// before what the WRITE behind it wrote, and before the receive that a SEND or an immediate
// behind it completes.
struct SendRequest {
  static constexpr std::size_t kMaxSegments = 2;

  std::uint64_t id = 0;  // Comes back in the Completion.
  SendOpcode opcode = SendOpcode::kSend;
  // Without it only a failure completes. A queue pair's requests occupy its send queue until a
  // signalled one behind them has been polled.
  bool signalled = false;
  bool inlined = false;    // Copied at once, at most QueuePair::max_inline() bytes in all.
  bool solicited = false;  // Wakes a completion queue that is armed for solicited ones only.
  std::uint8_t segment_count = 0;
  std::array<Segment, kMaxSegments> segments{};
  std::uint64_t remote_address = 0;  // Of a WRITE.
  std::uint32_t remote_key = 0;
  std::uint32_t immediate = 0;  // Of kWriteWithImmediate; consumes a receive of the peer's.
};

// A place for one SEND or immediate. Without a segment (length 0) an immediate alone fits.
struct ReceiveRequest {
  std::uint64_t id = 0;
  Segment segment{};
};

enum class CompletionStatus : std::uint8_t {
  kSuccess,
  kFlushed,           // The queue pair broke, or was disconnected, before its turn came.
  kRetryExceeded,     // The peer's device does not answer.
  kReceiverNotReady,  // The peer had no receive posted for too long.
  kRemoteAccess,      // The peer's device refused: key, range or permission.
  kRemoteInvalid,     // The peer's device could not do it: too long for its receive.
  kLocalProtection,   // A segment of ours is not registered so.
  kLocalLength,       // What came in is longer than the receive.
  kOther,
};
std::string_view name(CompletionStatus status);

enum class CompletionKind : std::uint8_t { kSent, kReceived, kReceivedImmediate };

// `kind`, `bytes` and `immediate` have a meaning only where status is kSuccess.
struct Completion {
  std::uint64_t id = 0;
  CompletionStatus status = CompletionStatus::kSuccess;
  CompletionKind kind = CompletionKind::kSent;
  std::uint32_t bytes = 0;
  std::uint32_t immediate = 0;
  std::uint32_t queue_pair = 0;  // QueuePair::number() of whose request it was.
};

class CompletionQueue {
 public:
  virtual ~CompletionQueue() = default;

  // Takes up to out.size() completions, oldest first; answers how many. Never sleeps, and makes
  // no system call. io_failed: the queue has overflowed, or its device is gone.
  virtual Result<std::size_t> poll(std::span<Completion> out) = 0;

  // Readable once a completion came after arm(). Level-triggered until drain().
  virtual int fd() const = 0;
  // One wake-up for the next completion; poll() again before sleeping, for what came before.
  virtual Status arm(bool solicited_only) = 0;
  // Takes the wake-ups out of the descriptor.
  virtual void drain() = 0;
};

struct QueuePairOptions {
  std::shared_ptr<CompletionQueue> send_queue;
  std::shared_ptr<CompletionQueue> receive_queue;
  std::uint32_t max_sends = 0;
  std::uint32_t max_receives = 0;
  std::uint32_t max_inline = 0;  // A wish: max_inline() is what there is, 0 when there is none.
};

// How patient a queue pair is.
struct Patience {
  std::uint8_t ack_timeout = 14;  // 4.096 us * 2^n before the first retry; 14 is 67 ms.
  std::uint8_t retry_count = 6;   // At most 6: rxe takes 7 for ever.
  std::uint8_t rnr_retry_count = 6;
  std::uint8_t min_rnr_timer = 12;  // A code of the specification; 12 is 0.64 ms.
};

// What one end of a queue pair without rdma_cm must know of the other.
struct PeerQueuePair {
  std::uint32_t number = 0;        // 24 bits.
  std::uint32_t first_packet = 0;  // Its first sequence number, 24 bits.
};

// How the packets of a connection travel. Opaque; keeps what it stands on.
class Path {
 public:
  virtual ~Path() = default;
};

class QueuePair {
 public:
  virtual ~QueuePair() = default;

  virtual std::uint32_t number() const = 0;
  virtual std::uint32_t max_inline() const = 0;

  // Posts all with one doorbell, or fails from the first that was not taken; `posted` says how
  // many were. again: the send queue is full. Segments stay as they are until completion,
  // except inline ones.
  virtual Status post(std::span<const SendRequest> requests, std::size_t& posted) = 0;
  virtual Status post(std::span<const ReceiveRequest> requests) = 0;

  // Of one made by Domain::make_queue_pair(): what to tell the other end, and, once that has
  // told the same, the way to life. After connect() it may receive; it may send once the
  // other end's connect() has returned as well.
  virtual PeerQueuePair self() const = 0;
  virtual Status connect(const Path& path, const PeerQueuePair& peer, const Patience& patience) = 0;

  // Everything under way completes, as kFlushed. For good.
  virtual void flush() = 0;
};

// A protection domain of a device: a queue pair reaches what is registered with its own domain, and
// nothing else, whichever end asks. Id::domain() is the one of all connections.
class Domain {
 public:
  virtual ~Domain() = default;
  virtual const std::string& device_name() const = 0;
  virtual const DomainLimits& limits() const = 0;

  // no_memory: more than RLIMIT_MEMLOCK lets this process pin. invalid_value: not mapped, or not
  // writable where that is asked for.
  virtual Result<std::shared_ptr<MemoryRegion>> register_memory(std::span<std::byte> range,
                                                                RegionAccess access) = 0;
  virtual Result<std::shared_ptr<CompletionQueue>> make_completion_queue(std::uint32_t depth) = 0;
  // Not connected; for QueuePair::connect().
  virtual Result<std::shared_ptr<QueuePair>> make_queue_pair(const QueuePairOptions& options) = 0;
  // Another one of the same device.
  virtual Result<std::shared_ptr<Domain>> make_another() = 0;
};

}  // namespace comch::transport::rdma
