// What every object of the tree needs of the daemon; see services.h.
#include "services.h"

#include <fmt/format.h>
#include <time.h>

#include "comch/log.h"

namespace comch::fuse {

void Services::publish(EventStream* scope, std::string_view line) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string stamped = fmt::format("{}.{:06} {}", now.tv_sec, now.tv_nsec / 1000, line);
  events->publish(stamped);
  if (scope != nullptr && scope != events.get()) scope->publish(stamped);
}

ObjectRecord::FailureHandler Services::failure_handler(std::shared_ptr<EventStream> scope) {
  return [this, scope = std::move(scope)](const ObjectRecord& object, const std::string& line) {
    const std::string text = fmt::format("{}: {}", object.path.empty() ? "." : object.path, line);
    publish(scope.get(), fmt::format("error {}", text));
    log_rationed(LogLevel::kInfo, object.owner, text);
  };
}

void Services::add_attribute(Directory& directory, const char* name, AttributeSpec spec) {
  directory.add(name, std::make_shared<Attribute>(directory.shared_record(), std::move(spec),
                                                  operations, watch));
}

void Services::add_events(Directory& directory, std::shared_ptr<EventStream> stream) {
  auto opener =
      [stream = std::move(stream)](const Caller&) -> std::expected<std::unique_ptr<OpenFile>, int> {
    return std::make_unique<EventsFile>(stream);
  };
  add_stream(directory, "events",
             std::make_shared<StreamNode>(directory.shared_record(), Direction{.readable = true},
                                          std::move(opener)));
}

void Services::add_ctl(Directory& directory, std::weak_ptr<CtlTarget> target) {
  auto opener = [this, target = std::move(target)](
                    const Caller&) -> std::expected<std::unique_ptr<OpenFile>, int> {
    auto object = target.lock();
    if (!object) return std::unexpected(ENODEV);
    std::string usage = object->ctl_usage();
    return std::make_unique<CtlFile>(std::move(object), std::move(usage), operations);
  };
  constexpr Direction kBoth{.readable = true, .writable = true};
  add_stream(directory, "ctl",
             std::make_shared<StreamNode>(directory.shared_record(), kBoth, std::move(opener)));
}

void Services::refresh_below(const Directory& directory) {
  directory.for_each([this](const Node& child) {
    announcer.refresh(nodes.id_of(child));
    if (const auto* inner = dynamic_cast<const Directory*>(&child)) refresh_below(*inner);
  });
}

}  // namespace comch::fuse
