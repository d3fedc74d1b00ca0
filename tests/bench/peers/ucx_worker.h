// UcxWorker: what a process needs of UCX to talk to one other over shared memory.
//
//   UcxWorker worker(UCP_FEATURE_RMA);
//   meeting.greet(end, worker.greeting());           // how to reach this worker
//   worker.connect(meeting.other(end));              // waits for the other's greeting
//   worker.await(ucp_put_nbx(worker.endpoint(), ...));
//
// The posix transport is chosen, unless UCX_TLS chooses: with all of them UCX copies long
// messages by system calls, which is slower.
//
// Threads: one. Lifetime: a worker and its memory belong to the process that makes them; a
// meeting is made before the fork. Errors: std::runtime_error with UCX's own words.
#pragma once

#include <ucp/api/ucp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bench/processes.h"

namespace comch::bench {

// The ends of a lane, as they meet.
inline constexpr std::size_t kSender = 0;
inline constexpr std::size_t kReceiver = 1;

// Throws what UCX says of `status`, unless it is UCS_OK.
void need_ucx(ucs_status_t status, const char* what);

template <class Handle, auto kRelease>
struct UcxRelease {
  using pointer = Handle;
  void operator()(Handle handle) const { kRelease(handle); }
};
template <class Handle, auto kRelease>
using UcxOwner = std::unique_ptr<Handle, UcxRelease<Handle, kRelease>>;

// How to reach a worker, and its memory when it has some.
struct UcxGreeting {
  std::size_t address_bytes = 0;
  std::array<std::byte, 4096> address{};
  std::uint64_t memory = 0;
  std::size_t key_bytes = 0;
  std::array<std::byte, 512> key{};
};

// Two processes tell each other how to reach them. Ends are 0 and 1.
class UcxMeeting {
 public:
  void greet(std::size_t end, const UcxGreeting& greeting) const;
  // Waits for it.
  const UcxGreeting& other(std::size_t end) const;

 private:
  SharedMemory<std::array<UcxGreeting, 2>> greetings_;
  std::array<Gate, 2> said_;
};

class UcxWorker {
 public:
  explicit UcxWorker(std::uint64_t features);
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  UcxGreeting greeting() const;
  void connect(const UcxGreeting& other);

  ucp_context_h context() const { return context_.get(); }
  ucp_worker_h worker() const { return worker_.get(); }
  ucp_ep_h endpoint() const { return endpoint_; }

  void progress() const { ucp_worker_progress(worker_.get()); }
  // Makes progress until a request is complete, and frees it; null is complete.
  void await(ucs_status_ptr_t request) const;
  // Until everything sent so far has arrived.
  void flush() const;

 private:
  UcxOwner<ucp_context_h, ucp_cleanup> context_;
  UcxOwner<ucp_worker_h, ucp_worker_destroy> worker_;
  ucp_ep_h endpoint_ = nullptr;  // The worker's, and goes with it.
};

// Memory that the other process can put into. Zeros.
class UcxMemory {
 public:
  UcxMemory(const UcxWorker& worker, std::size_t bytes);
  ~UcxMemory();
  UcxMemory(const UcxMemory&) = delete;
  UcxMemory& operator=(const UcxMemory&) = delete;

  std::byte* data() const { return data_; }
  void add_to(UcxGreeting& greeting) const;

 private:
  ucp_context_h context_;
  ucp_mem_h handle_ = nullptr;
  std::byte* data_ = nullptr;
};

// The other's memory, by its greeting.
class UcxRemote {
 public:
  UcxRemote(const UcxWorker& worker, const UcxGreeting& other);

  std::uint64_t address() const { return address_; }
  ucp_rkey_h key() const { return key_.get(); }

 private:
  std::uint64_t address_;
  UcxOwner<ucp_rkey_h, ucp_rkey_destroy> key_;
};

}  // namespace comch::bench
