// mount(2), umount(2) and what is in their way; see mount.h.
#include "mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "comch/log.h"
#include "mount_table.h"

namespace comch::fuse {
namespace {

using Text = std::expected<std::string, std::string>;

// Dead mounts can lie on top of each other; more than this and something else is wrong.
constexpr int kDeadMountsMax = 16;

std::string with_reason(std::string_view what, const std::string& path) {
  return fmt::format("{} {}: {}", what, path, strerrordesc_np(errno));
}

// As realpath(3), which cannot look at a dead mount: only the parent is looked at.
Text absolute_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  std::string parent = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (name.empty() || name == "." || name == "..") parent = path;
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(parent.c_str(), nullptr),
                                                         &std::free);
  if (!real) return std::unexpected(with_reason("cannot find", parent));
  if (parent == path) return std::string(real.get());
  return std::string(real.get()) + (real.get() == std::string_view("/") ? "" : "/") + name;
}

bool is_dead(const std::string& directory) {
  // Not stat(2), which the kernel may answer from memory.
  struct statvfs status{};
  return statvfs(directory.c_str(), &status) != 0 && (errno == ENOTCONN || errno == ECONNABORTED);
}

bool unmount_dead(const std::string& directory) {
  if (umount2(directory.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) return true;
  // Not root: fusermount3 may, if the mount is this user's.
  std::array<const char*, 6> arguments{"fusermount3", "-u", "-z", "--", directory.c_str(), nullptr};
  pid_t child = 0;
  int status = 0;
  return posix_spawnp(&child, arguments[0], nullptr, nullptr,
                      const_cast<char* const*>(arguments.data()), environ) == 0 &&
         waitpid(child, &status, 0) == child && status == 0;
}

// The directory as it is to be mounted on: no dead mount of ours on it any more.
Text clear_directory(const std::string& wanted) {
  auto absolute = absolute_path(wanted);
  if (!absolute) return absolute;
  for (int found = 0; is_dead(*absolute); ++found) {
    const auto type = mount_type_at(read_mount_table(), *absolute);
    if (type != kOwnType || found == kDeadMountsMax) {
      return std::unexpected(fmt::format("{} is a dead mount, and not one of ours", *absolute));
    }
    log(LogLevel::kInfo, fmt::format("{} is a dead mount of ours; replacing it", *absolute));
    if (!unmount_dead(*absolute)) return std::unexpected(with_reason("cannot unmount", *absolute));
  }
  struct stat status{};
  if (stat(absolute->c_str(), &status) != 0) {
    return std::unexpected(with_reason("cannot mount on", *absolute));
  }
  if (!S_ISDIR(status.st_mode)) return std::unexpected(*absolute + " is not a directory");
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(absolute->c_str(), nullptr),
                                                         &std::free);
  if (real) *absolute = real.get();  // The last name may have been a link.
  if (mount_type_at(read_mount_table(), *absolute) == kOwnType) {
    return std::unexpected(*absolute + " is mounted already");
  }
  return absolute;
}

std::string kernel_options(const std::string& source, const MountOptions& options) {
  std::string list = fmt::format("fsname={},subtype=comchfs,default_permissions", source);
  if (options.allow_other) list += ",allow_other";
  for (const std::string& option : options.kernel) list += "," + option;
  return list;
}

fuse_session* try_mount(const std::string& directory, const std::string& list, Session& session) {
  std::array<std::string, 3> words{"comchfs", "-o", list};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  fuse_args args = FUSE_ARGS_INIT(3, arguments.data());
  fuse_session* made =
      fuse_session_new(&args, &Session::operations(), sizeof(fuse_lowlevel_ops), &session);
  fuse_opt_free_args(&args);
  if (made == nullptr || fuse_session_mount(made, directory.c_str()) == 0) return made;
  fuse_session_destroy(made);
  return nullptr;
}

}  // namespace

std::expected<std::unique_ptr<Mount>, std::string> Mount::create(const std::string& directory,
                                                                 const std::string& source,
                                                                 const MountOptions& options,
                                                                 Session& session) {
  auto cleared = clear_directory(directory);
  if (!cleared) return std::unexpected(cleared.error());
  fuse_session* mounted = try_mount(*cleared, kernel_options(source, options), session);
  if (mounted == nullptr && geteuid() != 0 && options.allow_other && !options.allow_other_asked) {
    // /etc/fuse.conf may forbid what is only our default.
    MountOptions alone = options;
    alone.allow_other = false;
    log(LogLevel::kInfo, "mounting without allow_other");
    mounted = try_mount(*cleared, kernel_options(source, alone), session);
  }
  if (mounted == nullptr) return std::unexpected("cannot mount on " + *cleared);
  session.attach(mounted);
  // poll(2) may say that there is a request that is taken back before it is read.
  const int fd = fuse_session_fd(mounted);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::unique_ptr<Mount>(new Mount(mounted, std::move(*cleared)));
}

void Mount::unmount() {
  if (!mounted_) return;
  mounted_ = false;
  fuse_session_unmount(session_);
}

Mount::~Mount() {
  unmount();
  fuse_session_destroy(session_);
}

}  // namespace comch::fuse
