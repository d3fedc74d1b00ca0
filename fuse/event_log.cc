// The last lines of what happened; see event_log.h.
#include "event_log.h"

#include <fmt/format.h>

#include "value.h"

namespace comch::fuse {

void EventLog::append(std::string_view line) {
  lines_.push_back(on_one_line(line) + '\n');
  if (lines_.size() > lines_max_) {
    lines_.pop_front();
    ++first_;
  }
}

std::optional<std::string> EventLog::next(EventCursor& cursor) const {
  const auto wanted = static_cast<std::uint64_t>(cursor);
  if (wanted < first_) {
    cursor = EventCursor{first_};
    return fmt::format("lost {}\n", first_ - wanted);
  }
  if (wanted >= first_ + lines_.size()) return std::nullopt;
  cursor = EventCursor{wanted + 1};
  return lines_[wanted - first_];
}

}  // namespace comch::fuse
