// Inbox: the receiving half of a MsgQ's consumer, wherever that runs.
//
//   Inbox inbox(mailbox);
//   inbox.post(64);
//   while (inbox.take(room, arrival)) use(room.first(arrival.length));
//
// Producers take turns, message by message; those of one come in the order sent. A message
// for which nothing is posted stays in its link and is none of ready()'s business.
//
// close() ends it: nothing new is accepted, and take() hands out what was accepted for a posted
// receive, until drained(). What was held is never delivered.
//
// Threads: one at a time. Lifetime: shares the mailbox and the links. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "msgq/link.h"
#include "msgq/mailbox.h"

namespace comch::msgq {

class Inbox {
 public:
  explicit Inbox(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  // Closes it: a link that nobody has adopted and its mailbox would keep each other.
  ~Inbox() {
    if (!claimed_) close();
  }

  const Mailbox::Terms& terms() const { return mailbox_->terms(); }

  // The caller has at most `depth` outstanding.
  void post(std::uint32_t count);
  // Receives posted and not filled.
  std::uint64_t outstanding() const { return posted_ - taken_; }

  // `room`: at least immediate_max bytes.
  bool take(std::span<std::byte> room, Arrival& arrival);
  // Whether take() would find something; for one that is about to sleep.
  bool ready();

  void close();
  bool drained() const;

 private:
  bool has_next(Link& link);
  void adopt();
  void tell_producers();

  const std::shared_ptr<Mailbox> mailbox_;
  std::vector<std::shared_ptr<Link>> links_;
  std::size_t turn_ = 0;  // Whose it is.
  std::uint64_t posted_ = 0;
  std::uint64_t taken_ = 0;
  std::optional<std::uint64_t> claimed_;  // In all, once closed.
};

}  // namespace comch::msgq
