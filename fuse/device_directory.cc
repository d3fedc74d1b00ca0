// The inventory; see device_directory.h.
#include "device_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "value.h"

namespace comch::fuse {
namespace {

using Record = std::shared_ptr<ObjectRecord>;

void add_text(Services& services, Directory& directory, const char* file, std::string text) {
  services.add_attribute(directory, file, {.show = [text = std::move(text)] { return text; }});
}

void add_number(Services& services, Directory& directory, const char* file, std::uint64_t number) {
  add_text(services, directory, file, fmt::format("{}", number));
}

std::shared_ptr<Directory> make_capabilities(Services& services, const Record& record,
                                             const Capability& capability) {
  auto made = std::make_shared<Directory>(record);
  add_number(services, *made, "server", capability.server ? 1 : 0);
  add_number(services, *made, "client", capability.client ? 1 : 0);
  add_number(services, *made, "max_name_length", capability.max_name_length);
  add_number(services, *made, "max_msg_size", capability.max_message_size);
  add_number(services, *made, "max_recv_queue_size", capability.max_recv_queue_size);
  add_number(services, *made, "max_send_tasks", capability.max_send_tasks);
  add_number(services, *made, "max_clients", capability.max_clients);
  return made;
}

std::shared_ptr<Directory> make_representor(Services& services, const Record& record,
                                            const RepresentorInfo& info) {
  auto made = std::make_shared<Directory>(record);
  const AccessList access{info.allow_uids, info.allow_gids, info.allow_everyone};
  add_text(services, *made, "pci", info.pci);
  add_text(services, *made, "kind", std::string(name(info.kind)));
  add_text(services, *made, "vuid", info.vuid);
  add_text(services, *made, "allow_uid", show_access(access, AccessPart::kUids));
  add_text(services, *made, "allow_gid", show_access(access, AccessPart::kGids));
  if (!info.allow_hosts.empty()) {
    add_text(services, *made, "allow_hosts", fmt::format("{}", fmt::join(info.allow_hosts, " ")));
  }
  return made;
}

std::shared_ptr<Directory> make_device(Services& services, const Record& record,
                                       const DeviceInfo& info) {
  auto made = std::make_shared<Directory>(record);
  add_text(services, *made, "pci", info.pci);
  add_text(services, *made, "side", std::string(name(info.side)));
  add_text(services, *made, "kind", std::string(name(info.kind)));
  add_text(services, *made, "vuid", info.vuid);
  if (info.rdma) add_text(services, *made, "rdma", info.rdma->address);
  made->add("caps", make_capabilities(services, record, info.capability));
  auto representors = std::make_shared<Directory>(record);
  for (const RepresentorInfo& representor : info.representors) {
    representors->add(representor.pci, make_representor(services, record, representor));
  }
  made->add("reps", std::move(representors));
  return made;
}

bool is_shown(const DeviceInfo& info, SideShown shown) {
  if (shown == SideShown::kBoth) return true;
  return info.side == (shown == SideShown::kHost ? Side::kHost : Side::kDpu);
}

}  // namespace

std::shared_ptr<Directory> make_device_directory(Services& services, const Record& record,
                                                 const std::vector<DeviceInfo>& devices) {
  auto made = std::make_shared<Directory>(record);
  for (const DeviceInfo& info : devices) {
    if (is_shown(info, services.options.side)) {
      made->add(info.name, make_device(services, record, info));
    }
  }
  return made;
}

}  // namespace comch::fuse
