// servers/ and clients/; see role_directory.h.
#include "role_directory.h"

#include <fmt/format.h>
#include <unistd.h>

namespace comch::fuse {

// The open end of `clone`: the ctl of an object that dies with it.
class RoleDirectory::CloneFile final : public CtlFile {
 public:
  CloneFile(std::weak_ptr<Node> role, std::string name, std::shared_ptr<CtlTarget> target,
            Services& services)
      : CtlFile(std::move(target), name + "\n", services.operations),
        role_(std::move(role)),
        name_(std::move(name)),
        services_(services) {}

  void closing() override {
    const auto role = std::dynamic_pointer_cast<RoleDirectory>(role_.lock());
    if (!role || role->remove_directory(name_) != 0) return;
    // Nobody called rmdir, so the kernel still remembers the name.
    services_.announcer.vanish(role->role_ + "/" + name_, services_.nodes.id_of(*role), {});
  }

 private:
  const std::weak_ptr<Node> role_;
  const std::string name_;
  Services& services_;
};

RoleDirectory::RoleDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                             std::string role, Create create)
    : Directory(std::move(record), Content::kObject),
      services_(services),
      role_(std::move(role)),
      create_(std::move(create)) {}

void RoleDirectory::add_clone() {
  auto opener = [this](const Caller& caller) { return open_clone(caller); };
  constexpr Direction kBoth{.readable = true, .writable = true};
  add_stream(*this, "clone",
             std::make_shared<StreamNode>(shared_record(), kBoth, std::move(opener)));
}

std::expected<std::unique_ptr<OpenFile>, int> RoleDirectory::open_clone(const Caller& caller) {
  constexpr mode_t kCloneMode = 0755;
  std::string name;
  do {
    name = fmt::format("anon{}", clones_made_++);
  } while (find(name));
  auto made = make(name, kCloneMode, caller);
  if (!made) return std::unexpected(made.error());
  auto file = std::make_unique<CloneFile>(
      weak_from_this(), name, std::shared_ptr<CtlTarget>(*made, made->get()), services_);
  return file;
}

int RoleDirectory::refuse(const std::string& name, int error, std::string_view reason) {
  record().note_failure(error, fmt::format("{}/{}: {}", role_, name, reason));
  return error;
}

std::expected<std::shared_ptr<ContextDirectory>, int> RoleDirectory::make(const std::string& name,
                                                                          mode_t mode,
                                                                          const Caller& caller) {
  // Only root's daemon can act with the identity of whoever makes an object.
  if (geteuid() != 0 && caller.uid != geteuid()) {
    return std::unexpected(refuse(name, EPERM, "this mount serves its own user only"));
  }
  auto events = std::make_shared<EventStream>();
  auto object =
      std::make_shared<ObjectRecord>(fmt::format("{}/{}", role_, name), caller.uid, caller.gid,
                                     mode & 0777, services_.failure_handler(events));
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

std::expected<std::shared_ptr<Node>, int> RoleDirectory::make_directory(std::string_view name,
                                                                        mode_t mode,
                                                                        const Caller& caller) {
  if (find(name)) return std::unexpected(EEXIST);
  return make(std::string(name), mode, caller);
}

int RoleDirectory::remove_directory(std::string_view name) {
  const auto object = objects_.find(name);
  if (object == objects_.end()) return find(name) ? ENOTDIR : ENOENT;
  if (const int error = object->second->retire(); error != 0) return error;
  services_.graveyard.bury(object->second);
  objects_.erase(object);
  drop(name);
  return 0;
}

void RoleDirectory::check() {
  for (const auto& [name, object] : objects_) object->check();
}

void RoleDirectory::shut_down() {
  for (const auto& [name, object] : objects_) {
    object->shut_down();
    services_.graveyard.bury(object);
  }
  objects_.clear();
}

}  // namespace comch::fuse
