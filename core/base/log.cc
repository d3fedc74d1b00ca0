// Log: the level, the sink, and the lines that go there.
//
// The level is one atomic, looked at before anything else is done. The sink is called
// under a lock, so that lines do not mix and a sink that was replaced is not in use any
// more when set_log_sink() returns. What the log takes of one kind is counted under it too.
#include "comch/log.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/ration.h"
#include "base/text.h"

namespace comch {
namespace {

struct LevelWord {
  LogLevel level;
  std::string_view word;
  std::string_view journal_prefix;  // The syslog priority, as sd-daemon(3) reads it.
};

constexpr std::array kLevels{
    LevelWord{LogLevel::kOff, "off", ""},
    LevelWord{LogLevel::kError, "error", "<3>"},
    LevelWord{LogLevel::kWarning, "warning", "<4>"},
    LevelWord{LogLevel::kInfo, "info", "<6>"},
    LevelWord{LogLevel::kDebug, "debug", "<7>"},
};

constexpr const LevelWord& word_of(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level) < kLevels.size() ? static_cast<std::size_t>(level)
                                                                  : kLevels.size() - 1];
}
static_assert([] {
  for (const LevelWord& level : kLevels) {
    if (word_of(level.level).word != level.word) return false;
  }
  return true;
}());

// It guards nothing but itself: every access is relaxed, and makes no edge.
constinit std::atomic<LogLevel> wanted_level{LogLevel::kWarning};
static_assert(std::atomic<LogLevel>::is_always_lock_free);

// Runs before main(); a line said even earlier is judged by the default.
[[maybe_unused]] const bool environment_was_read = [] {
  const char* word = std::getenv("COMCH_LOG");
  if (word == nullptr) return false;
  const std::optional<LogLevel> level = parse_log_level(word);
  if (level) {
    set_log_level(*level);
  } else {
    log(LogLevel::kWarning,
        fmt::format("COMCH_LOG is no log level: \"{}\"; there are off, error, warning, info, debug",
                    word));
  }
  return level.has_value();
}();

// One fwrite per line: stderr is unbuffered, and lines of several processes on one
// terminal stay whole.
void write_line(std::string_view prefix, std::string_view separator, std::string_view line) {
  const std::string whole = fmt::format("{}{}{}\n", prefix, separator, line);
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

void standard_error(LogLevel level, std::string_view line) {
  write_line(fmt::format("comch {}", word_of(level).word), ": ", line);
}

struct Sink {
  std::mutex mutex;
  LogSink call = standard_error;
  Rations rations;

  // Whether a line of `kind` is taken now. All, at the level kDebug; a sink that was just set has
  // got none yet. The clock is read under the lock: never before the window it is held against.
  Ration::Leave leave(std::uint64_t kind) {
    if (log_level() == LogLevel::kDebug) return {.granted = true};
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
    return rations.ask(kind, static_cast<std::uint64_t>(now_ns));
  }
};

bool is_wanted(LogLevel level) { return level != LogLevel::kOff && level <= log_level(); }

// Never destroyed: a thread that outlives main() may still say something.
Sink& sink() {
  static Sink& only = *new Sink;
  return only;
}

}  // namespace

void set_log_level(LogLevel level) {
  wanted_level.store(level, std::memory_order_relaxed);  // Makes no edge.
}

LogLevel log_level() {
  return wanted_level.load(std::memory_order_relaxed);  // Meets no edge.
}

void set_log_sink(LogSink replacement) {
  if (!replacement) replacement = standard_error;
  Sink& to = sink();
  {
    const std::lock_guard lock(to.mutex);
    std::swap(to.call, replacement);
    to.rations = {};
  }
  // The old sink is destroyed here, outside the lock: its destructor is not ours.
}

LogSink journal_sink() {
  return [](LogLevel level, std::string_view line) {
    write_line(word_of(level).journal_prefix, "", line);
  };
}

std::optional<LogLevel> parse_log_level(std::string_view word) {
  for (const LevelWord& level : kLevels) {
    if (level.word == word) return level.level;
  }
  return std::nullopt;
}

void log(LogLevel level, std::string_view line) {
  if (!is_wanted(level)) return;
  const std::string whole = on_one_line(line);
  Sink& to = sink();
  const std::lock_guard lock(to.mutex);
  to.call(level, whole);
}

void log_rationed(LogLevel level, std::uint64_t kind, std::string_view line) {
  if (!is_wanted(level)) return;
  Sink& to = sink();
  const std::lock_guard lock(to.mutex);
  if (const Ration::Leave leave = to.leave(kind))
    to.call(level, on_one_line(line) + leave.remark());
}

}  // namespace comch
