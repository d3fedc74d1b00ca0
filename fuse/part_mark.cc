// Marks of the parts of long messages; see part_mark.h.
#include "part_mark.h"

#include <algorithm>
#include <string_view>

namespace comch::fuse {
namespace {

constexpr std::string_view kBeginning = "comchfs";
static_assert(kBeginning.size() + 1 == kPartMarkSize);

}  // namespace

bool looks_like_a_mark(std::span<const std::byte> immediate) {
  const auto beginning = std::as_bytes(std::span(kBeginning));
  return immediate.size() >= beginning.size() &&
         std::ranges::equal(immediate.first(beginning.size()), beginning);
}

std::optional<PartMark> part_mark_of(std::span<const std::byte> immediate) {
  if (immediate.size() < kPartMarkSize || !looks_like_a_mark(immediate)) return std::nullopt;
  const auto mark = static_cast<PartMark>(immediate[kBeginning.size()]);
  switch (mark) {
    case PartMark::kMore:
    case PartMark::kLast:
    case PartMark::kCutShort:
      return mark;
  }
  return std::nullopt;
}

std::vector<std::byte> with_part_mark(PartMark mark, std::span<const std::byte> immediate) {
  const auto beginning = std::as_bytes(std::span(kBeginning));
  std::vector<std::byte> marked(beginning.begin(), beginning.end());
  marked.push_back(static_cast<std::byte>(mark));
  marked.insert(marked.end(), immediate.begin(), immediate.end());
  return marked;
}

}  // namespace comch::fuse
