// What all nodes of the tree have in common; see node.h.
#include "node.h"

#include <cerrno>
#include <utility>

namespace comch::fuse {
namespace {

// The root's number is 1, the kernel's choice, and the first node made is the root.
std::uint64_t next_number() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

Node::Node(std::shared_ptr<ObjectRecord> record)
    : record_(std::move(record)), number_(next_number()) {}

int Node::change(const AttributeChange& change) {
  if (change.size && *change.size != 0) return EINVAL;
  own_ = own_word();
  if (change.mode) own_.mode = *change.mode & 07777;
  if (change.owner) own_.owner = change.owner;
  if (change.group) own_.group = change.group;
  return 0;
}

Node::OwnWord Node::own_word() const {
  if (own_.of_owner == record_->owners) return own_;
  return {.of_owner = record_->owners, .mode = {}, .owner = {}, .group = {}};
}

struct stat Node::base_attributes(mode_t mode) const {
  const OwnWord own = own_word();
  struct stat result{};
  result.st_ino = number_;
  result.st_mode = own.mode ? (mode & S_IFMT) | *own.mode : mode;
  result.st_nlink = 1;
  result.st_uid = own.owner.value_or(record_->owner);
  result.st_gid = own.group.value_or(record_->group);
  result.st_blksize = 4096;
  result.st_atim = result.st_mtim = result.st_ctim = record_->born;
  return result;
}

struct stat SymbolicLink::attributes() const {
  struct stat result = base_attributes(S_IFLNK | 0777);
  result.st_size = static_cast<off_t>(target_.size());
  return result;
}

}  // namespace comch::fuse
