// Shown: a name that somebody else chose, fit for a terminal and for a table.
//
//   fmt::print("{:<20} running\n", shown(server.name));
//
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace comch::tool {

// `name` on one line: its control characters become \xNN and its backslashes \\, so that it can
// neither move the cursor nor pass for a second row.
std::string shown(std::string_view name);

}  // namespace comch::tool
