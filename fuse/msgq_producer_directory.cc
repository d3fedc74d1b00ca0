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
  add_sending_streams(*made, made->outbox_, services.memory,
                      [one = made.get()] { return one->start_by_opening(); });
  return made;
}

MsgqProducerDirectory::MsgqProducerDirectory(Services& services, std::shared_ptr<MsgqLink> link,
                                             std::shared_ptr<ObjectRecord> record,
                                             std::shared_ptr<EventStream> events)
    : MsgqEndDirectory(services, std::move(link), std::move(record), std::move(events)),
      outbox_(std::make_shared<MsgqOutbox>(services.engine)) {}

Status MsgqProducerDirectory::check_direction(AcceleratorEnd& run) const {
  if (run.to_accelerator() != nullptr) return {};
  return fail(Errc::not_supported, "the MsgQ's messages come from the accelerator only");
}

Status MsgqProducerDirectory::make_context() {
  auto producer = Producer::create(*end().to_accelerator());
  if (!producer) return std::unexpected(producer.error());
  const auto give_back = [](ProducerTask& task) { std::ignore = task.free(); };
  // Messages go out as arrays; the library wants to know of tasks all the same.
  Status set = (*producer)->configure_send(1, give_back, give_back);
  if (set) {
    set = (*producer)->on_space([outbox = outbox_](Producer&, ConsumerId) { outbox->on_space(); });
  }
  if (set) set = services().engine.engine().connect(**producer);
  if (!set) return set;
  watch(**producer);
  producer_ = std::move(*producer);
  return {};
}

void MsgqProducerDirectory::on_entered(ContextState state) {
  if (state == ContextState::kRunning) {
    outbox_->set_producer(producer_.get(), end().consumer());
  } else {
    outbox_->set_producer(nullptr, {});
  }
}

void MsgqProducerDirectory::add_own_files() {
  services().add_attribute(*this, "id", {.show = [this] {
    return is_idle() ? std::string()
                     : fmt::format("{}", static_cast<std::uint32_t>(producer_->id()));
  }});
}

Outcome MsgqProducerDirectory::obey_own(const Order& order) { return obey_sender(order, *outbox_); }

Counters MsgqProducerDirectory::engine_counters() const {
  const ProducerCounters engine = producer_ ? producer_->counters() : ProducerCounters();
  return {{"tx_msgs", engine.sent_messages},
          {"nothing_posted", engine.nothing_posted},
          {"wakes_sent", engine.wakes_sent}};
}

Counters MsgqProducerDirectory::counters() const {
  Counters all = counted();
  all.push_back({"in_flight", outbox_->waiting()});
  return all;
}

}  // namespace comch::fuse
