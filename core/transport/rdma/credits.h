// Credits: how many packets may be under way before the other side has room for more.
//
// Each side posts receives once, so many for each class of packet, and counts for ever how many
// of a class it has posted again. That count travels in every packet, and needs a packet of its own
// (PacketKind::kCredit) only when the other side has used up half of what it knows of: so no
// packet ever finds no receive, and traffic in both directions pays nothing for credits.
//
// Counts are of 32 bits, begin at 0 (or, in tests, shortly before they wrap) and wrap; differences
// are what is looked at.
//
// Threads: values of one thread. Errors: a peer that claims what cannot be answers false, and
// is not to be believed again.
#pragma once

#include <cstdint>

namespace comch::transport::rdma {

// Of one class, what we may send.
class SendCredits {
 public:
  explicit SendCredits(std::uint32_t window, std::uint32_t first = 0)
      : window_(window), sent_(first), freed_(first) {}

  // Known only when the other side has told; nothing was sent before.
  void set_window(std::uint32_t window) { window_ = window; }
  std::uint32_t available() const { return window_ - (sent_ - freed_); }
  void take() { ++sent_; }
  // False: it has freed more than was ever sent.
  [[nodiscard]] bool told(std::uint32_t freed) {
    if (freed - freed_ > sent_ - freed_) return false;
    taken_ += freed - freed_;
    freed_ = freed;
    return true;
  }
  // How many the other side has said that it has taken.
  std::uint64_t taken() const { return taken_; }

 private:
  std::uint32_t window_;
  std::uint32_t sent_;
  std::uint32_t freed_;
  std::uint64_t taken_ = 0;  // freed_, without the wrap.
};

// Of one class, what the other side may send.
class ReceiveCredits {
 public:
  explicit ReceiveCredits(std::uint32_t window, std::uint32_t first = 0)
      : window_(window), arrived_(first), freed_(first), told_(first) {}

  // False: it has sent more than it was allowed to.
  [[nodiscard]] bool arrived() {
    ++arrived_;
    return arrived_ - told_ <= window_;
  }
  // So many receives have been posted again.
  void freed(std::uint32_t count) { freed_ += count; }
  std::uint32_t tell() { return told_ = freed_; }
  // The other side has half of its credits left, or less, and does not know of others.
  bool is_due() const { return told_ != freed_ && window_ - (arrived_ - told_) <= window_ / 2; }

 private:
  const std::uint32_t window_;
  std::uint32_t arrived_;
  std::uint32_t freed_;
  std::uint32_t told_;
};

}  // namespace comch::transport::rdma
