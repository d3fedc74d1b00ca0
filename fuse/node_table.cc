// What the kernel's node ids mean; see node_table.h.
#include "node_table.h"

#include <algorithm>
#include <utility>

namespace comch::fuse {

void NodeTable::set_root(std::shared_ptr<Node> root) {
  shared_ids_[root.get()] = 1;
  known_[1] = {std::move(root), 1};  // Never forgotten: one look-up nobody has made.
}

std::shared_ptr<Node> NodeTable::find(std::uint64_t id) const {
  const auto known = known_.find(id);
  return known == known_.end() ? nullptr : known->second.node;
}

std::uint64_t NodeTable::remember(const std::shared_ptr<Node>& node) {
  std::uint64_t id = node->has_private_ids() ? 0 : id_of(*node);
  if (id == 0) {
    id = ++last_id_;
    known_[id].node = node;
    if (!node->has_private_ids()) shared_ids_[node.get()] = id;
  }
  ++known_[id].lookups;
  return id;
}

void NodeTable::forget(std::uint64_t id, std::uint64_t lookups) {
  const auto known = known_.find(id);
  if (known == known_.end() || id == 1) return;
  known->second.lookups -= std::min(lookups, known->second.lookups);
  if (known->second.lookups != 0) return;
  if (!known->second.node->has_private_ids()) shared_ids_.erase(known->second.node.get());
  known_.erase(known);
}

std::uint64_t NodeTable::id_of(const Node& node) const {
  const auto shared = shared_ids_.find(&node);
  return shared == shared_ids_.end() ? 0 : shared->second;
}

}  // namespace comch::fuse
