// The other side's consumers; see remote_directory.h.
#include "remote_directory.h"

#include <fmt/format.h>

#include <utility>

namespace comch::fuse {

std::string RemoteDirectory::path_of(const std::string& name) const {
  return fmt::format("{}/remote/{}", record().path, name);
}

void RemoteDirectory::on_appeared(ConsumerId consumer) {
  const std::string name = fmt::format("{}", static_cast<std::uint32_t>(consumer));
  consumers_.insert(name);
  services_.announcer.appear(path_of(name), [weak = weak_from_this(), this, name] {
    if (const auto self = weak.lock()) appear(name);
  });
}

void RemoteDirectory::on_expired(ConsumerId consumer) {
  const std::string name = fmt::format("{}", static_cast<std::uint32_t>(consumer));
  if (consumers_.erase(name) != 0) announce_departure(name);
}

void RemoteDirectory::on_end() {
  for (const std::string& name : std::exchange(consumers_, {})) announce_departure(name);
}

void RemoteDirectory::announce_departure(const std::string& name) {
  services_.announcer.vanish(path_of(name), services_.nodes.id_of(*this),
                             [weak = weak_from_this(), this, name] {
                               if (const auto self = weak.lock()) vanish(name);
                             });
}

std::shared_ptr<Node> RemoteDirectory::appear(std::string_view name) {
  if (!consumers_.contains(name) || find(name)) return nullptr;
  auto made = std::make_shared<Directory>(shared_record());
  services_.add_attribute(*made, "id", {.show = [id = std::string(name)] { return id; }});
  add(std::string(name), made);
  return made;
}

bool RemoteDirectory::vanish(std::string_view name) {
  if (consumers_.contains(name) || !find(name)) return false;
  drop(name);
  return true;
}

}  // namespace comch::fuse
