// Open files; see session_operations.h.
#include <fcntl.h>
#include <linux/fuse.h>

#include <cerrno>

#include "session.h"
#include "session_operations.h"

namespace comch::fuse {
namespace {

Session& session_of(fuse_req_t raw) { return *static_cast<Session*>(fuse_req_userdata(raw)); }

}  // namespace

OpenFile* Session::find_file(const fuse_file_info& info) const {
  const auto file = files_.find(info.fh);
  return file == files_.end() ? nullptr : file->second.get();
}

void Session::open_node(Request request, Node& node, const OpenRequest& how) {
  if (node.record().removed) {
    request.fail(ENODEV);
    return;
  }
  auto opened = node.open(how);
  if (!opened) {
    request.fail(opened.error());
    return;
  }
  const std::uint64_t handle = ++last_handle_;
  OpenFile& file = **opened;
  file.record = node.shared_record();
  file.record->file_opened();
  files_[handle] = std::move(*opened);
  // Whoever opened it is gone: no RELEASE will come.
  if (!request.opened(handle, file.open_flags())) close_file(handle);
}

void Session::close_file(std::uint64_t handle) {
  const auto file = files_.extract(handle);
  if (!file) return;
  const auto record = file.mapped()->record;
  file.mapped()->closing();
  file.mapped().reset();
  record->file_closed();
}

void FileOperations::open(fuse_req_t raw, fuse_ino_t id, fuse_file_info* info) {
  Session& session = session_of(raw);
  Request request(raw);
  const auto node = session.find(id);
  if (!node) {
    request.fail(ESTALE);
    return;
  }
  const int mode = info->flags & O_ACCMODE;
  const OpenRequest how{
      .for_reading = mode != O_WRONLY, .for_writing = mode != O_RDONLY, .caller = request.caller()};
  session.open_node(std::move(request), *node, how);
}

void FileOperations::read(fuse_req_t raw, fuse_ino_t, std::size_t size, off_t offset,
                          fuse_file_info* info) {
  Request request(raw);
  OpenFile* file = session_of(raw).find_file(*info);
  if (file == nullptr) {
    request.fail(EBADF);
    return;
  }
  // Every read(2) has an owner for locks. What is read into the page cache, for a page fault of a
  // mapping or by splice(2), has none: it would eat a message.
  const bool is_for_cache = info->lock_owner == 0;
  if (is_for_cache && (file->open_flags() & FOPEN_STREAM) != 0) {
    request.fail(EINVAL);
    return;
  }
  file->read(std::move(request),
             {.size = size, .offset = offset, .nonblocking = (info->flags & O_NONBLOCK) != 0});
}

void FileOperations::write(fuse_req_t raw, fuse_ino_t, const char* bytes, std::size_t size,
                           off_t offset, fuse_file_info* info) {
  Request request(raw);
  OpenFile* file = session_of(raw).find_file(*info);
  if (file == nullptr) {
    request.fail(EBADF);
    return;
  }
  file->write(std::move(request), {.bytes = std::as_bytes(std::span(bytes, size)),
                                   .offset = offset,
                                   .nonblocking = (info->flags & O_NONBLOCK) != 0,
                                   .appending = (info->flags & O_APPEND) != 0});
}

void FileOperations::poll(fuse_req_t raw, fuse_ino_t, fuse_file_info* info,
                          fuse_pollhandle* handle) {
  Request request(raw);
  OpenFile* file = session_of(raw).find_file(*info);
  if (file == nullptr) {
    if (handle != nullptr) fuse_pollhandle_destroy(handle);
    request.fail(EBADF);
    return;
  }
  if (handle != nullptr) file->set_poll_handle(handle);
  request.readiness(file->readiness());
}

void FileOperations::release(fuse_req_t raw, fuse_ino_t, fuse_file_info* info) {
  session_of(raw).close_file(info->fh);
  Request(raw).ok();
}

void FileOperations::fill(fuse_lowlevel_ops& table) {
  table.open = &open;
  table.read = &read;
  table.write = &write;
  table.poll = &poll;
  table.release = &release;
  // Nothing is cached, so there is nothing to flush; a close is heard of by RELEASE.
  table.flush = [](fuse_req_t raw, fuse_ino_t, fuse_file_info*) { Request(raw).ok(); };
  table.fsync = [](fuse_req_t raw, fuse_ino_t, int, fuse_file_info*) { Request(raw).ok(); };
}

}  // namespace comch::fuse
