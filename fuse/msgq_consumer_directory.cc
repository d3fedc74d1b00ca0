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
    : MsgqEndDirectory(services, std::move(link), std::move(record), std::move(events)),
      queue_(std::make_shared<ConsumerQueue>(name)) {
  queue_->set_refusal(ENXIO);
}

MsgqConsumerDirectory::~MsgqConsumerDirectory() {
  if (receives_) receives_->end_posting();
}

Status MsgqConsumerDirectory::check_direction(AcceleratorEnd& run) const {
  if (run.from_accelerator() != nullptr) return {};
  return fail(Errc::not_supported, "the MsgQ's messages go to the accelerator only");
}

Status MsgqConsumerDirectory::make_context() {
  auto receives = std::make_shared<MsgqReceives>(services().engine, shared_end());
  auto consumer = Consumer::create(*end().from_accelerator());
  if (!consumer) return std::unexpected(consumer.error());
  const auto arrived = [this, receives](ReceiveTask& task) {
    auto arrival = receives->take(task);
    if (!record().removed) queue_->on_arrival(std::move(arrival));
  };
  const auto give_back = [](ReceiveTask& task) { std::ignore = task.free(); };
  Status set = (*consumer)->configure_receive(link().settings.depth, arrived, give_back);
  if (set) set = services().engine.engine().connect(**consumer);
  if (!set) return set;
  watch(**consumer);
  consumer_ = std::move(*consumer);
  receives_ = std::move(receives);
  return {};
}

Status MsgqConsumerDirectory::drop_context() {
  if (Status destroyed = Consumer::destroy(consumer_); !destroyed) return destroyed;
  receives_ = nullptr;
  return {};
}

void MsgqConsumerDirectory::on_entered(ContextState state) {
  if (state == ContextState::kRunning) {
    if (const Status begun = begin_receiving(); !begun) {
      record().note_failure(errno_of(begun.error()), reason_of(begun.error()));
    }
  } else {
    end().remove_consumer(id_);
  }
  if (state == ContextState::kIdle) receives_->end_posting();
  if (!record().removed) queue_->set_refusal(state == ContextState::kRunning ? 0 : ENXIO);
}

Status MsgqConsumerDirectory::begin_receiving() {
  if (Status posted = receives_->post_all(*consumer_, link().settings.depth); !posted) {
    return posted;
  }
  id_ = consumer_->id();
  end().add_consumer(id_);
  return {};
}

void MsgqConsumerDirectory::add_own_files() {
  services().add_attribute(*this, "id", {.show = [this] {
    return is_idle() ? std::string()
                     : fmt::format("{}", static_cast<std::uint32_t>(consumer_->id()));
  }});
}

Counters MsgqConsumerDirectory::engine_counters() const {
  const ConsumerCounters engine = consumer_ ? consumer_->counters() : ConsumerCounters();
  return {{"rx_msgs", engine.received_messages}, {"wakes_received", engine.wakes_received}};
}

Counters MsgqConsumerDirectory::counters() const {
  Counters all = counted();
  all.push_back({"posted", consumer_ ? consumer_->posted() : 0});
  all.push_back({"waiting", queue_->size()});
  all.push_back({"messages_dropped", queue_->messages_dropped});
  all.push_back({"empty_skipped", queue_->empty_skipped});
  return all;
}

void MsgqConsumerDirectory::reset_counters() {
  reset_counted();
  queue_->messages_dropped = queue_->empty_skipped = 0;
}

}  // namespace comch::fuse
