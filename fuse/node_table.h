// NodeTable: what the kernel's node ids mean.
//
// The kernel names a node by the id a look-up gave it, until it has forgotten as many
// look-ups as it was given. Ids count up for ever and are never used twice, not even for
// the same node: a late message about an old id finds nothing instead of a stranger.
//
// Threads: the loop's.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "node.h"

namespace comch::fuse {

class NodeTable {
 public:
  // To be called first, and once.
  void set_root(std::shared_ptr<Node> root);

  // Null: the kernel speaks of a node it has forgotten.
  std::shared_ptr<Node> find(std::uint64_t id) const;

  // Gives `node` an id for one more look-up: a fresh one where the node wants it so.
  std::uint64_t remember(const std::shared_ptr<Node>& node);
  void forget(std::uint64_t id, std::uint64_t lookups);

  // The id the kernel knows a node with a shared id by, or 0: it does not know it.
  std::uint64_t id_of(const Node& node) const;

 private:
  struct Known {
    std::shared_ptr<Node> node;
    std::uint64_t lookups = 0;
  };
  std::unordered_map<std::uint64_t, Known> known_;
  std::unordered_map<const Node*, std::uint64_t> shared_ids_;
  std::uint64_t last_id_ = 1;  // FUSE_ROOT_ID.
};

}  // namespace comch::fuse
