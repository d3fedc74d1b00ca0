// Loans: the posted buffers of a consumer that a program builds messages in, by the number that
// names each.
//
//   if (const auto number = loans.free()) loans.lend(*number, posted);
//   if (loans.is_out(number)) posted = loans.end(number);
//
// Threads: the producer's. Lifetime: a value. Errors: none; the caller asks first.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>

#include "shm/posted_ring.h"

namespace comch::transport::shm {

class Loans {
 public:
  using Posted = comch::shm::Posted;
  static constexpr std::uint32_t kMost = 32;

  // A number that names none; nothing: all are out.
  std::optional<std::uint32_t> free() const {
    const auto found = std::ranges::find(loans_, false, &Loan::out);
    if (found == loans_.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - loans_.begin());
  }
  void lend(std::uint32_t number, const Posted& posted) {
    assert(number < kMost && !loans_[number].out);
    loans_[number] = {.posted = posted, .out = true};
  }
  bool any() const { return std::ranges::any_of(loans_, &Loan::out); }
  // Of any number.
  bool is_out(std::uint32_t number) const { return number < kMost && loans_[number].out; }
  const Posted& posted(std::uint32_t number) const {
    assert(is_out(number));
    return loans_[number].posted;
  }
  Posted end(std::uint32_t number) {
    assert(is_out(number));
    loans_[number].out = false;
    return loans_[number].posted;
  }
  // Ends all of them.
  template <class Each>
  void end_all(Each&& each) {
    for (Loan& loan : loans_) {
      if (std::exchange(loan.out, false)) each(loan.posted);
    }
  }

 private:
  struct Loan {
    Posted posted;
    bool out = false;
  };
  std::array<Loan, kMost> loans_{};
};

}  // namespace comch::transport::shm
