// Verbs: what the carrier needs of librdmacm and libibverbs, and not one call more.
//
//   Verbs --make_event_channel()--> EventChannel --make_id()--> Id            connections
//                                   EventChannel --next()-----> Event (an Id's, or a new Id)
//   Id ----domain()---> Domain ---> MemoryRegion, CompletionQueue, QueuePair  traffic
//
// An Id is one end of one connection, as rdma_cm makes it: resolve, connect; or listen,
// accept. It brings one queue pair to life, the control path's. Further queue pairs of the same
// connection (one for each pair of threads) need no rdma_cm: their two ends tell each other
// PeerQueuePair over the control path, and go the same way by Id::path().
//
// traffic.h has the second half: domains, memory, queues.
//
// Threads: Verbs any. An EventChannel and its Ids one thread (a reactor's).
//
// Lifetime: an object keeps what it was made of. Once an Id is destroyed no event names it; what
// came of it (its domain, its queue pair) may live on, but the queue pair does no more work.
//
// Errors: operating_system with the errno of the library's call, unless a call says otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comch/result.h"
#include "transport/rdma/address.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

// --- Devices ------------------------------------------------------------------------------

enum class LinkLayer : std::uint8_t { kEthernet, kInfiniband, kOther };

struct Port {
  std::uint8_t number = 1;
  bool active = false;
  LinkLayer link = LinkLayer::kOther;
  std::uint32_t mtu = 0;      // Bytes of payload in one packet.
  std::vector<Address> gids;  // Family kGid, in the order of the table; empty entries left out.
  std::vector<Address> ips;   // What the GIDs stand for, on Ethernet.
};

struct VerbsDevice {
  std::string name;  // "mlx5_0", "rxe0"; unique.
  std::vector<Port> ports;
  std::string function = {};  // On its bus, as "0000:03:00.0"; empty: it is no hardware.
};

// --- Connections --------------------------------------------------------------------------

// The most that travels with connect, accept and reject by every kind of device.
inline constexpr std::size_t kMaxConnectData = 56;
inline constexpr std::size_t kMaxAcceptData = 196;
inline constexpr std::size_t kMaxRejectData = 148;

enum class EventKind : std::uint8_t {
  kAddressResolved,
  kRouteResolved,
  kResolveFailed,   // Of the address or the route; status: errno.
  kConnectRequest,  // On the listening Id; `incoming` is the new end.
  kEstablished,     // On both ends; the connecting one finds accept's data here.
  kRejected,        // By the peer, with its data; or nobody listens there.
  kUnreachable,     // No answer, or the device could not connect.
  kDisconnected,    // The peer's end, or the peer itself, is gone.
  kDeviceGone,      // Everything on the device must be let go.
  kOther,           // Of no meaning to the carrier.
};
std::string_view name(EventKind kind);

class Id;

struct Event {
  EventKind kind = EventKind::kOther;
  Id* id = nullptr;
  int status = 0;
  // What the peer gave along. InfiniBand and RoCE pad it with zeros to the size of the
  // packet: the content says how long it is.
  std::vector<std::byte> data;
  std::unique_ptr<Id> incoming;
};

class Id {
 public:
  // Tells the peer nothing; disconnect() or reject() before does.
  virtual ~Id() = default;

  // The connecting end: kAddressResolved, then resolve_route() and kRouteResolved, then
  // create_queue_pair() and connect(), each unless kResolveFailed, kRejected or
  // kUnreachable comes first. `source` (port 0) chooses the device where one is given. A host
  // that is silent may give no event at all: the caller has a timer.
  virtual Status resolve_address(const std::optional<Address>& source, const Address& target,
                                 int timeout_ms) = 0;
  virtual Status resolve_route(int timeout_ms) = 0;
  virtual Status connect(std::span<const std::byte> data, const Patience& patience) = 0;

  // The listening end. already_exist: another has the port.
  virtual Status listen(const Address& address, int backlog) = 0;

  // The end that kConnectRequest brought: create_queue_pair(), post receives, then accept().
  virtual Status accept(std::span<const std::byte> data, const Patience& patience) = 0;
  virtual Status reject(std::span<const std::byte> data) = 0;

  // Both ends call it, the other one after kDisconnected: only this flushes what is posted.
  virtual Status disconnect() = 0;

  // From kAddressResolved (kConnectRequest) on; null before.
  virtual std::shared_ptr<Domain> domain() const = 0;
  virtual Result<std::shared_ptr<QueuePair>> create_queue_pair(const QueuePairOptions& options) = 0;
  // From kEstablished on. connection_reset: it has ended, also where no event has said so yet.
  virtual Result<std::shared_ptr<const Path>> path() const = 0;

  virtual Address local() const = 0;
  virtual Address peer() const = 0;
};

class EventChannel {
 public:
  virtual ~EventChannel() = default;
  // Readable while next() has something to show.
  virtual int fd() const = 0;
  // Nothing: all have been taken. The event is the caller's; it holds nothing up.
  virtual Result<std::optional<Event>> next() = 0;
  virtual Result<std::unique_ptr<Id>> make_id() = 0;
};

// Finds the addresses of hosts. Threads: any, and several at a time.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // Every address of a host: a name, or an address in numbers, port 0. It may take its time.
  // not_found: there is no such host.
  virtual Result<std::vector<Address>> look_up(const std::string& host) = 0;
};

class Verbs {
 public:
  virtual ~Verbs() = default;
  // not_supported: this machine has no verbs. An empty list: it has no device.
  virtual Result<std::vector<VerbsDevice>> devices() = 0;
  // Outlives the verbs where somebody is still asking it.
  virtual std::shared_ptr<Resolver> resolver() = 0;
  virtual Result<std::unique_ptr<EventChannel>> make_event_channel() = 0;
};

}  // namespace comch::transport::rdma
