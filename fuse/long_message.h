// LongMessage: the parts of one long message (part_mark.h), for the one open file that read
// the first of them.
//
//   on_part() --> parts --> take() ... until is_complete()
//
// What arrives after the file was closed is dropped, and the message counted as dropped.
//
// Threads: the loop's. Lifetime: shared by the file and, until the last part is there, by
// the consumer's queue.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "message_queue.h"
#include "part_mark.h"

namespace comch::fuse {

class LongMessage final : public MessageQueue {
 public:
  explicit LongMessage(std::shared_ptr<MessageQueue> of)
      : MessageQueue(of->name()), of_(std::move(of)) {}

  // The next part. False: it was the last, and nothing more is to come here.
  bool on_part(std::shared_ptr<const Arrival> part);
  // No part will come any more: `loss` is what a read is told behind those there are.
  void cut_short(int loss);
  // Nobody reads it any more.
  void drop();

  // All of it was taken.
  bool is_complete() const { return has_last_ && parts_.empty(); }

  std::optional<Message> take() override;
  bool has_message() override { return !parts_.empty(); }
  void listen() override {}
  bool is_ending() const override { return has_ended(); }
  void give_back(const Message& message) override;
  void count_dropped() override { of_->count_dropped(); }

 private:
  const std::shared_ptr<MessageQueue> of_;
  std::deque<std::shared_ptr<const Arrival>> parts_;
  bool has_last_ = false;
  bool is_dropped_ = false;
};

}  // namespace comch::fuse
