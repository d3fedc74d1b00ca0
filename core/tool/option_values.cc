// Values of options; see option_values.h.
#include "tool/option_values.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>

namespace comch::tool {
namespace {

// The whole of `text` as a number, or nothing that is above 0.
template <class T>
T number(const std::string& text, T otherwise) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end ? value : otherwise;
}

std::string objection_to_count(const std::string& text) {
  if (number<std::uint64_t>(text, 0) > 0) return {};
  return fmt::format("\"{}\" is no whole number above 0", text);
}

std::string objection_to_seconds(const std::string& text) {
  const double seconds = number<double>(text, -1);
  if (std::isfinite(seconds) && seconds >= 0) return {};
  return fmt::format("\"{}\" is no number of seconds, such as 10 or 0.5", text);
}

}  // namespace

CLI::Option* takes_count(CLI::Option* option, const char* type) {
  return option->type_name(type)->check(objection_to_count);
}

CLI::Option* takes_seconds(CLI::Option* option) {
  return option->type_name("SECONDS")->check(objection_to_seconds);
}

CLI::Option* takes_seconds(CLI::Option* option, double least, double most) {
  return option->type_name("SECONDS")->check([least, most](const std::string& text) {
    const double seconds = number<double>(text, -1);
    if (seconds >= least && seconds <= most) return std::string();
    return fmt::format("\"{}\" is no number of seconds from {} to {}", text, least, most);
  });
}

}  // namespace comch::tool
