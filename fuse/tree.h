// Tree: the root of the mount and what is fixed below it.
//
//   README version devices/ metrics status.json events ctl servers/ clients/ msgq/
//
// Threads: the loop's. Lifetime: made after the services and destroyed before them.
#pragma once

#include <memory>
#include <vector>

#include "collection_directory.h"
#include "comch/device.h"
#include "report.h"
#include "services.h"

namespace comch::fuse {

class Tree final : public CtlTarget, public std::enable_shared_from_this<Tree> {
 public:
  static std::shared_ptr<Tree> create(Services& services, const std::vector<DeviceInfo>& devices);

  const std::shared_ptr<Directory>& root() const { return root_; }

  // After progress().
  void check();
  // Every object goes, in order; who waits is told ESHUTDOWN.
  void shut_down();

  Outcome obey(const Order& order) override;
  std::string ctl_usage() const override;

  explicit Tree(Services& services);  // Only for create().

 private:
  void build(const std::vector<DeviceInfo>& devices);
  void add_texts();
  Reported reported() const;
  std::shared_ptr<CollectionDirectory> add_role(const char* name,
                                                CollectionDirectory::Create create);

  Services& services_;
  const std::shared_ptr<ObjectRecord> record_;
  const std::shared_ptr<Directory> root_;
  std::shared_ptr<CollectionDirectory> servers_;  // Null: not shown by this mount.
  std::shared_ptr<CollectionDirectory> clients_;
  std::shared_ptr<CollectionDirectory> msgqs_;
};

}  // namespace comch::fuse
