// bare_fuse: a file system of one file that takes every write and answers every read, and
// does nothing else: what libfuse and the kernel cost, to compare comchfs with.
//
//   bare_fuse MOUNTPOINT         Ctrl-C, or umount, ends it
//
// Its loop is comchfs' own: poll, read one request, process it; one thread.
#define FUSE_USE_VERSION 314
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr fuse_ino_t kFile = 2;
constexpr double kForEver = 1e6;  // Seconds the kernel may remember names and attributes.
constexpr std::array<char, 1U << 20U> kBytes{};

struct stat attributes_of(fuse_ino_t node) {
  struct stat attributes{};
  attributes.st_ino = node;
  attributes.st_mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0666;
  attributes.st_nlink = 1;
  attributes.st_size = node == FUSE_ROOT_ID ? 0 : 4096;
  return attributes;
}

void lookup(fuse_req_t request, fuse_ino_t, const char* name) {
  if (std::strcmp(name, "file") != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = kFile;
  entry.attr = attributes_of(kFile);
  entry.attr_timeout = entry.entry_timeout = kForEver;
  fuse_reply_entry(request, &entry);
}

void getattr(fuse_req_t request, fuse_ino_t node, fuse_file_info*) {
  const struct stat attributes = attributes_of(node);
  fuse_reply_attr(request, &attributes, kForEver);
}

void open(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  file->direct_io = 1;
  file->noflush = 1;
  fuse_reply_open(request, file);
}

void read(fuse_req_t request, fuse_ino_t, std::size_t size, off_t, fuse_file_info*) {
  fuse_reply_buf(request, kBytes.data(), std::min(size, kBytes.size()));
}

void write(fuse_req_t request, fuse_ino_t, const char*, std::size_t size, off_t, fuse_file_info*) {
  fuse_reply_write(request, size);
}

int serve(fuse_session* session) {
  pollfd device{.fd = fuse_session_fd(session), .events = POLLIN, .revents = 0};
  fuse_buf buffer{};
  while (fuse_session_exited(session) == 0) {
    if (::poll(&device, 1, -1) < 0) continue;
    const int got = fuse_session_receive_buf(session, &buffer);
    if (got == -EINTR || got == -EAGAIN) continue;
    if (got <= 0) break;
    fuse_session_process_buf(session, &buffer);
  }
  std::free(buffer.mem);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bare_fuse MOUNTPOINT\n");
    return 2;
  }
  fuse_lowlevel_ops operations{};
  operations.lookup = lookup;
  operations.getattr = getattr;
  operations.open = open;
  operations.read = read;
  operations.write = write;
  fuse_args arguments = FUSE_ARGS_INIT(1, argv);
  fuse_session* session = fuse_session_new(&arguments, &operations, sizeof operations, nullptr);
  if (session == nullptr || fuse_session_mount(session, argv[1]) != 0) return 1;
  fuse_set_signal_handlers(session);
  const int status = serve(session);
  fuse_remove_signal_handlers(session);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  return status;
}
