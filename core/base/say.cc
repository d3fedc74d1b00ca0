// say: formatting a line that somebody wants.
#include "base/say.h"

#include <iterator>

namespace comch {

void say_formatted(LogLevel level, fmt::string_view format, fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer line;
    fmt::vformat_to(std::back_inserter(line), format, args);
    log(level, std::string_view(line.data(), line.size()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody to tell.
    // No memory for the line, or a sink that throws: a log never fails its caller.
  }
}

}  // namespace comch
