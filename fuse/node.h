// Node: one file, directory or symbolic link of the tree.
//
// Four kinds, which differ in what the kernel may remember of them:
//
//   directory   everything, for long; the daemon tells when something changed
//   symlink     everything, for long; it never changes
//   attribute   nothing but the name: its size is that of a value that may change
//   stream      not even the name: every look-up gets a fresh node id
//
// Why fresh ids: a write that is held back keeps the kernel's lock of its inode, and the
// next one to write, truncate or chmod the same inode would wait in D state behind it.
// Files whose write may be held are therefore a different inode for everybody who looks
// them up, with the same st_ino.
//
// Threads: the loop's. Lifetime: shared by its directory and the node table; a node of a
// removed object stays until the kernel has forgotten it, and answers ENODEV.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object_record.h"
#include "open_file.h"
#include "permission.h"

namespace comch::fuse {

// What SETATTR asks for.
struct AttributeChange {
  std::optional<mode_t> mode;
  std::optional<uid_t> owner;
  std::optional<gid_t> group;
  std::optional<off_t> size;
};

struct OpenRequest {
  bool for_reading;
  bool for_writing;
  Caller caller;
};

class Node : public std::enable_shared_from_this<Node> {
 public:
  explicit Node(std::shared_ptr<ObjectRecord> record);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  virtual struct stat attributes() const = 0;
  virtual mode_t type() const { return S_IFREG; }
  // Answers an errno, or 0.
  virtual int change(const AttributeChange& change);
  virtual std::expected<std::unique_ptr<OpenFile>, int> open(const OpenRequest& request) = 0;
  virtual std::string target() const { return {}; }  // Of a symbolic link.

  virtual bool has_private_ids() const { return false; }
  virtual double entry_timeout_s() const { return kLong; }
  virtual double attribute_timeout_s() const { return kLong; }

  ObjectRecord& record() const { return *record_; }
  const std::shared_ptr<ObjectRecord>& shared_record() const { return record_; }
  std::uint64_t number() const { return number_; }  // st_ino; never given twice.

 protected:
  static constexpr double kLong = 3600;  // Picked: changes are told, this is a second net.

  // The common part of attributes(): number, owner, times.
  struct stat base_attributes(mode_t mode) const;

 private:
  const std::shared_ptr<ObjectRecord> record_;
  const std::uint64_t number_;
  // Where chmod or chown of this very file has the last word: until the object goes, or gets
  // another owner, who does not look for what the one before let whom do.
  struct OwnWord {
    int of_owner = 0;  // Which of the object's owners it was said under.
    std::optional<mode_t> mode;
    std::optional<uid_t> owner;
    std::optional<gid_t> group;
  };
  OwnWord own_word() const;  // Under the owner that the object has now.
  OwnWord own_;
};

class SymbolicLink final : public Node {
 public:
  SymbolicLink(std::shared_ptr<ObjectRecord> record, std::string target)
      : Node(std::move(record)), target_(std::move(target)) {}

  struct stat attributes() const override;
  mode_t type() const override { return S_IFLNK; }
  std::expected<std::unique_ptr<OpenFile>, int> open(const OpenRequest&) override {
    return std::unexpected(ELOOP);
  }
  std::string target() const override { return target_; }

 private:
  const std::string target_;
};

}  // namespace comch::fuse
