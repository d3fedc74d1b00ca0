// Where the daemon's lines go; see log_setup.h.
#include "log_setup.h"

#include <syslog.h>

#include <cstdlib>
#include <string_view>

#include "comch/log.h"

namespace comch::fuse {
namespace {

int syslog_priority(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return LOG_ERR;
    case LogLevel::kWarning:
      return LOG_WARNING;
    case LogLevel::kInfo:
      return LOG_INFO;
    case LogLevel::kDebug:
    case LogLevel::kOff:
      return LOG_DEBUG;
  }
  return LOG_DEBUG;
}

void use_syslog() {
  openlog("comchfs", LOG_PID, LOG_DAEMON);
  set_log_sink([](LogLevel level, std::string_view line) {
    syslog(syslog_priority(level), "%.*s", static_cast<int>(line.size()), line.data());
  });
}

}  // namespace

void set_up_log(const Arguments& arguments) {
  if (arguments.log_level) set_log_level(*arguments.log_level);
  const bool to_journal = std::getenv("JOURNAL_STREAM") != nullptr;
  if (arguments.log_target == LogTarget::kStderr) return;
  if (to_journal) {
    set_log_sink(journal_sink());
  } else if (arguments.log_target == LogTarget::kJournal) {
    use_syslog();
  }
}

void move_log_to_background(const Arguments& arguments) {
  if (!arguments.foreground) use_syslog();
}

}  // namespace comch::fuse
