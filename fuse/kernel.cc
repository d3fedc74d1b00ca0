// Kernels, built in or loaded; see kernel.h.
#include "kernel.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace comch::fuse {
namespace {

constexpr off_t kObjectMax = off_t{64} << 20;  // Picked: a kernel is small, a mistake may not be.

// Sends every message back.
int echo(const comch_kernel_call* call) {
  if (call->event != COMCH_KERNEL_MESSAGE) return 0;
  return call->send(call, 0, call->data, call->size);
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// A loaded object, and the descriptor whose path is its name to the loader. The loader gives
// back what it has by that name, so the number must not be used again while it is loaded.
class Loaded {
 public:
  Loaded(void* handle, int fd) : handle_(handle), fd_(fd) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    dlclose(handle_);
    void* const still_there = dlopen(path_of(fd_).c_str(), RTLD_NOLOAD | RTLD_NOW);
    if (still_there == nullptr) {
      close(fd_);
    } else {
      dlclose(still_there);  // It cannot be unloaded; its descriptor stays, too.
    }
  }

 private:
  void* const handle_;
  const int fd_;
};

std::unexpected<Outcome> refused(int error, std::string reason) {
  return std::unexpected(Outcome::failed(error, std::move(reason)));
}

std::unexpected<Outcome> refused_by_kernel(const char* what) {
  const int error = errno;
  return refused(error, fmt::format("{} ({})", what, strerrordesc_np(error)));
}

// Whether root alone can have written what is in the file.
std::expected<off_t, Outcome> check_file(int fd) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) return refused_by_kernel("the kernel's file cannot be looked at");
  if (!S_ISREG(info.st_mode)) return refused(EINVAL, "not a kernel: it is no regular file");
  if (info.st_uid != 0) return refused(EPERM, "the kernel's file does not belong to root");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(EPERM, "the kernel's file may be written by others than root");
  }
  if (info.st_size > kObjectMax) return refused(EFBIG, "no kernel has more than 64 MiB");
  return info.st_size;
}

// A file that is written anew while it is loaded would change the code under our feet.
std::expected<int, Outcome> copy_of(int fd, off_t size) {
  File copy(memfd_create("comch kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (copy.fd() < 0) return refused_by_kernel("there is no memory for the kernel");
  std::array<char, 65536> block;
  off_t copied = 0;
  while (copied < size) {
    const ssize_t count = pread(fd, block.data(), block.size(), copied);
    if (count < 0) return refused_by_kernel("the kernel's file cannot be read");
    if (count == 0) break;
    if (write(copy.fd(), block.data(), static_cast<std::size_t>(count)) != count) {
      return refused_by_kernel("there is no memory for the kernel");
    }
    copied += count;
  }
  if (fcntl(copy.fd(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return refused_by_kernel("the kernel's copy cannot be sealed");
  }
  return copy.release();
}

std::string why_not_loaded(int fd) {
  const char* const said = dlerror();  // NOLINT(concurrency-mt-unsafe): each thread has its own.
  std::string reason = said == nullptr ? "it cannot be loaded" : said;
  // The loader names the copy, which tells nobody anything.
  const std::string prefix = path_of(fd) + ": ";
  if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
  return fmt::format("not a kernel: {}", reason);
}

}  // namespace

std::optional<Kernel> built_in_kernel(std::string_view name) {
  if (name != "echo") return std::nullopt;
  return Kernel{.name = "echo", .function = &echo};
}

std::expected<Kernel, Outcome> load_kernel(const std::string& path) {
  if (!path.starts_with('/')) return refused(EINVAL, "a shared object has an absolute path");
  // Without blocking: it may turn out to be a pipe.
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.fd() < 0) return refused_by_kernel("the kernel's file cannot be opened");
  const auto size = check_file(file.fd());
  if (!size) return std::unexpected(size.error());
  const auto copy = copy_of(file.fd(), *size);
  if (!copy) return std::unexpected(copy.error());
  File copied(*copy);
  void* const handle = dlopen(path_of(*copy).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return refused(EINVAL, why_not_loaded(*copy));
  auto object = std::make_shared<const Loaded>(handle, copied.release());
  auto* const function = reinterpret_cast<comch_kernel_function*>(dlsym(handle, "comch_kernel"));
  if (function == nullptr) {
    return refused(EINVAL, "not a kernel: it has no function comch_kernel");
  }
  return Kernel{.name = path, .function = function, .object = std::move(object)};
}

}  // namespace comch::fuse
