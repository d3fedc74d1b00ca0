// Log: where comch says what happened, in sentences for people.
//
// The library is quiet: only kError and kWarning lines reach standard error until
// somebody asks for more, by set_log() or by COMCH_LOG=error|warning|info|debug|off.
// A misbehaving peer costs one line, however long it misbehaves; and of lines that peers can
// cause again and again ten of each kind are said in a minute, the last of which says that more
// are counted, and a later one how many there were. At kDebug all of them are said.
//
// Threads: all functions may be called from any thread; a sink must expect that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace comch {

enum class LogLevel : std::uint8_t { kOff, kError, kWarning, kInfo, kDebug };

// Receives one line, without a newline: control characters of names are escaped. It must not call
// back into comch.
using LogSink = std::function<void(LogLevel, std::string_view line)>;

// Lines above `level` are dropped before they are formatted.
void set_log_level(LogLevel level);
LogLevel log_level();

// Replaces the sink; an empty function brings standard error back.
void set_log_sink(LogSink sink);

// A sink that writes to standard error with the <N> prefixes journald understands.
LogSink journal_sink();

// "warning" -> kWarning; nothing when the word is none of the five.
std::optional<LogLevel> parse_log_level(std::string_view word);

// Says one line, if `level` is wanted.
void log(LogLevel level, std::string_view line);

// The same for a line that strangers can cause as often as they like, by the rule above. `kind` is
// any number that is the same for lines of one kind.
void log_rationed(LogLevel level, std::uint64_t kind, std::string_view line);

}  // namespace comch
#pragma GCC visibility pop
