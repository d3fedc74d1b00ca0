// IntrusiveList: a doubly linked list whose links lie in its elements.
//
//   struct Waiter : ListLink<> { ... };
//   IntrusiveList<Waiter> waiting;
//   waiting.push_back(waiter);
//   waiter.unlink();                       // O(1), from whatever list it is in
//
// Nothing is allocated and nothing can fail. An element that may be in several lists at
// once derives from one ListLink per list, told apart by a tag:
//
//   struct Connection : ListLink<Active>, ListLink<Closing> { ... };
//   IntrusiveList<Connection, Active> active;
//
// Threads: a list and its elements belong to one thread.
// Order: front to back is the order of push_back().
// Lifetime: the list does not own its elements. One that is destroyed leaves its list by
// itself; a list that is destroyed lets go of its elements first.
#pragma once

#include <cassert>
#include <iterator>

namespace comch {

template <class T, class Tag>
class IntrusiveList;

template <class Tag = void>
class ListLink {
 public:
  ListLink() = default;
  ListLink(const ListLink&) = delete;  // A copy of an element is in no list; say so yourself.
  ListLink& operator=(const ListLink&) = delete;
  ~ListLink() { unlink(); }

  bool is_linked() const { return next_ != nullptr; }

  // Leaves the list it is in, if any.
  void unlink() {
    if (!is_linked()) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

 private:
  template <class T, class OtherTag>
  friend class IntrusiveList;

  void link_before(ListLink& next) {
    previous_ = next.previous_;
    next_ = &next;
    previous_->next_ = this;
    next_->previous_ = this;
  }

  ListLink* next_ = nullptr;  // Both set, or neither.
  ListLink* previous_ = nullptr;
};

template <class T, class Tag = void>
class IntrusiveList {
  using Link = ListLink<Tag>;

 public:
  // Walks the list. The element it stands on may be unlinked or destroyed before the
  // next step; no other may.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    T& operator*() const { return static_cast<T&>(*here_); }
    T* operator->() const { return &**this; }
    iterator& operator++() {
      here_ = next_;
      next_ = here_->next_;
      return *this;
    }
    bool operator==(const iterator& other) const { return here_ == other.here_; }

   private:
    friend class IntrusiveList;
    explicit iterator(Link* here) : here_(here), next_(here->next_) {}
    Link* here_;
    Link* next_;
  };

  IntrusiveList() { ends_.next_ = ends_.previous_ = &ends_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() { clear(); }

  bool empty() const { return ends_.next_ == &ends_; }

  // The element must not be in a list of this tag.
  void push_back(T& element) { link(element, ends_); }
  void push_front(T& element) { link(element, *ends_.next_); }

  // The first and the last; nullptr when the list is empty.
  T* front() { return empty() ? nullptr : static_cast<T*>(ends_.next_); }
  T* back() { return empty() ? nullptr : static_cast<T*>(ends_.previous_); }

  // Unlinks the first and returns it; nullptr when the list is empty.
  T* pop_front() {
    T* first = front();
    if (first != nullptr) static_cast<Link*>(first)->unlink();
    return first;
  }

  // The element must be in this list.
  void remove(T& element) { static_cast<Link&>(element).unlink(); }

  // Moves all elements of `other` behind those of this list, in O(1).
  void splice_back(IntrusiveList& other) {
    if (other.empty() || &other == this) return;
    Link* first = other.ends_.next_;
    Link* last = other.ends_.previous_;
    first->previous_ = ends_.previous_;
    ends_.previous_->next_ = first;
    last->next_ = &ends_;
    ends_.previous_ = last;
    other.ends_.next_ = other.ends_.previous_ = &other.ends_;
  }

  void clear() {
    while (pop_front() != nullptr) {
    }
  }

  iterator begin() { return iterator(ends_.next_); }
  iterator end() { return iterator(&ends_); }

 private:
  void link(T& element, Link& before) {
    Link& link = element;
    assert(!link.is_linked());
    link.link_before(before);
  }

  Link ends_;  // Before the first and behind the last; its own neighbour when empty.
};

}  // namespace comch
