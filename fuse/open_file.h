// OpenFile: one open(2) of one file, from OPEN to RELEASE.
//
// Each kind of file derives from it and says what read, write and readiness mean. The
// session finds it by its handle, a number that is never given twice, and destroys it
// at RELEASE.
//
// Threads: the loop's. Errors: an operation a kind does not have answers EACCES; open
// has refused the access mode already, so that only root can get this far.
#pragma once

#include <poll.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "request.h"

namespace comch::fuse {

class ObjectRecord;

class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  virtual ~OpenFile();

  // Of one read(2) or write(2) of more than a request holds the kernel makes several, the first
  // ones full: of 256 pages, or of 255 and what lies in the pages that the buffer begins and ends
  // in.
  static constexpr std::size_t kFullRequest = std::size_t{255} * 4096;

  struct Read {
    std::size_t size;
    off_t offset;
    bool nonblocking;
  };
  struct Write {
    std::span<const std::byte> bytes;  // Dead when write() returns; held writes copy.
    off_t offset;
    bool nonblocking;
    bool appending;  // O_APPEND: the offset means nothing.
  };
  virtual void read(Request request, const Read&) { request.fail(EACCES); }
  virtual void write(Request request, const Write&) { request.fail(EACCES); }

  // What poll(2) would see now. Called after the newest handle was stored, so that a
  // change between this answer and the next event is notified.
  virtual unsigned readiness() { return POLLIN | POLLOUT; }

  // The last descriptor was closed.
  virtual void closing() {}

  // Keeps the newest handle of poll(2) or epoll; it stays good for many notifications.
  void set_poll_handle(fuse_pollhandle* handle);
  bool is_polled() const { return poll_handle_ != nullptr; }
  // Whoever polls this file shall look again.
  void wake_pollers();

  // How the file was opened: FOPEN_ flags of the kernel.
  virtual unsigned open_flags() const;

  // The object whose file this is; kept by the session while the file is open.
  std::shared_ptr<ObjectRecord> record;

 private:
  fuse_pollhandle* poll_handle_ = nullptr;
};

}  // namespace comch::fuse
