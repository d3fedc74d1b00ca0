// The life of msgq/NAME; see msgq_directory.h. Its files are in msgq_files.cc.
#include "msgq_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_object.h"
#include "msgq_loading.h"

namespace comch::fuse {

Result<std::shared_ptr<MsgqDirectory>> MsgqDirectory::create(Services& services,
                                                             std::shared_ptr<ObjectRecord> record,
                                                             std::shared_ptr<EventStream> events) {
  auto device = Device::open_first(services.options.shows_servers() ? Side::kDpu : Side::kHost);
  if (!device) return std::unexpected(device.error());
  auto made = std::make_shared<MsgqDirectory>(services, std::move(*device), std::move(record),
                                              std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  return made;
}

MsgqDirectory::MsgqDirectory(Services& services, std::shared_ptr<Device> device,
                             std::shared_ptr<ObjectRecord> record,
                             std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      link_(std::make_shared<MsgqLink>()) {
  link_->settings.device = std::move(device);
}

MsgqDirectory::~MsgqDirectory() {
  // The daemon ends, and waits for no kernel.
  link_->end = nullptr;
  if (end_ && !ending_) {
    std::ignore = Chore::start(services().bell, [end = std::move(end_)] { end->stop(true); });
  }
}

Status MsgqDirectory::accept_configuration() {
  const auto& settings = link_->settings;
  const auto is_within = [](std::uint32_t value, std::uint32_t limit) {
    return value > 0 && value <= limit;
  };
  if (!is_within(settings.depth, MsgQ::kMaxDepth)) {
    return fail(Errc::invalid_value, "depth is a number of messages, 1 to 8192");
  }
  if (!is_within(settings.max_consumers, MsgQ::kMaxConsumers) ||
      !is_within(settings.max_producers, MsgQ::kMaxProducers)) {
    return fail(Errc::invalid_value, "there may be 1 to 1024 consumers, and as many producers");
  }
  return {};
}

void MsgqDirectory::set_state(ContextState state) {
  const ContextState before = std::exchange(state_, state);
  on_changed(before, state);
}

Result<ContextState> MsgqDirectory::begin_life() {
  failure_ = {};
  last_counts_ = {};
  at_reset_ = {};
  auto made = AcceleratorEnd::create(link_->settings, *kernel_, services().bell);
  if (!made) return std::unexpected(made.error());
  end_ = link_->end = std::move(*made);
  set_state(ContextState::kRunning);
  return state_;
}

bool MsgqDirectory::are_ends_idle() const {
  return std::ranges::all_of(std::array{consumers_, producers_}, [](const auto& collection) {
    return std::ranges::all_of(collection->objects(),
                               [](const auto& entry) { return entry.second->is_idle(); });
  });
}

void MsgqDirectory::stop_ends() {
  for (const auto& collection : {consumers_, producers_}) {
    for (const auto& [name, object] : collection->objects()) {
      std::ignore = object->obey({.verb = "stop", .arguments = {"force"}});
    }
  }
}

Result<ContextState> MsgqDirectory::end_life(bool at_once) {
  if (state_ == ContextState::kIdle) return fail(Errc::bad_state, "the MsgQ does not run");
  if (!at_once && state_ == ContextState::kRunning && !are_ends_idle()) {
    return fail(Errc::in_use, "consumers or producers of it run; stop them first");
  }
  ends_at_once_ = ends_at_once_ || at_once;
  if (state_ == ContextState::kRunning) {
    link_->end = nullptr;  // None of them starts any more.
    set_state(ContextState::kStopping);
  }
  if (at_once) stop_ends();
  services().engine.touch();
  return state_;
}

void MsgqDirectory::wind_up() {
  if (!ending_) {
    if (!end_->is_left_alone()) return;
    ending_ = Chore::start(services().bell,
                           [end = end_, at_once = ends_at_once_] { end->stop(at_once); });
    if (!ending_) return;  // No thread to be had now; the next event brings us here again.
  }
  if (!ending_->is_done()) return;
  last_counts_ = end_->counts();
  end_ = nullptr;
  ending_ = nullptr;
  ends_at_once_ = false;
  set_state(ContextState::kIdle);
}

void MsgqDirectory::notice_failure() {
  const auto reason = end_->failure();
  if (!reason || !failure_.text.empty()) return;
  failure_ = {.error = {.code = Errc::io_failed}, .text = *reason};
  std::ignore = end_life(true);
}

void MsgqDirectory::check_own() {
  if (loading_) finish_loading();
  if (state_ == ContextState::kRunning) notice_failure();
  consumers_->check();
  producers_->check();
  if (state_ == ContextState::kStopping) wind_up();
}

void MsgqDirectory::leave(int error) {
  producers_->remove_all(error);
  consumers_->remove_all(error);
}

Counters MsgqDirectory::engine_counters() const {
  const AcceleratorEnd::Counts counts = end_ ? end_->counts() : last_counts_;
  return {{"kernel_calls", counts.calls},
          {"rx_msgs", counts.received},
          {"tx_msgs", counts.sent},
          {"no_room", counts.no_room},
          {"messages_dropped", counts.dropped}};
}

Counters MsgqDirectory::counters() const {
  Counters all = engine_counters();
  subtract(all, at_reset_);
  return all;
}

void MsgqDirectory::reset_counters() { at_reset_ = engine_counters(); }

nlohmann::ordered_json MsgqDirectory::json() const {
  const auto& settings = link_->settings;
  nlohmann::ordered_json json{{"direction", name(settings.direction)},
                              {"device", settings.device->info().name},
                              {"kernel", kernel_ ? kernel_->name : std::string()},
                              {"depth", settings.depth},
                              {"max_consumers", settings.max_consumers},
                              {"max_producers", settings.max_producers}};
  json["consumers"] = consumers_->json();
  json["producers"] = producers_->json();
  add_members(json, ContextDirectory::json());
  return json;
}

}  // namespace comch::fuse
