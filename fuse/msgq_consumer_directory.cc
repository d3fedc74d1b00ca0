// Consumers of a MsgQ as files; see msgq_consumer_directory.h.
#include "msgq_consumer_directory.h"

#include <fmt/format.h>

#include "message_streams.h"

namespace comch::fuse {

Result<std::shared_ptr<MsgqConsumerDirectory>> MsgqConsumerDirectory::create(
    Services& services, std::shared_ptr<MsgqLink> link, const std::string& name,
    std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events) {
  auto made = std::make_shared<MsgqConsumerDirectory>(services, std::move(link), name,
                                                      std::move(record), std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  add_receiving_streams(*made, made->queue_,
                        [one = made.get()] { return one->start_by_opening(); });
  return made;
}

MsgqConsumerDirectory::MsgqConsumerDirectory(Services& services, std::shared_ptr<MsgqLink> link,
                                             const std::string& name,
                                             std::shared_ptr<ObjectRecord> record,
                                             std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      link_(std::move(link)),
      queue_(std::make_shared<ConsumerQueue>(name)) {
  queue_->set_refusal(ENXIO);
}

MsgqConsumerDirectory::~MsgqConsumerDirectory() {
  if (receives_) receives_->end_posting();
}

Status MsgqConsumerDirectory::rebuild() {
  if (!link_->end) return fail(Errc::not_connected, "the MsgQ does not run");
  if (link_->end->from_accelerator() == nullptr) {
    return fail(Errc::not_supported, "the MsgQ's messages go to the accelerator only");
  }
  if (Status destroyed = destroy_context(); !destroyed) return destroyed;
  end_ = link_->end;
  auto receives = std::make_shared<MsgqReceives>(services().engine, end_);
  auto made = make_consumer(receives);
  if (!made) {
    end_ = nullptr;
    return std::unexpected(made.error());
  }
  consumer_ = std::move(*made);
  receives_ = std::move(receives);
  return {};
}

Result<std::unique_ptr<Consumer>> MsgqConsumerDirectory::make_consumer(
    const std::shared_ptr<MsgqReceives>& receives) {
  auto consumer = Consumer::create(*end_->from_accelerator());
  if (!consumer) return consumer;
  const auto arrived = [this, receives](ReceiveTask& task) {
    auto arrival = receives->take(task);
    if (!record().removed) queue_->on_arrival(std::move(arrival));
  };
  const auto give_back = [](ReceiveTask& task) { std::ignore = task.free(); };
  Status set = (*consumer)->configure_receive(link_->settings.depth, arrived, give_back);
  if (set) set = services().engine.engine().connect(**consumer);
  if (!set) return std::unexpected(set.error());
  watch(**consumer);
  return consumer;
}

Status MsgqConsumerDirectory::destroy_context() {
  if (!consumer_) return {};
  if (Status destroyed = Consumer::destroy(consumer_); !destroyed) return destroyed;
  receives_ = nullptr;
  end_ = nullptr;
  services().engine.touch();  // The MsgQ may be waiting for this.
  return {};
}

// One that is idle would take the place of another at the MsgQ.
void MsgqConsumerDirectory::check_own() {
  if (consumer_ && is_idle()) std::ignore = destroy_context();
}

void MsgqConsumerDirectory::on_changed(ContextState before, ContextState after) {
  started_in_ = end_;
  if (after == ContextState::kRunning) {
    if (const Status begun = begin_receiving(); !begun) {
      record().note_failure(errno_of(begun.error()), reason_of(begun.error()));
    }
  } else {
    end_->remove_consumer(id_);
  }
  if (after == ContextState::kIdle) {
    receives_->end_posting();
    last_counters_ = engine_counters();
  }
  if (!record().removed) queue_->set_refusal(after == ContextState::kRunning ? 0 : ENXIO);
  ContextDirectory::on_changed(before, after);
}

Status MsgqConsumerDirectory::begin_receiving() {
  last_counters_ = {};
  at_reset_ = {};
  if (Status posted = receives_->post_all(*consumer_, link_->settings.depth); !posted) {
    return posted;
  }
  id_ = consumer_->id();
  end_->add_consumer(id_);
  return {};
}

int MsgqConsumerDirectory::start_by_opening() {
  const bool starts = services().options.autostart && link_->end && is_idle() && !is_stopping() &&
                      started_in_.lock() != link_->end;
  if (!starts) return 0;
  const Outcome started = start();
  note_failure(record(), started);
  return started.error;
}

void MsgqConsumerDirectory::add_own_files() {
  services().add_attribute(*this, "id", {.show = [this] {
    return is_idle() ? std::string()
                     : fmt::format("{}", static_cast<std::uint32_t>(consumer_->id()));
  }});
}

Counters MsgqConsumerDirectory::engine_counters() const {
  if (!consumer_ && !last_counters_.empty()) return last_counters_;
  const ConsumerCounters engine = consumer_ ? consumer_->counters() : ConsumerCounters();
  return {{"rx_msgs", engine.received_messages}, {"wakes_received", engine.wakes_received}};
}

Counters MsgqConsumerDirectory::counters() const {
  Counters all = engine_counters();
  subtract(all, at_reset_);
  all.push_back({"posted", consumer_ ? consumer_->posted() : 0});
  all.push_back({"waiting", queue_->size()});
  all.push_back({"messages_dropped", queue_->messages_dropped});
  all.push_back({"empty_skipped", queue_->empty_skipped});
  return all;
}

void MsgqConsumerDirectory::reset_counters() {
  at_reset_ = engine_counters();
  queue_->messages_dropped = queue_->empty_skipped = 0;
}

}  // namespace comch::fuse
