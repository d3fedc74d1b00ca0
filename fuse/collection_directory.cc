// Directories in which objects are made; see collection_directory.h.
#include "collection_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "json_object.h"

namespace comch::fuse {

// The open end of `clone`: the ctl of an object that dies with it.
class CollectionDirectory::CloneFile final : public CtlFile {
 public:
  CloneFile(std::weak_ptr<Node> parent, std::string name,
            const std::shared_ptr<ContextDirectory>& object, Services& services)
      : CtlFile(std::shared_ptr<CtlTarget>(object, object.get()), name + "\n", services.operations),
        parent_(std::move(parent)),
        object_(object),
        name_(std::move(name)),
        services_(services) {}

  void closing() override {
    const auto parent = std::dynamic_pointer_cast<CollectionDirectory>(parent_.lock());
    // Of that name there may be another by now, of somebody else.
    if (!parent || parent->find(name_) != object_) return;
    if (parent->remove_directory(name_) != 0) return;
    // Nobody called rmdir, so the kernel still remembers the name.
    services_.announcer.vanish(parent->path_ + "/" + name_, services_.nodes.id_of(*parent), {});
  }

 private:
  const std::weak_ptr<Node> parent_;
  const std::shared_ptr<Node> object_;
  const std::string name_;
  Services& services_;
};

CollectionDirectory::CollectionDirectory(Services& services, Place place, Create create)
    : Directory(std::move(place.record), place.content),
      services_(services),
      path_(std::move(place.path)),
      events_(std::move(place.events)),
      create_(std::move(create)) {}

void CollectionDirectory::add_clone() {
  auto opener = [this](const Caller& caller) { return open_clone(caller); };
  constexpr Direction kBoth{.readable = true, .writable = true};
  add_stream(*this, "clone",
             std::make_shared<StreamNode>(shared_record(), kBoth, std::move(opener)));
}

std::expected<std::unique_ptr<OpenFile>, int> CollectionDirectory::open_clone(
    const Caller& caller) {
  constexpr mode_t kCloneMode = 0755;
  std::string name;
  do {
    name = fmt::format("anon{}", clones_made_++);
  } while (find(name));
  auto made = make(name, kCloneMode, caller);
  if (!made) return std::unexpected(made.error());
  return std::make_unique<CloneFile>(weak_from_this(), name, *made, services_);
}

int CollectionDirectory::refuse(const std::string& name, int error, std::string_view reason) {
  record().note_failure(error, fmt::format("{}/{}: {}", path_, name, reason));
  return error;
}

std::expected<std::shared_ptr<ContextDirectory>, int> CollectionDirectory::make(
    const std::string& name, mode_t mode, const Caller& caller) {
  // Only root's daemon can act with the identity of whoever makes an object.
  if (geteuid() != 0 && caller.uid != geteuid()) {
    return std::unexpected(refuse(name, EPERM, "this mount serves its own user only"));
  }
  auto share = services_.objects.take(caller.uid);
  if (!share) {
    return std::unexpected(refuse(name, EDQUOT, "this user has as many objects as one may have"));
  }
  auto events = events_ ? events_ : std::make_shared<EventStream>();
  auto object =
      std::make_shared<ObjectRecord>(fmt::format("{}/{}", path_, name), caller.uid, caller.gid,
                                     mode & 0777, services_.failure_handler(events));
  object->share = std::move(share);
  auto made = create_(name, std::move(object), std::move(events));
  if (!made) {
    return std::unexpected(refuse(name, errno_of(made.error()), reason_of(made.error())));
  }
  if (services_.options.autostart) {
    const Outcome started = (*made)->autostart();
    if (started.error != 0) {
      (*made)->retire();
      services_.graveyard.bury(*made);
      return std::unexpected(refuse(name, started.error, started.reason));
    }
  }
  objects_[name] = *made;
  add(name, *made);
  return *made;
}

std::expected<std::shared_ptr<Node>, int> CollectionDirectory::make_directory(
    std::string_view name, mode_t mode, const Caller& caller) {
  if (find(name)) return std::unexpected(EEXIST);
  return make(std::string(name), mode, caller);
}

int CollectionDirectory::remove_directory(std::string_view name) {
  const auto object = objects_.find(name);
  if (object == objects_.end()) return find(name) ? ENOTDIR : ENOENT;
  if (const int error = object->second->retire(); error != 0) return error;
  services_.graveyard.bury(object->second);
  objects_.erase(object);
  drop(name);
  return 0;
}

nlohmann::ordered_json CollectionDirectory::json() const {
  nlohmann::ordered_json json = make_object(objects_.size());
  for (const auto& [name, object] : objects_) add_member(json, name, object->json());
  return json;
}

void CollectionDirectory::check() {
  for (const auto& [name, object] : objects_) object->check();
}

void CollectionDirectory::remove_all(int error) {
  for (const auto& [name, object] : std::exchange(objects_, {})) {
    object->dismiss(error);
    services_.graveyard.bury(object);
    drop(name);
  }
}

}  // namespace comch::fuse
