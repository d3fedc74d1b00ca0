// Request: one question of the kernel that has to be answered exactly once.
//
//   void Stream::read(Request request, std::size_t size) {
//     if (nothing) return hold(std::move(request));     // answered later
//     if (!request.data(bytes)) put_back(bytes);        // the asker was gone
//   }
//
// Every answer tells whether the kernel took it: false means that whoever asked is no
// longer there, and that what the answer carried was not delivered.
//
// Threads: the loop's. Lifetime: a request that is destroyed unanswered answers EIO, so
// that a mistake of ours costs one call and not a process in D state.
#pragma once

#include <fuse3/fuse_lowlevel.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace comch::fuse {

// On whose behalf the kernel asks.
struct Caller {
  uid_t uid;
  gid_t gid;
  pid_t thread;  // The thread's id, not the process's.
};

class Request {
 public:
  explicit Request(fuse_req_t raw) : raw_(raw) {}
  Request(Request&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Request& operator=(Request&&) = delete;
  ~Request();

  Caller caller() const;

  bool fail(int error);
  bool ok() { return fail(0); }
  bool data(std::span<const std::byte> bytes);
  bool data(std::string_view text);
  bool data(std::string_view header, std::span<const std::byte> bytes);  // One answer of both.
  bool written(std::size_t size);
  bool readiness(unsigned events);
  bool entry(const fuse_entry_param& entry);
  bool attributes(const struct stat& attributes, double timeout_s);
  bool link(const char* target);
  bool file_system(const struct statvfs& statistics);

  // An open reply with flags libfuse 3.14 has no field for.
  bool opened(std::uint64_t handle, unsigned open_flags);

  fuse_req_t raw() const { return raw_; }

 private:
  fuse_req_t take() { return std::exchange(raw_, nullptr); }

  fuse_req_t raw_;
};

// HeldRequest: a request that waits for something to happen. It costs no thread, and a
// signal to the waiting process ends it at once.
//
// Lifetime: owned by the queue it waits in. interrupted() removes it from there.
class HeldRequest {
 public:
  explicit HeldRequest(Request request) : request_(std::move(request)) {}
  HeldRequest(const HeldRequest&) = delete;
  HeldRequest& operator=(const HeldRequest&) = delete;
  virtual ~HeldRequest() = default;

  // Lets interrupts in, to be called before anybody else can see this request. False:
  // the signal was faster; the request is answered and must not be queued.
  bool admit_interrupts();
  // EINTR, unless part of what was asked has been done.
  virtual void answer_interrupted() { request_.fail(EINTR); }

  Request& request() { return request_; }

 protected:
  // The asker got a signal: answer and leave the queue. `this` may be gone after.
  virtual void interrupted() = 0;

 private:
  static void on_interrupt(fuse_req_t raw, void* self);

  Request request_;
  bool admitting_ = false;
  bool was_interrupted_ = false;
};

}  // namespace comch::fuse
