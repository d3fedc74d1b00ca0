// say: formatting a line that somebody wants.
#include "base/say.h"

#include <iterator>

namespace comch {
namespace {

// The place is where its format lies. Picked: any mixing that keeps places and peers apart will do.
std::uint64_t kind_of(fmt::string_view format, About about) {
  constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
  return (reinterpret_cast<std::uintptr_t>(format.data()) ^ (about.whom * kGolden)) * kGolden;
}

}  // namespace

void say_formatted(About about, LogLevel level, fmt::string_view format,
                   fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer line;
    fmt::vformat_to(std::back_inserter(line), format, args);
    log_rationed(level, kind_of(format, about), std::string_view(line.data(), line.size()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody to tell.
    // No memory for the line, or a sink that throws: a log never fails its caller.
  }
}

}  // namespace comch
