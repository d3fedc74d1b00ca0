// The files of msgq/NAME, and how it comes to its kernel; see msgq_directory.h.
#include <fmt/format.h>

#include <utility>

#include "msgq_consumer_directory.h"
#include "msgq_directory.h"
#include "msgq_loading.h"
#include "msgq_producer_directory.h"

namespace comch::fuse {

void MsgqDirectory::add_own_files() {
  add_settings();
  add_collections();
}

void MsgqDirectory::add_settings() {
  auto& settings = link_->settings;
  add_setting(
      "direction", [&settings] { return std::string(name(settings.direction)); },
      [this](std::string_view text) { return store_direction(text); });
  add_setting(
      "device", [&settings] { return settings.device->info().name; },
      [this](std::string_view text) { return store_device(text); });
  add_number_setting("depth", settings.depth);
  add_number_setting("max_consumers", settings.max_consumers);
  add_number_setting("max_producers", settings.max_producers);
  const auto store = [this](std::string_view text, const Caller& caller) {
    return store_kernel(text, caller);
  };
  services().add_attribute(*this, "kernel",
                           {.show = [this] { return kernel_ ? kernel_->name : std::string(); },
                            .store_for = store,
                            .may_be_held = true});
}

void MsgqDirectory::add_collections() {
  const auto make = [this](const char* name, CollectionDirectory::Create create) {
    CollectionDirectory::Place place{.record = shared_record(),
                                     .content = Content::kCollection,
                                     .path = fmt::format("{}/{}", record().path, name),
                                     .events = events()};
    auto made =
        std::make_shared<CollectionDirectory>(services(), std::move(place), std::move(create));
    made->add_clone();
    add(name, made);
    return made;
  };
  using Made = Result<std::shared_ptr<ContextDirectory>>;
  consumers_ = make("consumers", [this](const std::string& name, auto record, auto events) -> Made {
    if (!goes_from_accelerator(link_->settings.direction)) {
      return fail(Errc::not_supported, "the MsgQ's messages go to the accelerator only");
    }
    return MsgqConsumerDirectory::create(services(), link_, name, std::move(record),
                                         std::move(events));
  });
  producers_ = make("producers", [this](const std::string&, auto record, auto events) -> Made {
    if (!goes_to_accelerator(link_->settings.direction)) {
      return fail(Errc::not_supported, "the MsgQ's messages come from the accelerator only");
    }
    return MsgqProducerDirectory::create(services(), link_, std::move(record), std::move(events));
  });
}

Outcome MsgqDirectory::store_direction(std::string_view text) {
  const auto direction = parse_direction(text);
  if (!direction) return Outcome::failed(EINVAL, "both, to-accelerator or from-accelerator");
  const bool has_strays = (!goes_from_accelerator(*direction) && !consumers_->objects().empty()) ||
                          (!goes_to_accelerator(*direction) && !producers_->objects().empty());
  if (has_strays) {
    return Outcome::failed(EBUSY, "it has consumers or producers that this direction has not");
  }
  link_->settings.direction = *direction;
  return Outcome::done();
}

Outcome MsgqDirectory::store_device(std::string_view text) {
  auto device = Device::open(text);
  if (!device) return Outcome::failed(device.error());
  link_->settings.device = std::move(*device);
  return Outcome::done();
}

Outcome MsgqDirectory::store_kernel(std::string_view text, const Caller& caller) {
  if (!is_idle()) return about("kernel", Outcome::failed(EBUSY, kOnlyWhileIdle));
  if (loading_) return Outcome::failed(EBUSY, "another kernel is being loaded");
  if (text.empty()) {
    kernel_.reset();
    return Outcome::done();
  }
  if (auto kernel = built_in_kernel(text)) return take_kernel(std::move(*kernel));
  if (!text.starts_with('/')) {
    return Outcome::failed(EINVAL, "write `echo`, or the absolute path of a shared object");
  }
  if (caller.uid != 0) return Outcome::failed(EPERM, "only root may name a shared object");
  return begin_loading(std::string(text));
}

Outcome MsgqDirectory::take_kernel(Kernel kernel) {
  if (!is_idle()) return Outcome::failed(EBUSY, "it was started meanwhile");
  kernel_ = std::move(kernel);
  return services().options.autostart ? start() : Outcome::done();
}

// The file may lie anywhere, even in this mount, whose loop must go on meanwhile.
Outcome MsgqDirectory::begin_loading(std::string path) {
  auto loading = std::make_shared<Loading>();
  loading->chore = Chore::start(
      services().bell, [loading, path = std::move(path)] { loading->kernel = load_kernel(path); });
  if (!loading->chore) return Outcome::failed(ENOMEM, "there is no thread to load it");
  loading_ = loading;
  return Outcome::later([loading] { return loading->outcome; });
}

void MsgqDirectory::finish_loading() {
  if (!loading_->chore->is_done()) return;
  const auto loading = std::exchange(loading_, nullptr);
  if (record().removed) {
    loading->outcome = Outcome::failed(ENODEV, "it was removed");
    return;
  }
  loading->outcome = loading->kernel ? take_kernel(std::move(*loading->kernel))
                                     : std::move(loading->kernel.error());
  // Here, because whoever wrote need not be waiting.
  note_failure(record(), *loading->outcome);
  loading->outcome->is_noted = true;
}

}  // namespace comch::fuse
