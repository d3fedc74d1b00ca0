// The root of the mount; see tree.h.
#include "tree.h"

#include <unistd.h>

#include "client_directory.h"
#include "comch/log.h"
#include "device_directory.h"
#include "help_text.h"
#include "msgq_directory.h"
#include "report.h"
#include "server_directory.h"

namespace comch::fuse {
namespace {

// servers/, clients/ and msgq/ are open to everybody, as /tmp is: what one makes is one's own.
constexpr mode_t kOpenToAll = 01777;

}  // namespace

std::shared_ptr<Tree> Tree::create(Services& services, const std::vector<DeviceInfo>& devices) {
  auto tree = std::make_shared<Tree>(services);
  tree->build(devices);
  return tree;
}

Tree::Tree(Services& services)
    : services_(services),
      record_(std::make_shared<ObjectRecord>("", geteuid(), getegid(), 0755,
                                             services.failure_handler(services.events))),
      root_(std::make_shared<Directory>(record_, Directory::Content::kObject)) {
  services.nodes.set_root(root_);
}

void Tree::build(const std::vector<DeviceInfo>& devices) {
  add_texts();
  root_->add("devices", make_device_directory(services_, record_, devices));
  services_.add_events(*root_, services_.events);
  services_.add_ctl(*root_, weak_from_this());
  if (services_.options.shows_servers()) {
    servers_ = add_role("servers", [this](std::string name, auto record, auto events) {
      return ServerDirectory::create(services_, std::move(name), std::move(record),
                                     std::move(events));
    });
  }
  if (services_.options.shows_clients()) {
    clients_ = add_role("clients", [this](const std::string&, auto record, auto events) {
      return ClientDirectory::create(services_, std::move(record), std::move(events));
    });
  }
  msgqs_ = add_role("msgq", [this](const std::string&, auto record, auto events) {
    return MsgqDirectory::create(services_, std::move(record), std::move(events));
  });
}

void Tree::add_texts() {
  services_.add_attribute(*root_, "README", {.show = [] { return help_text(); }, .is_text = true});
  services_.add_attribute(*root_, "version", {.show = [] { return version_text(); }});
  services_.add_attribute(*root_, "error", {.show = [this] { return record_->last_failure; }});
  const auto add_report = [this](const char* name, std::string (*write)(const Reported&)) {
    services_.add_attribute(
        *root_, name,
        {.show = [this, write] { return write(reported()); }, .is_text = true, .is_report = true});
  };
  add_report("metrics", metrics_text);
  add_report("status.json", status_json);
}

std::shared_ptr<CollectionDirectory> Tree::add_role(const char* name,
                                                    CollectionDirectory::Create create) {
  auto record = std::make_shared<ObjectRecord>(name, record_->owner, record_->group, kOpenToAll,
                                               services_.failure_handler(services_.events));
  record->container = record_;
  CollectionDirectory::Place place{.record = std::move(record),
                                   .content = Directory::Content::kObject,
                                   .path = name,
                                   .events = nullptr};
  auto role = std::make_shared<CollectionDirectory>(services_, std::move(place), std::move(create));
  role->add_clone();
  root_->add(name, role);
  return role;
}

Reported Tree::reported() const {
  return {.servers = servers_.get(), .clients = clients_.get(), .msgqs = msgqs_.get()};
}

void Tree::check() {
  if (servers_) servers_->check();
  if (clients_) clients_->check();
  msgqs_->check();
}

void Tree::shut_down() {
  // Before all that has its line: who is given one asks for the next, and nobody answers any more.
  services_.events->fail_readers(ESHUTDOWN);
  // Clients first: they say good-bye to servers that are still there to hear it.
  if (clients_) clients_->remove_all(ESHUTDOWN);
  if (servers_) servers_->remove_all(ESHUTDOWN);
  msgqs_->remove_all(ESHUTDOWN);
  services_.operations.fail_all(ESHUTDOWN);
  record_->removed = true;
}

Outcome Tree::obey(const Order& order) {
  if (order.verb == "log" && order.arguments.size() == 1) {
    const auto level = parse_log_level(order.arguments[0]);
    if (!level) return misunderstood(order);
    set_log_level(*level);
    return Outcome::done();
  }
  if (order.verb == "reset-stats" && order.arguments.empty()) {
    for (const auto& role : {servers_, clients_, msgqs_}) {
      if (!role) continue;
      for (const auto& [name, object] : role->objects()) std::ignore = object->obey(order);
    }
    return Outcome::done();
  }
  return misunderstood(order);
}

std::string Tree::ctl_usage() const { return "log off|error|warning|info|debug\nreset-stats\n"; }

}  // namespace comch::fuse
