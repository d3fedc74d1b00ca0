// ElementRing: the elements that a completion context has handed out, until they are
// acknowledged: the oldest first, and never more than there is room for.
//
//   ring.reset(64);
//   if (!ring.full()) { Element& next = ring.next(); ...fill it...; ring.take(); }
//   bool there_were_so_many = ring.acknowledge(3);
//
// Threads: the owner's lock guards it; an element that was taken is its reader's until it is
// acknowledged. Lifetime: elements stay where they are until reset(). Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comch::dpa {

template <class Element>
class ElementRing {
 public:
  void reset(std::size_t size) {
    elements_ = std::vector<Element>(size);
    taken_ = acknowledged_ = 0;
  }

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

}  // namespace comch::dpa
