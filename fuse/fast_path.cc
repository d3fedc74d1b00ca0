// Consumers and producers of a connection; see fast_path.h.
#include "fast_path.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "consumer_directory.h"
#include "producer_directory.h"

namespace comch::fuse {
namespace {

using Create = CollectionDirectory::Create;

std::shared_ptr<CollectionDirectory> make_collection(Services& services,
                                                     const std::shared_ptr<ObjectRecord>& record,
                                                     const std::shared_ptr<EventStream>& events,
                                                     const char* name, Create create) {
  CollectionDirectory::Place place{.record = record,
                                   .content = Directory::Content::kCollection,
                                   .path = record->path + "/" + name,
                                   .events = events};
  return std::make_shared<CollectionDirectory>(services, std::move(place), std::move(create));
}

Status check_open(const FastLink& link) {
  if (link.is_open()) return {};
  return fail(Errc::not_connected, "the connection is over");
}

Create consumer_maker(Services& services, std::shared_ptr<FastLink> link,
                      std::function<void()> on_emptied) {
  return [&services, link = std::move(link), on_emptied = std::move(on_emptied)](
             const std::string& name, auto record,
             auto events) -> Result<std::shared_ptr<ContextDirectory>> {
    if (Status open = check_open(*link); !open) return std::unexpected(open.error());
    auto made =
        ConsumerDirectory::create(services, link, name, std::move(record), std::move(events));
    if (made) (*made)->record().on_last_close = (*made)->queue()->on_emptied = on_emptied;
    return made;
  };
}

Create producer_maker(Services& services, std::shared_ptr<FastLink> link,
                      std::function<void()> on_emptied) {
  return [&services, link = std::move(link), on_emptied = std::move(on_emptied)](
             const std::string&, auto record,
             auto events) -> Result<std::shared_ptr<ContextDirectory>> {
    if (Status open = check_open(*link); !open) return std::unexpected(open.error());
    record->on_last_close = on_emptied;
    return ProducerDirectory::create(services, link, std::move(record), std::move(events));
  };
}

template <class Kind>
void for_each(const CollectionDirectory& collection, const std::function<void(Kind&)>& visit) {
  for (const auto& [name, object] : collection.objects()) visit(static_cast<Kind&>(*object));
}

}  // namespace

FastPath::FastPath(Services& services, Connection& connection,
                   const std::shared_ptr<ObjectRecord>& record,
                   const std::shared_ptr<EventStream>& events, std::function<void()> on_emptied)
    : link_(std::make_shared<FastLink>(connection)),
      consumers_(make_collection(services, record, events, "consumers",
                                 consumer_maker(services, link_, on_emptied))),
      producers_(make_collection(services, record, events, "producers",
                                 producer_maker(services, link_, std::move(on_emptied)))),
      remote_(std::make_shared<RemoteDirectory>(services, record)) {}

void FastPath::add_to(Directory& connection) {
  consumers_->add_clone();
  producers_->add_clone();
  connection.add("consumers", consumers_);
  connection.add("producers", producers_);
  connection.add("remote", remote_);
}

void FastPath::on_expired(ConsumerId consumer) {
  remote_->on_expired(consumer);
  for_each<ProducerDirectory>(*producers_, [consumer](auto& one) { one.on_expired(consumer); });
}

void FastPath::check() {
  consumers_->check();
  producers_->check();
}

void FastPath::on_end(int loss) {
  link_->on_end();
  remote_->on_end();
  for_each<ConsumerDirectory>(*consumers_, [loss](auto& one) { one.on_end(loss); });
  for_each<ProducerDirectory>(*producers_, [](auto& one) { one.on_end(); });
}

void FastPath::remove_all(int error) {
  link_->give_up();
  producers_->remove_all(error);
  consumers_->remove_all(error);
}

void FastPath::reset_counters() {
  for (const auto& collection : {consumers_, producers_}) {
    for (const auto& [name, object] : collection->objects()) {
      std::ignore = object->obey({.verb = "reset-stats", .arguments = {}});
    }
  }
}

bool FastPath::is_idle() const {
  const auto is_idle = [](const auto& entry) { return entry.second->is_idle(); };
  return std::ranges::all_of(consumers_->objects(), is_idle) &&
         std::ranges::all_of(producers_->objects(), is_idle);
}

bool FastPath::has_open_files() const {
  const auto is_open = [](const auto& entry) { return entry.second->record().open_files() > 0; };
  return std::ranges::any_of(consumers_->objects(), is_open) ||
         std::ranges::any_of(producers_->objects(), is_open);
}

bool FastPath::has_unread_messages() const {
  return std::ranges::any_of(consumers_->objects(), [](const auto& entry) {
    return static_cast<const ConsumerDirectory&>(*entry.second).queue()->size() > 0;
  });
}

nlohmann::ordered_json FastPath::consumers_json() const { return consumers_->json(); }

nlohmann::ordered_json FastPath::producers_json() const { return producers_->json(); }

}  // namespace comch::fuse
