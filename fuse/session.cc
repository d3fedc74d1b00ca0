// The way from /dev/fuse to the operations and back; see session.h. The operations are
// in tree_operations.cc and file_operations.cc.
#include "session.h"

#include <linux/fuse.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "comch/log.h"
#include "init_reply.h"
#include "session_operations.h"

namespace comch::fuse {
namespace {

constexpr std::size_t kMaxWrite = std::size_t{1} << 20;
constexpr std::size_t kHeaderRoom = 4096;
// Requests that wait are "in the background" for io_uring submitters; with the default
// of 12 the thirteenth would block its submitter.
constexpr unsigned kMaxBackground = 65535;

}  // namespace

Session::Session(Services& services) : services_(services), buffer_(kMaxWrite + kHeaderRoom) {}

const fuse_lowlevel_ops& Session::operations() {
  static const fuse_lowlevel_ops table = [] {
    fuse_lowlevel_ops operations{};
    operations.init = [](void* self, fuse_conn_info* connection) {
      static_cast<Session*>(self)->on_init(*connection);
    };
    TreeOperations::fill(operations);
    FileOperations::fill(operations);
    return operations;
  }();
  return table;
}

void Session::attach(fuse_session* session) {
  session_ = session;
  const fuse_custom_io io{.writev = &Session::write_reply,
                          .read = &Session::read_request,
                          .splice_receive = nullptr,
                          .splice_send = nullptr};
  fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

void Session::on_init(fuse_conn_info& connection) {
  connection.max_write = kMaxWrite;
  connection.max_background = kMaxBackground;
  connection.congestion_threshold = kMaxBackground;
  // Splice costs more than it saves below 64 KiB; read-ahead listings would look up every
  // stream; a write-back cache would hold messages back.
  connection.want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
                                            FUSE_CAP_SPLICE_MOVE | FUSE_CAP_READDIRPLUS |
                                            FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_WRITEBACK_CACHE);
  connection.want |= connection.capable & FUSE_CAP_CACHE_SYMLINKS;
  initialised_ = true;
}

void Session::note_init_request() {
  fuse_in_header header{};
  std::memcpy(&header, buffer_.data(), sizeof header);
  if (header.opcode != FUSE_INIT) return;
  fuse_init_in init{};
  std::memcpy(&init, buffer_.data() + sizeof header,
              std::min<std::size_t>(sizeof init, header.len - sizeof header));
  init_request_ = header.unique;
  init_flags2_ = init.flags2;
}

Session::Served Session::serve_one() {
  const ssize_t size = read(fuse_session_fd(session_), buffer_.data(), buffer_.size());
  if (size < 0) {
    if (errno == ENODEV) return Served::kUnmounted;
    // ENOENT: the request was taken back before we read it.
    const bool harmless = errno == EINTR || errno == EAGAIN || errno == ENOENT;
    if (!harmless) log(LogLevel::kError, std::string("reading /dev/fuse: ") + strerror(errno));
    return harmless ? Served::kNone : Served::kUnmounted;
  }
  if (!initialised_) note_init_request();
  fuse_buf request{};
  request.mem = buffer_.data();
  request.size = static_cast<std::size_t>(size);
  fuse_session_process_buf(session_, &request);
  return Served::kOne;
}

ssize_t Session::write_reply(int fd, iovec* pieces, int count, void* user_data) {
  auto* self = static_cast<Session*>(user_data);
  if (self->init_request_ != 0) self->amend_init_reply({pieces, static_cast<std::size_t>(count)});
  return writev(fd, pieces, count);
}

void Session::amend_init_reply(std::span<const iovec> pieces) {
  fuse_out_header header{};
  std::memcpy(&header, pieces[0].iov_base, sizeof header);
  if (header.unique != init_request_ || pieces.size() < 2) return;
  init_request_ = 0;
  if (!has_default_request_timeout()) return;
  override_request_timeout({static_cast<std::byte*>(pieces[1].iov_base), pieces[1].iov_len},
                           init_flags2_);
}

ssize_t Session::read_request(int fd, void* buffer, std::size_t size, void*) {
  return read(fd, buffer, size);
}

std::shared_ptr<Directory> Session::find_directory(fuse_ino_t id) const {
  return std::dynamic_pointer_cast<Directory>(find(id));
}

void Session::drop_files() {
  files_.clear();
  listings_.clear();
}

}  // namespace comch::fuse
