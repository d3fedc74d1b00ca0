// FakeState: what stands behind a FakeFabric: its machines, and their queues, regions and ids.
//
// Threads: everything here is behind `mutex`, which is recursive, for a delivery goes from one
// machine's queue into another's. Lifetime: held by the fabric and by everything it made.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "os/event.h"
#include "support/fake_verbs.h"

namespace comch::test {

class FakeHost;
class FakeId;
class FakeQueuePair;

struct FakeState {
  mutable std::recursive_mutex mutex;
  std::map<std::string, std::unique_ptr<FakeHost>> hosts;
  std::map<std::string, std::string> names;
  bool names_held = false;
  std::condition_variable_any names_released;
  std::map<std::uint32_t, FakeQueuePair*> queue_pairs;
  std::vector<FakeId*> ids;
  rdma::DomainLimits limits{.max_message = 1U << 23U, .max_completions = 32767};
  std::uint32_t max_inline = 256;
  std::uint32_t next_number = 0x11;  // Of queue pairs.
  std::uint32_t next_key = 0x1000;
  std::uint32_t next_domain = 1;
  std::uint16_t next_port = 40000;
  bool held = false;
  std::uint64_t calls = 0;
  std::uint64_t failing_call = 0;  // 0: none.
  int failing_with = 0;
  bool targets_refused = false;
  std::uint64_t posted = 0;
  std::uint64_t failing_request = 0;
  rdma::CompletionStatus failing_status = rdma::CompletionStatus::kOther;
  std::uint64_t events_to_lose = 0;
  std::uint64_t acknowledgements_to_lose = 0;

  // To be asked by every call that may fail.
  Status may_fail();
  FakeHost* host_at(const rdma::Address& address);
  // Lets everything through that can go.
  void pump();
};

class FakeRegion final : public rdma::MemoryRegion {
 public:
  FakeRegion(std::shared_ptr<FakeState> state, FakeHost& host, std::uint32_t domain,
             std::span<std::byte> range, rdma::RegionAccess access);
  ~FakeRegion() override;
  bool covers(std::uint64_t at, std::uint64_t size) const;

  const std::uint32_t domain;
  const rdma::RegionAccess access;

 private:
  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
};

class FakeCompletionQueue final : public rdma::CompletionQueue {
 public:
  FakeCompletionQueue(std::shared_ptr<FakeState> state, FakeHost& host, os::Event bell,
                      std::uint32_t depth)
      : state_(std::move(state)), host_(host), bell_(std::move(bell)), depth_(depth) {}
  ~FakeCompletionQueue() override = default;

  Result<std::size_t> poll(std::span<rdma::Completion> out) override;
  int fd() const override { return bell_.fd().get(); }
  Status arm(bool solicited_only) override;
  void drain() override { bell_.drain(); }

  // `retires`: send requests of its queue pair that leave its queue when this is polled.
  void push(const rdma::Completion& completion, std::uint64_t retires, bool solicited);

 private:
  struct Entry {
    rdma::Completion completion;
    std::uint64_t retires;
  };
  enum class Armed : std::uint8_t { kNo, kSolicited, kAll };

  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
  const os::Event bell_;
  const std::uint32_t depth_;
  std::deque<Entry> entries_;
  bool overflowed_ = false;
  Armed armed_ = Armed::kNo;
};

class FakePath final : public rdma::Path {
 public:
  explicit FakePath(FakeHost& host) : to(host) {}
  FakeHost& to;
};

class FakeQueuePair final : public rdma::QueuePair {
 public:
  FakeQueuePair(std::shared_ptr<FakeState> state, FakeHost& host, std::uint32_t domain,
                rdma::QueuePairOptions options);
  ~FakeQueuePair() override;

  std::uint32_t number() const override { return number_; }
  std::uint32_t max_inline() const override { return max_inline_; }
  Status post(std::span<const rdma::SendRequest> requests, std::size_t& posted) override;
  Status post(std::span<const rdma::ReceiveRequest> requests) override;
  rdma::PeerQueuePair self() const override { return {number_, number_ + 1}; }
  Status connect(const rdma::Path& path, const rdma::PeerQueuePair& peer,
                 const rdma::Patience& patience) override;
  void flush() override;

  // For the fabric.
  void plug(FakeHost& host, std::uint32_t peer);
  void unplug() { unplugged_ = true; }
  bool deliver_one();
  void time_out();
  void break_now();

 private:
  struct Pending {
    rdma::SendRequest request;
    std::vector<std::byte> inlined;
    rdma::CompletionStatus fate = rdma::CompletionStatus::kSuccess;
    bool met_no_receive = false;
    bool unacknowledged = false;  // It has taken effect.
  };
  enum class Life : std::uint8_t { kFresh, kConnected, kBroken };

