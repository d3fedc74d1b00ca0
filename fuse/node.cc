// What all nodes of the tree have in common; see node.h.
#include "node.h"

#include <cerrno>

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
  if (change.mode) own_mode_ = *change.mode & 07777;
  if (change.owner) own_owner_ = change.owner;
  if (change.group) own_group_ = change.group;
  return 0;
}

struct stat Node::base_attributes(mode_t mode) const {
  struct stat result{};
  result.st_ino = number_;
  result.st_mode = own_mode_ ? (mode & S_IFMT) | *own_mode_ : mode;
  result.st_nlink = 1;
  result.st_uid = own_owner_.value_or(record_->owner);
  result.st_gid = own_group_.value_or(record_->group);
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
