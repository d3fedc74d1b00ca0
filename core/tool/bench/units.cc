// Units: a table of powers for each kind of figure.
#include "tool/bench/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>

namespace comch::tool {
namespace {

struct Unit {
  std::string_view suffix;
  std::size_t bytes;
};
constexpr std::array<Unit, 8> kSuffixes{{{"", 1},
                                         {"B", 1},
                                         {"K", kKib},
                                         {"KiB", kKib},
                                         {"k", kKib},
                                         {"M", kMib},
                                         {"MiB", kMib},
                                         {"m", kMib}}};

std::string scaled(double value, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  // Three digits that count: 1.23, 12.3, 123.
  const int digits = value >= 99.95 || value == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, unit == 0 && value >= 9.995 ? 0 : digits, units[unit]);
}

}  // namespace

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kSuffixes) {
    if (suffix != unit.suffix) continue;
    if (number > std::numeric_limits<std::size_t>::max() / unit.bytes) return std::nullopt;
    return number * unit.bytes;
  }
  return std::nullopt;
}

std::string size_text(std::size_t bytes) {
  if (bytes >= kMib && bytes % kMib == 0) return fmt::format("{} MiB", bytes / kMib);
  if (bytes >= kKib && bytes % kKib == 0) return fmt::format("{} KiB", bytes / kKib);
  return fmt::format("{} B", bytes);
}

std::string duration_text(double ns) {
  static constexpr std::array<std::string_view, 4> kUnits{" ns", " us", " ms", " s"};
  return scaled(ns, kUnits);
}

std::string rate_text(double per_second) {
  static constexpr std::array<std::string_view, 4> kUnits{"", " k", " M", " G"};
  return scaled(per_second, kUnits);
}

std::string bytes_text(double bytes) {
  static constexpr std::array<std::string_view, 6> kUnits{" B", " kB", " MB", " GB", " TB", " PB"};
  return scaled(bytes, kUnits);
}

}  // namespace comch::tool
