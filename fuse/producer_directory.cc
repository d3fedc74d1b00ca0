// Producers as files; see producer_directory.h.
#include "producer_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "comch/capability.h"
#include "json_object.h"
#include "message_streams.h"

namespace comch::fuse {

Result<std::shared_ptr<ProducerDirectory>> ProducerDirectory::create(
    Services& services, std::shared_ptr<FastLink> link, std::shared_ptr<ObjectRecord> record,
    std::shared_ptr<EventStream> events) {
  auto made = std::make_shared<ProducerDirectory>(services, std::move(link), std::move(record),
                                                  std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  add_sending_streams(*made, made->outbox_, services.memory, [] { return 0; });
  return made;
}

ProducerDirectory::ProducerDirectory(Services& services, std::shared_ptr<FastLink> link,
                                     std::shared_ptr<ObjectRecord> record,
                                     std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      link_(std::move(link)),
      outbox_(std::make_shared<ProducerOutbox>(services.engine, link_)) {}

Status ProducerDirectory::accept_configuration() {
  if (depth_ > 0 && depth_ <= Producer::kMaxTasks) return {};
  return fail(Errc::invalid_value, "depth is a number of messages, 1 to 8192");
}

Status ProducerDirectory::rebuild() {
  if (!link_->is_open()) return fail(Errc::not_connected, "the connection is over");
  auto made = make_producer();
  if (!made) return std::unexpected(made.error());
  if (producer_) {
    if (Status destroyed = Producer::destroy(producer_); !destroyed) return destroyed;
  }
  producer_ = std::move(*made);
  return {};
}

Result<std::unique_ptr<Producer>> ProducerDirectory::make_producer() {
  auto producer = Producer::create(*link_->connection());
  if (!producer) return producer;
  const auto give_back = [](ProducerTask& task) { std::ignore = task.free(); };
  Status set = (*producer)->configure_send(depth_, give_back, give_back);
  if (set) {
    set = (*producer)->on_space([outbox = outbox_](Producer&, ConsumerId) { outbox->on_space(); });
  }
  if (set) set = services().engine.engine().connect(**producer);
  if (!set) return std::unexpected(set.error());
  watch(**producer);
  return producer;
}

void ProducerDirectory::on_changed(ContextState before, ContextState after) {
  if (producer_->failure().error.code == Errc::connection_reset) link_->give_up();
  outbox_->set_producer(after == ContextState::kRunning ? producer_.get() : nullptr);
  ContextDirectory::on_changed(before, after);
}

std::string ProducerDirectory::show_target() const {
  const auto target = outbox_->target();
  return target ? fmt::format("{}", static_cast<std::uint32_t>(*target)) : std::string();
}

Outcome ProducerDirectory::store_target(std::string_view text) {
  const auto number = parse_number(text, std::numeric_limits<std::uint32_t>::max());
  if (!number)
    return Outcome::failed(EINVAL, "write the id of a consumer, as `ls` of remote/ shows it");
  if (!link_->is_open()) return Outcome::failed(ENXIO, "the connection is over");
  const auto target = static_cast<ConsumerId>(*number);
  if (std::ranges::count(link_->connection()->remote_consumers(), target) == 0) {
    return Outcome::failed(
        ENOENT, "the other side has no such consumer; `ls` of remote/ shows those there are");
  }
  if (outbox_->has_begun()) return Outcome::failed(EBUSY, "a long message is on its way");
  outbox_->set_target(target);
  return services().options.autostart && !is_stopping() ? start() : Outcome::done();
}

Outcome ProducerDirectory::store_immediate(std::string_view text) {
  auto bytes = parse_hex(text);
  if (!bytes) return Outcome::failed(EINVAL, "write bytes of two hexadecimal digits each");
  if (bytes->size() > Consumer::kMaxImmediate) {
    return Outcome::failed(EINVAL, "immediate data has at most 256 bytes");
  }
  if (looks_like_a_mark(*bytes)) return Outcome::failed(EINVAL, "that marks parts of a put");
  outbox_->set_immediate(std::move(*bytes));
  return Outcome::done();
}

void ProducerDirectory::add_own_files() {
  services().add_attribute(*this, "id", {.show = [this] {
    const bool has_id = state() == ContextState::kRunning;
    return has_id ? fmt::format("{}", static_cast<std::uint32_t>(producer_->id())) : std::string();
  }});
  add_changeable(
      "target", [this] { return show_target(); },
      [this](std::string_view text) { return store_target(text); }, true);
  add_changeable(
      "imm", [this] { return show_hex(outbox_->immediate()); },
      [this](std::string_view text) { return store_immediate(text); });
  add_number_setting("depth", depth_);
}

Outcome ProducerDirectory::obey_own(const Order& order) { return obey_sender(order, *outbox_); }

Counters ProducerDirectory::engine_counters() const {
  const ProducerCounters engine = producer_ ? producer_->counters() : ProducerCounters();
  return {{"tx_msgs", engine.sent_messages},
          {"tx_bytes", engine.sent_bytes},
          {"inline_msgs", engine.inline_messages},
          {"mapped_msgs", engine.mapped_messages},
          {"staged_msgs", engine.staged_messages},
          {"cma_msgs", engine.cma_messages},
          {"cooperative_msgs", engine.cooperative_messages},
          {"loaned_msgs", engine.loaned_messages},
          {"nothing_posted", engine.nothing_posted},
          {"wakes_sent", engine.wakes_sent}};
}

Counters ProducerDirectory::counters() const {
  Counters all = engine_counters();
  subtract(all, at_reset_);
  all.push_back({"in_flight", outbox_->waiting()});
  return all;
}

nlohmann::ordered_json ProducerDirectory::json() const {
  nlohmann::ordered_json json{{"target", show_target()}, {"depth", depth_}};
  add_members(json, ContextDirectory::json());
  return json;
}

}  // namespace comch::fuse
