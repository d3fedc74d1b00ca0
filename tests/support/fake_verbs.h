// FakeFabric: machines with RDMA devices, all of them in this process.
//
//   FakeFabric fabric;
//   Verbs& here = fabric.host("10.0.0.1");
//   Verbs& there = fabric.host("10.0.0.2");
//   ... connect the two as one would connect real ones ...
//   fabric.hold(); fabric.deliver(1);        // delayed, one work request at a time
//   fabric.kill_host("10.0.0.2");            // without a word; then
//   fabric.time_out();                       // what waited for it has waited long enough
//   fabric.fail_call(3, ENOMEM);             // the third call from now on that may fail
//
// It keeps what the verbs promise (order within a queue pair; keys, domains, ranges and
// permissions; unsignalled requests that occupy the queue; posted receives, or waiting for them;
// flushing) and what they are known for: private data padded to the packet's size, sends that never
// complete after a disconnect until this end disconnects too, and no event of a queue pair that
// broke.
//
// Threads: any; one mutex. What a WRITE writes is written word by word with release stores, in
// ascending order, so that who polls memory with acquire loads sees what a device would show.
// Lifetime: what was made lives as long as it is held, the fabric's own state with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "transport/rdma/verbs.h"

namespace comch::test {

namespace rdma = transport::rdma;

struct FakeState;  // fake_fabric.h

class FakeFabric {
 public:
  // Of one machine, since it came or since reset_counts().
  struct Counts {
    std::uint64_t doorbells = 0;      // Calls that posted sends.
    std::uint64_t work_requests = 0;  // Sends and writes posted.
    std::uint64_t inlined = 0;        // Of them.
    std::uint64_t signalled = 0;      // Of them.
    std::uint64_t completions = 0;    // Of sends and receives, polled.
    std::uint64_t receive_doorbells = 0;
    std::uint64_t receives_posted = 0;
    std::uint64_t not_ready = 0;  // Requests of its peers that found no receive posted.
    std::uint64_t registrations = 0;
    std::uint64_t regions = 0;       // Registered now; not reset.
    std::uint64_t region_bytes = 0;  // Of them; not reset.
    std::uint64_t queue_pairs = 0;   // There now; not reset.
  };

  FakeFabric();
  ~FakeFabric();
  FakeFabric(const FakeFabric&) = delete;
  FakeFabric& operator=(const FakeFabric&) = delete;

  // The machine at `address`, with one device; made when first asked for.
  rdma::Verbs& host(const std::string& address);
  void name_host(const std::string& name, const std::string& address);
  // Its resolver answers nobody, until it is released.
  void hold_names();
  void release_names();

  // --- Faults. `nth` counts from 1, from now on.

  // Work requests stay under way until they are delivered by hand, or for good by release().
  void hold();
  std::size_t deliver(std::size_t count);  // Oldest queue pair first; answers how many.
  void release();

  // Its packets go nowhere from here on, and none reaches it.
  void kill_host(const std::string& address);
  // Everything that waits for a peer that does not answer, or has no receive, has waited too
  // long: it fails, and its queue pair breaks.
  void time_out();
  // One work request ends so, without effect at the peer, and its queue pair breaks.
  void fail_work_request(std::uint64_t nth, rdma::CompletionStatus status);
  // One call that may fail does: operating_system with `sys`, and nothing is done.
  void fail_call(std::uint64_t nth, int sys);
  // No memory is registered any more that another machine may write to.
  void refuse_targets(bool refuses);
  std::uint64_t calls() const;  // That may fail, so far.
  // Messages of the connection managers (request, reply, refusal, farewell) that get lost.
  void lose_events(std::uint64_t count);
  // So many work requests take effect and are not known to have done so, nor is what was posted
  // behind each, until time_out(): then their devices ask again.
  void lose_acknowledgements(std::uint64_t count);
  // A device's limits, for domains that are made from now on.
  void set_limits(const rdma::DomainLimits& limits, std::uint32_t max_inline);
  void device_gone(const std::string& address);

  Counts counts(const std::string& address) const;
  void reset_counts();

 private:
  std::shared_ptr<FakeState> state_;
};

}  // namespace comch::test
