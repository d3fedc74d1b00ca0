// Loans: the posted buffers of a consumer that a program builds messages in, by the number that
// names each.
//
//   if (const auto number = loans.free()) loans.lend(*number, posted);
//   if (loans.is_out(number)) posted = loans.end(number);
//
// Threads: the producer's. Lifetime: a value. Errors: none; the caller asks first.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>

#include "shm/posted_ring.h"

namespace comch::transport::shm {

class Loans {
 public:
  using Posted = comch::shm::Posted;
  static constexpr std::uint32_t kMost = 32;  // As many as a word has bits.

  // A number that names none; nothing: all are out.
  std::optional<std::uint32_t> free() const {
    const auto number = static_cast<std::uint32_t>(std::countr_one(out_));
    if (number == kMost) return std::nullopt;
    return number;
  }
  // How many more there may be.
  std::uint32_t left() const { return kMost - static_cast<std::uint32_t>(std::popcount(out_)); }
  void lend(std::uint32_t number, const Posted& posted) {
    assert(number < kMost && !is_out(number));
    posted_[number] = posted;
    out_ |= bit(number);
  }
  bool any() const { return out_ != 0; }
  // Of any number.
  bool is_out(std::uint32_t number) const { return number < kMost && (out_ & bit(number)) != 0; }
  const Posted& posted(std::uint32_t number) const {
    assert(is_out(number));
    return posted_[number];
  }
  Posted end(std::uint32_t number) {
    assert(is_out(number));
    out_ &= ~bit(number);
    return posted_[number];
  }
  // Ends all of them.
  template <class Each>
  void end_all(Each&& each) {
    while (out_ != 0) each(end(static_cast<std::uint32_t>(std::countr_zero(out_))));
  }

 private:
  static std::uint32_t bit(std::uint32_t number) { return std::uint32_t{1} << number; }

  std::array<Posted, kMost> posted_{};
  std::uint32_t out_ = 0;  // A bit for each that is.
};

}  // namespace comch::transport::shm
