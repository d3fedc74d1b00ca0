// ObjectRecord: what the files of one object have in common.
//
// An object is a server, a client, a connection, or the mount itself. Its files outlive
// it when somebody has them open, so this is shared by all of them: whose it is, whether
// it still exists, what last failed, and how many of its files are open.
//
// Threads: the loop's. Lifetime: shared by the object's nodes and its directory.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace comch::fuse {

class ObjectRecord {
 public:
  // Told of every failure: the object's path and one line for people.
  using FailureHandler = std::function<void(const ObjectRecord&, const std::string& line)>;

  ObjectRecord(std::string object_path, uid_t uid, gid_t gid, mode_t mode,
               FailureHandler on_failure);

  // Remembers why something failed, for the file `error`, the events and the log.
  void note_failure(int error, std::string_view reason);

  // To another owner, or group: nobody inherits what the one before said of single files.
  void give_to(uid_t uid, gid_t gid);

  // The object has ended for good. Its share goes back as soon as no file of it is open, and not
  // only when the kernel has forgotten its nodes, which may take for ever.
  void end();

  void file_opened() { ++open_files_; }
  void file_closed();
  int open_files() const { return open_files_; }

  const std::string path;  // "servers/echo/conn0"; the mount's own is empty.
  uid_t owner;
  gid_t group;
  mode_t permissions;  // Of the directory, 0777 at most (01777 for those anybody may add to).
  int owners = 1;      // How many it has had; see give_to().
  timespec born{};
  bool removed = false;  // Its files answer ENODEV from now on.
  std::string last_failure;
  std::function<void()> on_last_close;      // No file of it is open any more.
  std::shared_ptr<ObjectRecord> container;  // A connection's failures are its server's too.
  std::shared_ptr<const void> share;        // Of its maker's quota.

 private:
  FailureHandler on_failure_;
  int open_files_ = 0;
  bool has_ended_ = false;
};

struct Outcome;

// The same for the end of an order, if it failed and was not remembered elsewhere.
void note_failure(ObjectRecord& record, const Outcome& outcome);

}  // namespace comch::fuse
