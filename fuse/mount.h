// Mount: the tree's place in the file system, from mount(2) to umount(2).
//
//   auto mount = Mount::create("/comch", "comch", options, session);
//   ... serve requests of mount->session() ...
//   // its destructor unmounts
//
// A mount of ours whose daemon was killed stays in the way, and whoever touches it gets
// ENOTCONN. create() finds out and replaces it; it never touches a mount of anybody else,
// nor one of ours that is alive.
//
// Threads: one. Errors: sentences for people.
#pragma once

#include <fuse3/fuse_lowlevel.h>

#include <expected>
#include <memory>
#include <string>

#include "mount_options.h"
#include "session.h"

namespace comch::fuse {

class Mount {
 public:
  static std::expected<std::unique_ptr<Mount>, std::string> create(const std::string& directory,
                                                                   const std::string& source,
                                                                   const MountOptions& options,
                                                                   Session& session);
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount();

  // Takes the mount away; whoever still waits gets ECONNABORTED. Once is enough.
  void unmount();

  fuse_session* session() const { return session_; }
  const std::string& directory() const { return directory_; }  // Absolute, without links.

 private:
  Mount(fuse_session* session, std::string directory)
      : session_(session), directory_(std::move(directory)) {}

  fuse_session* session_;
  const std::string directory_;
  bool mounted_ = true;
};

}  // namespace comch::fuse
