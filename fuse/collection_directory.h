// CollectionDirectory: servers/, clients/, consumers/ or producers/, where mkdir makes an
// object and rmdir ends it.
//
//   mkdir servers/echo     a server, started at once with autostart
//   rmdir servers/echo     stopped and destroyed
//   open servers/clone     a server without a name of its own, gone with the descriptor,
//                          which is its ctl
//
// Threads: the loop's. Errors: EEXIST, EPERM (another user's object in a daemon that is
// not root's and cannot act for him), EDQUOT (user_quota.h), and whatever the library says.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "context_directory.h"
#include "directory.h"
#include "services.h"

namespace comch::fuse {

class CollectionDirectory final : public Directory {
 public:
  using Create = std::function<Result<std::shared_ptr<ContextDirectory>>(
      std::string name, std::shared_ptr<ObjectRecord>, std::shared_ptr<EventStream>)>;

  // Whose directory it is, and what it is called in paths.
  struct Place {
    std::shared_ptr<ObjectRecord> record;
    Content content;
    std::string path;                     // "servers"
    std::shared_ptr<EventStream> events;  // Of all its objects; null: each has its own.
  };
  CollectionDirectory(Services& services, Place place, Create create);
  // To be called once the directory is owned by a shared_ptr.
  void add_clone();

  std::expected<std::shared_ptr<Node>, int> make_directory(std::string_view name, mode_t mode,
                                                           const Caller& caller) override;
  int remove_directory(std::string_view name) override;

  const std::map<std::string, std::shared_ptr<ContextDirectory>, std::less<>>& objects() const {
    return objects_;
  }
  nlohmann::ordered_json json() const;
  void check();
  // Everything goes, and who waits is told `error`.
  void remove_all(int error);

 private:
  class CloneFile;

  std::expected<std::shared_ptr<ContextDirectory>, int> make(const std::string& name, mode_t mode,
                                                             const Caller& caller);
  std::expected<std::unique_ptr<OpenFile>, int> open_clone(const Caller& caller);
  int refuse(const std::string& name, int error, std::string_view reason);

  Services& services_;
  const std::string path_;
  const std::shared_ptr<EventStream> events_;
  const Create create_;
  std::map<std::string, std::shared_ptr<ContextDirectory>, std::less<>> objects_;
  std::uint64_t clones_made_ = 0;
};

}  // namespace comch::fuse
