// Checked: sums and ranges that cannot wrap.
//
// Lengths and offsets that come from a peer are joined here and nowhere else.
//
//   std::optional<std::uint64_t> end = checked_add(offset, length);   // nothing: it wraps
//   if (!contains(region.size(), {offset, length})) return fail(Errc::connection_reset, ...);
//
// Threads: pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace comch {

// a + b, or nothing when no T holds it.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_add(T a, T b) {
  T sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// a * b, or nothing when no T holds it.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) {
  T product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// `value` as a To, or nothing when no To holds it.
template <std::unsigned_integral To, std::unsigned_integral From>
[[nodiscard]] constexpr std::optional<To> checked_narrow(From value) {
  if (value > std::numeric_limits<To>::max()) return std::nullopt;
  return static_cast<To>(value);
}

// The next multiple of `step` (a power of two), or nothing when no T holds it.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_round_up(T value, T step) {
  const std::optional<T> sum = checked_add(value, static_cast<T>(step - 1));
  if (!sum) return std::nullopt;
  return static_cast<T>(*sum & static_cast<T>(~(step - 1)));
}

// Bytes of a region, by where they begin and how many they are.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Whether `range` lies inside a region of which only we know the size. Written so that
// no sum can wrap.
[[nodiscard]] constexpr bool contains(std::uint64_t region_size, Range range) {
  return range.offset <= region_size && range.length <= region_size - range.offset;
}

static_assert(contains(4096, {0, 4096}), "all of it");
static_assert(contains(4096, {4096, 0}), "nothing, at the end");
static_assert(!contains(4096, {4096, 1}), "one byte behind the end");
static_assert(!contains(4096, {4097, 0}), "nothing, but outside");
static_assert(!contains(4096, {~0ull, 2}), "offset + length wraps to 1");
static_assert(!contains(4096, {2, ~0ull}), "and so does this");
static_assert(!checked_add<std::uint8_t>(255, 1) && *checked_add<std::uint8_t>(254, 1) == 255);
static_assert(!checked_mul<std::uint8_t>(16, 16) && *checked_mul<std::uint8_t>(15, 17) == 255);
static_assert(!checked_narrow<std::uint8_t>(256u) && *checked_narrow<std::uint8_t>(255u) == 255);
static_assert(*checked_round_up<std::uint8_t>(65, 64) == 128 && *checked_round_up(64u, 64u) == 64u);
static_assert(!checked_round_up<std::uint8_t>(193, 64), "256 is one too many");

}  // namespace comch
