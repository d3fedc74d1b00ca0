// QueueDirection: which way the messages of msgq/NAME go.
//
//   both               to a kernel and back: two MsgQs of the library, one each way
//   to-accelerator     from the CPU's producers to a kernel
//   from-accelerator   from a kernel to the CPU's consumers
//
// Threads: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace comch::fuse {

enum class QueueDirection : std::uint8_t { kBoth, kToAccelerator, kFromAccelerator };

constexpr bool goes_to_accelerator(QueueDirection direction) {
  return direction != QueueDirection::kFromAccelerator;
}
constexpr bool goes_from_accelerator(QueueDirection direction) {
  return direction != QueueDirection::kToAccelerator;
}

constexpr std::string_view name(QueueDirection direction) {
  switch (direction) {
    case QueueDirection::kBoth:
      return "both";
    case QueueDirection::kToAccelerator:
      return "to-accelerator";
    case QueueDirection::kFromAccelerator:
      return "from-accelerator";
  }
  return {};
}

constexpr std::optional<QueueDirection> parse_direction(std::string_view text) {
  for (const auto direction :
       {QueueDirection::kBoth, QueueDirection::kToAccelerator, QueueDirection::kFromAccelerator}) {
    if (text == name(direction)) return direction;
  }
  return std::nullopt;
}

}  // namespace comch::fuse
