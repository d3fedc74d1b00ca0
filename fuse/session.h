// Session: the kernel's questions, and which node or open file answers them.
//
//   while (poll says the descriptor is readable) session.serve_one();
//
// It finds the node by id or the open file by handle, asks it, and turns what comes back
// into an answer. It knows nothing of servers, clients and messages.
//
// Threads: the loop's. Order: one request after the other, as the kernel gives them;
// several threads would let a close overtake the read before it.
//
// Errors: a node of an object that is gone answers ENODEV, one the kernel should have
// forgotten ESTALE. unlink, rename, link, symlink, mknod and create answer EPERM.
#pragma once

#include <fuse3/fuse_lowlevel.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "directory.h"
#include "open_file.h"
#include "services.h"

namespace comch::fuse {

class Session {
 public:
  explicit Session(Services& services);

  // The table for fuse_session_new(), whose user data is this session.
  static const fuse_lowlevel_ops& operations();
  // After the mount: where requests come from.
  void attach(fuse_session* session);

  enum class Served { kOne, kNone, kUnmounted };
  Served serve_one();
  bool is_initialised() const { return initialised_; }

  // Every open file is closed, as far as we are concerned.
  void drop_files();

 private:
  friend struct TreeOperations;
  friend struct FileOperations;

  void on_init(fuse_conn_info& connection);
  void note_init_request();
  void amend_init_reply(std::span<const iovec> pieces);
  static ssize_t write_reply(int fd, iovec* pieces, int count, void* self);
  static ssize_t read_request(int fd, void* buffer, std::size_t size, void* self);

  std::shared_ptr<Node> find(fuse_ino_t id) const { return services_.nodes.find(id); }
  std::shared_ptr<Directory> find_directory(fuse_ino_t id) const;
  void reply_entry(Request& request, const std::shared_ptr<Node>& node);
  OpenFile* find_file(const fuse_file_info& info) const;
  void open_node(Request request, Node& node, const OpenRequest& how);
  void close_file(std::uint64_t handle);

  Services& services_;
  fuse_session* session_ = nullptr;
  std::vector<std::byte> buffer_;
  bool initialised_ = false;
  std::uint64_t init_request_ = 0;  // Until it is answered.
  std::uint32_t init_flags2_ = 0;
  std::uint64_t last_handle_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<OpenFile>> files_;
  std::unordered_map<std::uint64_t, std::vector<ListedName>> listings_;
};

}  // namespace comch::fuse
