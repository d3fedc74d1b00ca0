// ElementRing: the elements that a completion context has handed out, until they are
// acknowledged: the oldest first, and never more than there is room for.
//
//   ring.reset(64);
//   if (!ring.full()) { Element& next = ring.next(); ...fill it...; ring.take(); }
//   bool there_were_so_many = ring.acknowledge(3);
//
// Threads: the owner's lock guards it; an element that was taken is its reader's until it is
// acknowledged. Lifetime: elements stay where they are until reset(), which is for a ring that is
// empty(). Errors: none.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comch/result.h"

namespace comch::dpa {

template <class Element>
class ElementRing {
 public:
  void reset(std::size_t size) {
    assert(empty());
    elements_ = std::vector<Element>(size);
    taken_ = acknowledged_ = 0;
  }

  bool empty() const { return taken_ == acknowledged_; }
  bool full() const { return taken_ - acknowledged_ == elements_.size(); }
  // The place of the next element; it is not full().
  Element& next() { return elements_[taken_ % elements_.size()]; }
  void take() { ++taken_; }

  // False: fewer are taken, and nothing has changed.
  bool acknowledge(std::uint64_t count) {
    if (count > taken_ - acknowledged_) return false;
    acknowledged_ += count;
    return true;
  }

 private:
  std::vector<Element> elements_;
  std::uint64_t taken_ = 0;  // Positions; they count for ever.
  std::uint64_t acknowledged_ = 0;
};

// What start() is answered while a kernel may hold what it got in the run before.
inline std::unexpected<Error> refuse_unacknowledged() {
  return fail(Errc::in_use, "elements of the last run are not acknowledged; have that done first");
}

}  // namespace comch::dpa
