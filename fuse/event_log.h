// EventLog: the last lines of what happened, each with a number, for readers that each
// have a cursor of their own.
//
//   EventLog log(1024);
//   EventCursor cursor = log.end();          // an opener sees what happens from now on
//   log.append("connected servers/echo/conn0");
//   log.next(cursor) == "connected servers/echo/conn0\n"
//
// A reader that is too slow finds one line in the place of those it missed:
// "lost 17\n". Nobody can hold the log up.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace comch::fuse {

enum class EventCursor : std::uint64_t {};

class EventLog {
 public:
  explicit EventLog(std::size_t lines_max) : lines_max_(lines_max) {}

  // A newline in it, which a name may have, becomes \n.
  void append(std::string_view line);
  EventCursor end() const { return EventCursor{first_ + lines_.size()}; }

  // The line at `cursor`, which moves behind it; nothing at the end.
  std::optional<std::string> next(EventCursor& cursor) const;

 private:
  const std::size_t lines_max_;
  std::uint64_t first_ = 0;  // Number of lines_.front().
  std::deque<std::string> lines_;
};

}  // namespace comch::fuse
