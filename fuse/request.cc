// Requests of the kernel and their answers; see request.h.
#include "request.h"

#include <linux/fuse.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace comch::fuse {
namespace {

iovec as_iovec(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

Request::~Request() {
  if (raw_ != nullptr) fail(EIO);
}

Caller Request::caller() const {
  const fuse_ctx* context = fuse_req_ctx(raw_);
  return {context->uid, context->gid, context->pid};
}

bool Request::fail(int error) { return fuse_reply_err(take(), error) == 0; }

bool Request::data(std::span<const std::byte> bytes) {
  return fuse_reply_buf(take(), reinterpret_cast<const char*>(bytes.data()), bytes.size()) == 0;
}

bool Request::data(std::string_view text) {
  return fuse_reply_buf(take(), text.data(), text.size()) == 0;
}

bool Request::data(std::string_view header, std::span<const std::byte> bytes) {
  const std::array parts{as_iovec(std::as_bytes(std::span(header))), as_iovec(bytes)};
  return fuse_reply_iov(take(), parts.data(), static_cast<int>(parts.size())) == 0;
}

bool Request::written(std::size_t size) { return fuse_reply_write(take(), size) == 0; }

bool Request::readiness(unsigned events) { return fuse_reply_poll(take(), events) == 0; }

bool Request::entry(const fuse_entry_param& entry) { return fuse_reply_entry(take(), &entry) == 0; }

bool Request::attributes(const struct stat& attributes, double timeout_s) {
  return fuse_reply_attr(take(), &attributes, timeout_s) == 0;
}

bool Request::link(const char* target) { return fuse_reply_readlink(take(), target) == 0; }

bool Request::file_system(const struct statvfs& statistics) {
  return fuse_reply_statfs(take(), &statistics) == 0;
}

bool Request::opened(std::uint64_t handle, unsigned open_flags) {
  fuse_open_out reply{};
  reply.fh = handle;
  reply.open_flags = open_flags;
  return data(std::as_bytes(std::span(&reply, 1)));
}

bool HeldRequest::admit_interrupts() {
  // libfuse runs the callback inside this call when the signal came first, and touches
  // the request afterwards: answering from there would be a use after free.
  admitting_ = true;
  fuse_req_interrupt_func(request_.raw(), &HeldRequest::on_interrupt, this);
  admitting_ = false;
  if (was_interrupted_) answer_interrupted();
  return !was_interrupted_;
}

void HeldRequest::on_interrupt(fuse_req_t, void* self) {
  auto* held = static_cast<HeldRequest*>(self);
  if (held->admitting_) {
    held->was_interrupted_ = true;
  } else {
    held->interrupted();
  }
}

}  // namespace comch::fuse
