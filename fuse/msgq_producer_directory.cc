// Producers of a MsgQ as files; see msgq_producer_directory.h.
#include "msgq_producer_directory.h"

#include <fmt/format.h>

#include "message_streams.h"

namespace comch::fuse {

Result<std::shared_ptr<MsgqProducerDirectory>> MsgqProducerDirectory::create(
    Services& services, std::shared_ptr<MsgqLink> link, std::shared_ptr<ObjectRecord> record,
    std::shared_ptr<EventStream> events) {
  auto made = std::make_shared<MsgqProducerDirectory>(services, std::move(link), std::move(record),
                                                      std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  add_sending_streams(*made, made->outbox_, [one = made.get()] { return one->start_by_opening(); });
  return made;
}

MsgqProducerDirectory::MsgqProducerDirectory(Services& services, std::shared_ptr<MsgqLink> link,
                                             std::shared_ptr<ObjectRecord> record,
                                             std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      link_(std::move(link)),
      outbox_(std::make_shared<MsgqOutbox>(services.engine)) {}

Status MsgqProducerDirectory::rebuild() {
  if (!link_->end) return fail(Errc::not_connected, "the MsgQ does not run");
  if (link_->end->to_accelerator() == nullptr) {
    return fail(Errc::not_supported, "the MsgQ's messages come from the accelerator only");
  }
  if (Status destroyed = destroy_context(); !destroyed) return destroyed;
  end_ = link_->end;
  auto made = make_producer();
  if (!made) {
    end_ = nullptr;
    return std::unexpected(made.error());
  }
  producer_ = std::move(*made);
  return {};
}

Result<std::unique_ptr<Producer>> MsgqProducerDirectory::make_producer() {
  auto producer = Producer::create(*end_->to_accelerator());
  if (!producer) return producer;
  const auto give_back = [](ProducerTask& task) { std::ignore = task.free(); };
  // Messages go out as arrays; the library wants to know of tasks all the same.
  Status set = (*producer)->configure_send(1, give_back, give_back);
  if (set) {
    set = (*producer)->on_space([outbox = outbox_](Producer&, ConsumerId) { outbox->on_space(); });
  }
  if (set) set = services().engine.engine().connect(**producer);
  if (!set) return std::unexpected(set.error());
  watch(**producer);
  return producer;
}

Status MsgqProducerDirectory::destroy_context() {
  if (!producer_) return {};
  if (Status destroyed = Producer::destroy(producer_); !destroyed) return destroyed;
  end_ = nullptr;
  services().engine.touch();  // The MsgQ may be waiting for this.
  return {};
}

// One that is idle would take the place of another at the MsgQ.
void MsgqProducerDirectory::check_own() {
  if (producer_ && is_idle()) std::ignore = destroy_context();
}

void MsgqProducerDirectory::on_changed(ContextState before, ContextState after) {
  started_in_ = end_;
  if (after == ContextState::kRunning) {
    last_counters_ = {};
    at_reset_ = {};
    outbox_->set_producer(producer_.get(), end_->consumer());
  } else {
    outbox_->set_producer(nullptr, {});
  }
  if (after == ContextState::kIdle) last_counters_ = engine_counters();
  ContextDirectory::on_changed(before, after);
}

int MsgqProducerDirectory::start_by_opening() {
  const bool starts = services().options.autostart && link_->end && is_idle() && !is_stopping() &&
                      started_in_.lock() != link_->end;
  if (!starts) return 0;
  const Outcome started = start();
  note_failure(record(), started);
  return started.error;
}

void MsgqProducerDirectory::add_own_files() {
  services().add_attribute(*this, "id", {.show = [this] {
    return is_idle() ? std::string()
                     : fmt::format("{}", static_cast<std::uint32_t>(producer_->id()));
  }});
}

Outcome MsgqProducerDirectory::obey_own(const Order& order) { return obey_sender(order, *outbox_); }

Counters MsgqProducerDirectory::engine_counters() const {
  if (!producer_ && !last_counters_.empty()) return last_counters_;
  const ProducerCounters engine = producer_ ? producer_->counters() : ProducerCounters();
  return {{"tx_msgs", engine.sent_messages},
          {"nothing_posted", engine.nothing_posted},
          {"wakes_sent", engine.wakes_sent}};
}

Counters MsgqProducerDirectory::counters() const {
  Counters all = engine_counters();
  subtract(all, at_reset_);
  all.push_back({"in_flight", outbox_->waiting()});
  return all;
}

}  // namespace comch::fuse