  Status check(const rdma::SendRequest& request) const;
  FakeQueuePair* peer() const;
  // Of this machine, and of the queue pair's domain; null: none.
  FakeRegion* region(std::uint32_t key) const;
  bool needs_receive(const rdma::SendRequest& request) const;
  std::optional<std::vector<std::byte>> gather(const Pending& pending) const;
  rdma::CompletionStatus perform(const Pending& pending, FakeQueuePair& peer);
  rdma::CompletionStatus write(const rdma::SendRequest& request, std::span<const std::byte> bytes,
                               FakeQueuePair& peer);
  rdma::CompletionStatus receive(const rdma::SendRequest& request,
                                 std::span<const std::byte> bytes);
  void complete_front(rdma::CompletionStatus status);
  void fail_front(rdma::CompletionStatus status);

  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
  const std::uint32_t domain_;
  const rdma::QueuePairOptions options_;
  const std::uint32_t number_;
  const std::uint32_t max_inline_;
  Life life_ = Life::kFresh;
  bool unplugged_ = false;
  FakeHost* to_ = nullptr;
  std::uint32_t peer_number_ = 0;
  std::deque<Pending> pending_;
  std::uint64_t unsignalled_ = 0;  // Done since the last signalled one.
  std::deque<rdma::ReceiveRequest> receives_;

 public:
  std::uint64_t occupied = 0;  // Send requests posted and not retired.
};

class FakeDomain final : public rdma::Domain {
 public:
  FakeDomain(std::shared_ptr<FakeState> state, FakeHost& host);

  const std::string& device_name() const override { return name_; }
  const rdma::DomainLimits& limits() const override { return limits_; }
  Result<std::shared_ptr<rdma::MemoryRegion>> register_memory(std::span<std::byte> range,
                                                              rdma::RegionAccess access) override;
  Result<std::shared_ptr<rdma::CompletionQueue>> make_completion_queue(
      std::uint32_t depth) override;
  Result<std::shared_ptr<rdma::QueuePair>> make_queue_pair(
      const rdma::QueuePairOptions& options) override;
  Result<std::shared_ptr<rdma::Domain>> make_another() override;

  const std::uint32_t number;

 private:
  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
  const std::string name_;
  const rdma::DomainLimits limits_;
};

// The events of one channel; outlives the channel where an id still names it.
struct FakeMail {
  os::Event bell;
  std::list<rdma::Event> events;
};

class FakeResolver final : public rdma::Resolver {
 public:
  explicit FakeResolver(std::shared_ptr<FakeState> state) : state_(std::move(state)) {}
  Result<std::vector<rdma::Address>> look_up(const std::string& host) override;

 private:
  const std::shared_ptr<FakeState> state_;
};

class FakeHost final : public rdma::Verbs {
 public:
  FakeHost(FakeState& s, const rdma::Address& a, std::string name)
      : state(s), address(a), device(std::move(name)) {}

  Result<std::vector<rdma::VerbsDevice>> devices() override;
  std::shared_ptr<rdma::Resolver> resolver() override;
  Result<std::unique_ptr<rdma::EventChannel>> make_event_channel() override;

  std::shared_ptr<FakeDomain> domain();

  FakeState& state;
  const rdma::Address address;
  const std::string device;
  bool alive = true;
  FakeFabric::Counts counts;
  std::map<std::uint32_t, FakeRegion*> regions;  // By key, both kinds.
  std::weak_ptr<FakeDomain> domain_in_use;
  std::weak_ptr<FakeState> self;
};

class FakeId final : public rdma::Id {
 public:
  FakeId(std::shared_ptr<FakeState> state, FakeHost& host, std::shared_ptr<FakeMail> mail);
  ~FakeId() override;

  Status resolve_address(const std::optional<rdma::Address>& source, const rdma::Address& target,
                         int timeout_ms) override;
  Status resolve_route(int timeout_ms) override;
  Status connect(std::span<const std::byte> data, const rdma::Patience& patience) override;
  Status listen(const rdma::Address& address, int backlog) override;
  Status accept(std::span<const std::byte> data, const rdma::Patience& patience) override;
  Status reject(std::span<const std::byte> data) override;
  Status disconnect() override;
  std::shared_ptr<rdma::Domain> domain() const override { return domain_; }
  Result<std::shared_ptr<rdma::QueuePair>> create_queue_pair(
      const rdma::QueuePairOptions& options) override;
  Result<std::shared_ptr<const rdma::Path>> path() const override;
  rdma::Address local() const override { return local_; }
  rdma::Address peer() const override { return target_; }

  void tell(rdma::EventKind kind, int status = 0, std::vector<std::byte> data = {},
            std::unique_ptr<rdma::Id> incoming = nullptr);
  void device_gone();
  FakeHost& host() const { return host_; }

 private:
  enum class Life : std::uint8_t {
    kNew,
    kResolved,
    kRouted,
    kListening,
    kConnecting,
    kRequested,
    kConnected,
    kEnded
  };

  // A message of the connection manager, unless it gets lost.
  void tell_peer(rdma::EventKind kind, int status = 0, std::vector<std::byte> data = {});
  FakeId* find_listener() const;
  void end_connection(bool tell_self);

  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
  const std::shared_ptr<FakeMail> mail_;
  Life life_ = Life::kNew;
  rdma::Address local_;
  rdma::Address target_;
  std::shared_ptr<FakeDomain> domain_;
  std::shared_ptr<FakeQueuePair> queue_pair_;
  FakeId* peer_ = nullptr;
};

}  // namespace comch::test
