// RemoteDirectory: remote/ of a connection: a directory per consumer of the other side, named
// by its id, that a producer's `target` can be.
//
// Threads, lifetime: as Directory.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "comch/connection.h"
#include "services.h"

namespace comch::fuse {

class RemoteDirectory final : public Directory {
 public:
  RemoteDirectory(Services& services, std::shared_ptr<ObjectRecord> record)
      : Directory(std::move(record)), services_(services) {}

  void on_appeared(ConsumerId consumer);
  void on_expired(ConsumerId consumer);
  void on_end();

  std::shared_ptr<Node> appear(std::string_view name) override;
  bool vanish(std::string_view name) override;

 private:
  std::string path_of(const std::string& name) const;
  void announce_departure(const std::string& name);

  Services& services_;
  std::set<std::string, std::less<>> consumers_;  // That are; those in the tree may lag behind.
};

}  // namespace comch::fuse
