// Directory: names and the nodes behind them.
//
// Entries may be hidden: they can be looked up but are not listed. That is how streams
// stay out of the way of tools that read whatever they find (`.io`, fuse/README.md).
//
//   directory->add("state", state_attribute);
//   add_stream(*directory, "recv", stream);     // a listed link to the hidden stream
//
// Threads, lifetime: as Node.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node.h"

namespace comch::fuse {

struct ListedName {
  std::string name;
  std::uint64_t number;
  mode_t type;
};

class Directory : public Node {
 public:
  // An object's own directory; one inside it; or one inside it where things can be made.
  enum class Content : std::uint8_t { kObject, kPart, kCollection };

  Directory(std::shared_ptr<ObjectRecord> record, Content content = Content::kPart)
      : Node(std::move(record)), content_(content) {}

  struct stat attributes() const override;
  mode_t type() const override { return S_IFDIR; }
  int change(const AttributeChange& change) override;
  std::expected<std::unique_ptr<OpenFile>, int> open(const OpenRequest&) override {
    return std::unexpected(EISDIR);
  }

  std::shared_ptr<Node> find(std::string_view name) const;
  std::vector<ListedName> list() const;
  void for_each(const std::function<void(const Node&)>& visit) const;

  void add(std::string name, std::shared_ptr<Node> node) {
    put(std::move(name), std::move(node), true);
  }
  void add_hidden(std::string name, std::shared_ptr<Node> node) {
    put(std::move(name), std::move(node), false);
  }
  void drop(std::string_view name);
  // The object has ended: what is below it is nobody's any more but who has it open, and the
  // kernel's for as long as that remembers it.
  void clear() { entries_.clear(); }

  // mkdir(2) and rmdir(2). The error is an errno.
  virtual std::expected<std::shared_ptr<Node>, int> make_directory(std::string_view name,
                                                                   mode_t mode,
                                                                   const Caller& caller);
  virtual int remove_directory(std::string_view name);

  // The same, when the announcer asks (announcer.h): a directory that the daemon itself
  // wants to appear or to vanish. Null or false: there is nothing of that name to do.
  virtual std::shared_ptr<Node> appear(std::string_view) { return nullptr; }
  virtual bool vanish(std::string_view) { return false; }

 private:
  struct Entry {
    std::shared_ptr<Node> node;
    bool listed;
  };
  void put(std::string name, std::shared_ptr<Node> node, bool listed);

  const Content content_;
  std::map<std::string, Entry, std::less<>> entries_;
};

// Puts `stream` into the hidden directory `.io` of `directory`, which is made when
// missing, and lists a symbolic link to it.
void add_stream(Directory& directory, const std::string& name, std::shared_ptr<Node> stream);

}  // namespace comch::fuse
