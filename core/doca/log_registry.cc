// LogRegistry: see log_registry.h.
#include "doca/log_registry.h"

#include <algorithm>
#include <utility>

#include "comch/log.h"

namespace comch::doca {

namespace {

// A handler that is being called logs nothing.
thread_local bool inside_a_backend = false;

std::uint32_t level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return DOCA_LOG_LEVEL_ERROR;
    case LogLevel::kWarning:
      return DOCA_LOG_LEVEL_WARNING;
    case LogLevel::kInfo:
      return DOCA_LOG_LEVEL_INFO;
    default:
      return DOCA_LOG_LEVEL_DEBUG;
  }
}

// What the library must say so that nothing up to `level` is missed.
LogLevel library_level(std::uint32_t level) {
  if (level < DOCA_LOG_LEVEL_ERROR) return LogLevel::kOff;
  if (level < DOCA_LOG_LEVEL_WARNING) return LogLevel::kError;
  if (level < DOCA_LOG_LEVEL_INFO) return LogLevel::kWarning;
  if (level < DOCA_LOG_LEVEL_DEBUG) return LogLevel::kInfo;
  return LogLevel::kDebug;
}

}  // namespace

int LogRegistry::add_source(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto place = std::find(sources_.begin(), sources_.end(), std::nullopt);
  if (place == sources_.end()) place = sources_.emplace(sources_.end());
  place->emplace(name);
  return static_cast<int>(place - sources_.begin()) + 1;
}

bool LogRegistry::remove_source(int source) {
  const std::lock_guard lock(mutex_);
  if (source < 1 || static_cast<std::size_t>(source) > sources_.size()) return false;
  return std::exchange(sources_[static_cast<std::size_t>(source) - 1], std::nullopt).has_value();
}

doca_log_backend* LogRegistry::add(std::unique_ptr<doca_log_backend> backend, bool sdk) {
  doca_log_backend* const added = backend.get();
  {
    const std::lock_guard lock(mutex_);
    backend->sdk = sdk;
    backend->lower.level = sdk ? sdk_ : lower_;
    backend->upper.level = sdk ? std::uint32_t{DOCA_LOG_LEVEL_CRIT} : upper_;
    backends_.push_back(std::move(backend));
    find_loudest();
  }
  if (sdk) follow_backends();
  return added;
}

void LogRegistry::add_standard() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_standard_, true)) return;
  }
  add(standard_backend(), false);
}

bool LogRegistry::change(doca_log_backend& backend, Limit limit, std::uint32_t level) {
  if (backend.sdk != (limit == Limit::kSdk)) return false;
  LogLimit& of = limit == Limit::kUpper ? backend.upper : backend.lower;
  // Levels count up as they become less grave.
  const bool wider = limit == Limit::kUpper ? level < of.level : level > of.level;
  if (of.strict && wider) return false;
  of.level = level;
  return true;
}

bool LogRegistry::set(doca_log_backend& backend, Limit limit, std::uint32_t level) {
  {
    const std::lock_guard lock(mutex_);
    if (!change(backend, limit, level)) return false;
    find_loudest();
  }
  if (limit == Limit::kSdk) follow_backends();
  return true;
}

bool LogRegistry::set_strict(doca_log_backend& backend, Limit limit) {
  const std::lock_guard lock(mutex_);
  if (backend.sdk) return false;
  (limit == Limit::kUpper ? backend.upper : backend.lower).strict = true;
  return true;
}

void LogRegistry::set_all(Limit limit, std::uint32_t level) {
  {
    const std::lock_guard lock(mutex_);
    (limit == Limit::kSdk ? sdk_ : limit == Limit::kUpper ? upper_ : lower_) = level;
    // A backend of the other kind, or with a strict limit, stays as it is.
    for (const auto& backend : backends_) change(*backend, limit, level);
    find_loudest();
  }
  if (limit == Limit::kSdk) follow_backends();
}

std::uint32_t LogRegistry::global(Limit limit) const {
  const std::lock_guard lock(mutex_);
  return limit == Limit::kSdk ? sdk_ : limit == Limit::kUpper ? upper_ : lower_;
}

void LogRegistry::write(std::uint32_t level, int source, const LogPlace& place,
                        std::string_view message) {
  if (inside_a_backend) return;
  std::string name = "unknown";
  {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(source) - 1;  // Of 0 and below: beyond the end.
    if (index < sources_.size() && sources_[index]) name = *sources_[index];
  }
  write_to(false, level, log_line(level, name, place, message));
}

void LogRegistry::write_sdk(std::uint32_t level, std::string_view message) {
  if (inside_a_backend) return;
  write_to(true, level, log_line(level, "COMCH", {}, message));
}

void LogRegistry::write_to(bool sdk, std::uint32_t level, const std::string& line) {
  const std::lock_guard lock(mutex_);
  inside_a_backend = true;
  for (const auto& backend : backends_) {
    if (backend->sdk == sdk && backend->wants(level)) backend->write(level, line);
  }
  inside_a_backend = false;
}

void LogRegistry::find_loudest() {
  std::uint32_t loudest = 0;
  for (const auto& backend : backends_) {
    if (!backend->sdk) loudest = std::max(loudest, backend->lower.level);
  }
  loudest_.store(loudest, std::memory_order_relaxed);  // Makes no edge: the lock decides.
}

// The library's sink is called under a lock of its own and then takes mutex_, so that mutex_ is
// not held while the sink is set.
void LogRegistry::follow_backends() {
  const std::lock_guard one_at_a_time(library_);
  std::uint32_t loudest = 0;
  bool any = false;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& backend : backends_) {
      if (!backend->sdk) continue;
      any = true;
      loudest = std::max(loudest, backend->lower.level);
    }
  }
  if (!any) return;
  set_log_level(library_level(loudest));
  if (std::exchange(has_sink_, true)) return;
  set_log_sink([this](LogLevel level, std::string_view line) { write_sdk(level_of(level), line); });
}

LogRegistry& log_registry() {
  static LogRegistry& only = *new LogRegistry;
  return only;
}

}  // namespace comch::doca
