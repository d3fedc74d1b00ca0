// Ration: see ration.h.
#include "base/ration.h"

#include <fmt/format.h>

#include <algorithm>

namespace comch {

std::string Ration::Leave::remark() const {
  std::string words;
  if (withheld != 0)
    words = fmt::format(" (and {} more like it in the last {} s)", withheld, withheld_for);
  if (last)
    words +=
        fmt::format(" (more like it within {} s are only counted)", kWindow_ns / 1'000'000'000);
  return words;
}

Ration::Leave Ration::ask(std::uint64_t now_ns) {
  Leave leave;
  if (is_over(now_ns)) {
    if (asked_ > kLines) {
      leave.withheld = asked_ - kLines;
      leave.withheld_for = (now_ns - began_ns_) / 1'000'000'000;
    }
    began_ns_ = now_ns;
    asked_ = 0;
  }
  ++asked_;
  leave.granted = asked_ <= kLines;
  leave.last = asked_ == kLines;
  return leave;
}

Ration::Leave Rations::ask(std::uint64_t kind, std::uint64_t now_ns) {
  const auto known = std::ranges::find(kinds_, kind, &Kind::number);
  if (known != kinds_.end()) return known->ration.ask(now_ns);
  // A place that was never used began at 0, before all others.
  Kind& oldest =
      *std::ranges::min_element(kinds_, {}, [](const Kind& k) { return k.ration.began_ns(); });
  if (!oldest.ration.is_over(now_ns)) return others_.ask(now_ns);
  oldest = {kind, {}};
  return oldest.ration.ask(now_ns);
}

}  // namespace comch
