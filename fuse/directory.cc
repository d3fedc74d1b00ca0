// Names and the nodes behind them; see directory.h.
#include "directory.h"

namespace comch::fuse {
namespace {

constexpr std::string_view kHiddenName = ".io";

}  // namespace

struct stat Directory::attributes() const {
  // Nobody but the daemon makes or removes anything inside an object's parts.
  const mode_t mode = record().permissions;
  return base_attributes(S_IFDIR | (content_ == Content::kPart ? mode & 0555 : mode));
}

int Directory::change(const AttributeChange& change) {
  if (content_ != Content::kObject) return EPERM;
  if (change.size) return EISDIR;
  if (change.mode) record().permissions = *change.mode & 01777;
  record().give_to(change.owner.value_or(record().owner), change.group.value_or(record().group));
  return 0;
}

std::shared_ptr<Node> Directory::find(std::string_view name) const {
  if (record().removed) return nullptr;
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? nullptr : entry->second.node;
}

std::vector<ListedName> Directory::list() const {
  std::vector<ListedName> names;
  if (record().removed) return names;
  for (const auto& [name, entry] : entries_) {
    if (!entry.listed) continue;
    names.push_back({name, entry.node->number(), entry.node->type()});
  }
  return names;
}

void Directory::for_each(const std::function<void(const Node&)>& visit) const {
  for (const auto& [name, entry] : entries_) visit(*entry.node);
}

void Directory::put(std::string name, std::shared_ptr<Node> node, bool listed) {
  entries_.insert_or_assign(std::move(name), Entry{std::move(node), listed});
}

void Directory::drop(std::string_view name) {
  if (const auto entry = entries_.find(name); entry != entries_.end()) entries_.erase(entry);
}

std::expected<std::shared_ptr<Node>, int> Directory::make_directory(std::string_view, mode_t,
                                                                    const Caller&) {
  return std::unexpected(EPERM);
}

int Directory::remove_directory(std::string_view) { return EPERM; }

void add_stream(Directory& directory, const std::string& name, std::shared_ptr<Node> stream) {
  auto hidden = std::dynamic_pointer_cast<Directory>(directory.find(kHiddenName));
  if (!hidden) {
    hidden = std::make_shared<Directory>(directory.shared_record());
    directory.add_hidden(std::string(kHiddenName), hidden);
  }
  hidden->add(name, std::move(stream));
  directory.add(name, std::make_shared<SymbolicLink>(directory.shared_record(),
                                                     std::string(kHiddenName) + "/" + name));
}

}  // namespace comch::fuse
