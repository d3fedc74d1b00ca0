// One connection as a directory; see connection_directory.h.
#include "connection_directory.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "framing.h"
#include "message_file.h"
#include "put_file.h"
#include "send_file.h"
#include "value.h"

namespace comch::fuse {

std::shared_ptr<ConnectionDirectory> ConnectionDirectory::create(
    Services& services, Owner& owner, Connection& connection, std::uint64_t number,
    std::string name, std::shared_ptr<ObjectRecord> record,
    std::shared_ptr<ServerInbox> server_inbox, const std::shared_ptr<EventStream>& events) {
  auto made =
      std::make_shared<ConnectionDirectory>(services, owner, connection, number, std::move(name),
                                            std::move(record), std::move(server_inbox));
  made->add_attributes();
  made->add_streams();
  made->add_fast_path(events);
  std::weak_ptr<ConnectionDirectory> weak = made;
  made->record().on_last_close = made->inbox_->on_emptied = [weak] {
    if (auto self = weak.lock()) self->tell_if_used_up();
  };
  return made;
}

ConnectionDirectory::ConnectionDirectory(Services& services, Owner& owner, Connection& connection,
                                         std::uint64_t number, std::string name,
                                         std::shared_ptr<ObjectRecord> record,
                                         std::shared_ptr<ServerInbox> server_inbox)
    : Directory(std::move(record), Content::kObject),
      services_(services),
      owner_(&owner),
      connection_(&connection),
      number_(number),
      name_(std::move(name)),
      peer_(connection.peer()),
      inbox_(std::make_shared<Inbox>(services.engine, connection, name_, std::move(server_inbox))),
      outbox_(std::make_shared<ConnectionOutbox>(services.engine, connection)) {}

void ConnectionDirectory::add_fast_path(const std::shared_ptr<EventStream>& events) {
  fast_path_ = std::make_unique<FastPath>(services_, *connection_, shared_record(), events,
                                          [weak = weak_from_this(), this] {
                                            if (const auto self = weak.lock()) tell_if_used_up();
                                          });
  fast_path_->add_to(*this);
}

void ConnectionDirectory::check() {
  if (outbox_->needs_check()) outbox_->check();
  fast_path_->check();
}

void ConnectionDirectory::add_attributes() {
  const auto add_number = [this](const char* file, std::int64_t value) {
    services_.add_attribute(*this, file, {.show = [value] { return fmt::format("{}", value); }});
  };
  add_number("id", static_cast<std::int64_t>(number_));
  add_number("peer_uid", peer_.uid);
  add_number("peer_gid", peer_.gid);
  add_number("peer_pid", peer_.pid);
  add_number("peer_acting_uid", peer_.acting_uid);
  add_number("peer_acting_gid", peer_.acting_gid);
  services_.add_attribute(*this, "state", {.show = [this] { return state_word(); }});
  services_.add_attribute(*this, "error", {.show = [this] { return record().last_failure; }});
  services_.add_attribute(
      *this, "user_data",
      {.show = [this] { return fmt::format("{}", user_data_); },
       .store = [this](std::string_view text) { return store_user_data(text); }});
  add_counter_files(services_, *this, [this] { return counters(); });
}

void ConnectionDirectory::add_streams() {
  using Opened = std::expected<std::unique_ptr<OpenFile>, int>;
  const auto put_stream = [this](const char* file, Direction direction, StreamNode::Opener opener) {
    add_stream(*this, file,
               std::make_shared<StreamNode>(shared_record(), direction, std::move(opener)));
  };
  constexpr Direction kIn{.readable = true};
  constexpr Direction kOut{.writable = true};
  put_stream("recv", kIn,
             [in = inbox_](const Caller&) -> Opened { return std::make_unique<RecvFile>(in); });
  put_stream("get", kIn,
             [in = inbox_](const Caller&) -> Opened { return std::make_unique<GetFile>(in); });
  put_stream("recv.framed", kIn, [in = inbox_](const Caller&) -> Opened {
    return std::make_unique<FramedFile>(
        in, [](const Message& message) { return frame_header("", message.size()); },
        FramedFile::Packing::kAsManyAsFit);
  });
  put_stream("send", kOut,
             [out = outbox_](const Caller&) -> Opened { return std::make_unique<SendFile>(out); });
  put_stream("put", kOut, [out = outbox_, &quota = services_.memory](const Caller&) -> Opened {
    return std::make_unique<PutFile>(out, quota);
  });
  put_stream("send.framed", kOut,
             [out = outbox_, &quota = services_.memory](const Caller&) -> Opened {
               return std::make_unique<FramedSendFile>(out, quota);
             });
  services_.add_ctl(*this, std::shared_ptr<CtlTarget>(shared_from_this(), this));
}

const char* ConnectionDirectory::state_word() const {
  if (connection_ == nullptr) return "idle";
  switch (connection_->state()) {
    case ConnectionState::kEstablished:
      return "running";
    case ConnectionState::kClosing:
      return "stopping";
    case ConnectionState::kDraining:  // The peer has ended; what it sent can be read.
    case ConnectionState::kClosed:
      return "idle";
  }
  return "idle";
}

void ConnectionDirectory::on_end(int loss) {
  last_counters_ = connection_->counters();
  connection_ = nullptr;
  fast_path_->on_end(loss);
  if (loss != 0 && !record().removed) record().note_failure(loss, "the peer was lost");
  if (record().removed) return inbox_->forget();
  inbox_->end(loss);
  outbox_->end(EPIPE);
  tell_if_used_up();
}

void ConnectionDirectory::on_removed(int error) {
  owner_ = nullptr;
  record().removed = true;
  inbox_->leave_server();
  inbox_->waiting.fail_all(error);
  inbox_->pollers.wake();
  outbox_->end(error);
  fast_path_->remove_all(error);
}

bool ConnectionDirectory::is_needed() const {
  return connection_ != nullptr || inbox_->given_back() > 0 || record().open_files() > 0 ||
         fast_path_->has_unread_messages() || fast_path_->has_open_files();
}

void ConnectionDirectory::tell_if_used_up() {
  if (!is_needed() && owner_ != nullptr) owner_->is_used_up(*this);
}

Counters ConnectionDirectory::counters() const {
  ConnectionCounters engine = connection_ == nullptr ? last_counters_ : connection_->counters();
  // What was taken from the engine only to look at it has not been received yet.
  engine.received_messages -=
      std::min<std::uint64_t>(engine.received_messages, inbox_->given_back());
  engine.received_bytes -=
      std::min<std::uint64_t>(engine.received_bytes, inbox_->given_back_bytes());
  return connection_counters(
      engine, {.in_flight = (connection_ == nullptr ? 0 : connection_->tasks_in_flight()) +
                            outbox_->waiting(),
               .messages_dropped = inbox_->messages_dropped,
               .empty_skipped = inbox_->empty_skipped});
}

nlohmann::ordered_json ConnectionDirectory::json() const {
  nlohmann::ordered_json json{{"id", number_},
                              {"state", state_word()},
                              {"peer_uid", peer_.uid},
                              {"peer_pid", peer_.pid},
                              {"user_data", user_data_}};
  json["consumers"] = fast_path_->consumers_json();
  json["producers"] = fast_path_->producers_json();
  for (const Counter& counter : counters()) json["stats"][counter.name] = counter.value;
  return json;
}

Outcome ConnectionDirectory::store_user_data(std::string_view text) {
  const auto number = parse_number(text, std::numeric_limits<std::uint64_t>::max());
  if (!number) return Outcome::failed(EINVAL, "user_data: write a decimal number");
  user_data_ = *number;
  return Outcome::done();
}

Outcome ConnectionDirectory::drain() {
  return Outcome::later([weak = weak_from_this(), this]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "the connection is gone");
    if (outbox_->waiting() == 0) return Outcome::done();
    if (outbox_->refusal() != 0) return Outcome::failed(EPIPE, "the peer is gone");
    return std::nullopt;
  });
}

void ConnectionDirectory::reset_counters() {
  if (connection_ != nullptr) connection_->reset_counters();
  last_counters_ = {};
  inbox_->messages_dropped = inbox_->empty_skipped = 0;
  fast_path_->reset_counters();
}

Outcome ConnectionDirectory::obey(const Order& order) {
  const bool plain = order.arguments.empty();
  if (order.verb == "disconnect" && (plain || order.arguments[0] == "force")) {
    if (connection_ == nullptr || owner_ == nullptr) return Outcome::failed(ENXIO, "it is over");
    return owner_->disconnect(*this, !plain);
  }
  if (order.verb == "drain" && plain) return drain();
  if (order.verb == "cancel" && plain) {
    outbox_->cancel();
    return Outcome::done();
  }
  if (order.verb == "reset-stats" && plain) {
    reset_counters();
    return Outcome::done();
  }
  if (order.verb == "set" && order.arguments.size() == 2 && order.arguments[0] == "user_data") {
    return store_user_data(order.arguments[1]);
  }
  return misunderstood(order);
}

std::string ConnectionDirectory::ctl_usage() const {
  return "disconnect [force]\ndrain\ncancel\nreset-stats\nset user_data NUMBER\n";
}

}  // namespace comch::fuse
