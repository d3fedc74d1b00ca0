// MessageQueue: the messages of one connection, or of one consumer, on their way to
// whoever reads its files; and Message: one of them.
//
// A queue outlives what fills it: after set_ended() it holds what was not read and then
// only says that there is no more.
//
// Threads: the loop's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "arrival.h"
#include "message_source.h"

namespace comch::fuse {

class LongMessage;
class MessageQueue;

struct Message {
  MessageQueue* from;
  std::span<const std::byte> bytes = {};  // Good until the queue is asked anything else.
  // A consumer's message, which has the bytes and keeps them for as long as it is held. Null: they
  // are those above.
  std::shared_ptr<const Arrival> arrival = {};

  bool empty() const { return size() == 0; }
  std::size_t size() const { return arrival ? arrival->size() : bytes.size(); }
  // At most so many bytes, from one of them on; see Arrival::part().
  Part part(std::size_t offset, std::size_t most) const {
    return arrival ? arrival->part(offset, most) : part_of(bytes, offset, most);
  }
};

class MessageQueue : public MessageSource, public std::enable_shared_from_this<MessageQueue> {
 public:
  explicit MessageQueue(std::string name) : name_(std::move(name)) {}

  // The answer with this message was lost: it is the next one again.
  virtual void give_back(const Message& message) = 0;
  // The message just taken is the first part of a longer one, and whoever has it gets the
  // others, too. Null: it is a whole one.
  virtual std::shared_ptr<LongMessage> claim_rest(const Message&) { return nullptr; }

  bool has_ended() const override { return ended_; }
  int loss() const override { return loss_; }
  bool was_loss_told() const override { return loss_told_; }
  void set_loss_told() override { loss_told_ = true; }

  const std::string& name() const { return name_; }  // "conn3", "c0"

  // The last message after the end was taken, perhaps by a file whose close says nothing.
  std::function<void()> on_emptied;

  // Somebody closed a file of it who had not read to the end.
  virtual void count_dropped() { ++messages_dropped; }

  std::uint64_t messages_dropped = 0;  // Read in part by a file that was then closed.
  std::uint64_t empty_skipped = 0;     // Empty messages that `recv` cannot show.

 protected:
  // There will be no more; `loss` is ECONNRESET or 0.
  void set_ended(int loss) {
    ended_ = true;
    loss_ = loss;
    waiting.end_all();
    pollers.wake();
  }

 private:
  const std::string name_;
  int loss_ = 0;
  bool loss_told_ = false;
  bool ended_ = false;
};

}  // namespace comch::fuse
