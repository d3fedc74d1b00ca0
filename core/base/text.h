// Text: strings that a stranger chose, made fit to be shown.
//
//   say(LogLevel::kInfo, "client asks for {}", printable(name));
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace comch {

// `text` on one line of plain ASCII: other bytes and the backslash become \n, \t, \\ or
// \xNN, so that it can neither forge a log line nor move a terminal's cursor. Beyond
// `bytes_max` bytes it is cut, and ends in "...".
std::string printable(std::string_view text, std::size_t bytes_max = 256);

// `text` on one line: control characters become \n, \t or \xNN, and all else stays, so that it may
// have been through printable() already.
std::string on_one_line(std::string_view text);

// `text` as one word of a POSIX shell: as it is where that is safe, in single quotes
// where not. A NUL cannot be quoted and ends the word.
std::string shell_quoted(std::string_view text);

}  // namespace comch
