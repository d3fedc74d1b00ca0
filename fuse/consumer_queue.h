// ConsumerQueue: the messages that have come to one consumer, on their way to whoever reads
// its files.
//
//   engine --on_arrival()--> arrivals --> recv, get, recv.framed
//                       `--> LongMessage --> the file that has the first part of it
//
// Threads: the loop's. Lifetime: outlives the consumer, and its connection; after end() it
// holds what was not read and then only says that there is no more.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "arrival.h"
#include "long_message.h"
#include "message_queue.h"

namespace comch::fuse {

class ConsumerQueue final : public MessageQueue {
 public:
  using MessageQueue::MessageQueue;

  void on_arrival(std::shared_ptr<const Arrival> arrival);
  // Until the next call with 0: nothing comes, and who would wait is told `error`.
  void set_refusal(int error);
  // The connection is no more; `loss` is ECONNRESET or 0.
  void end(int loss);
  // The object is no more: who waits is told `error`, and nothing is kept.
  void leave(int error);

  std::size_t size() const { return arrivals_.size(); }

  std::optional<Message> take() override;
  bool has_message() override { return !arrivals_.empty(); }
  void listen() override {}
  bool is_ending() const override { return has_ended(); }
  int refusal() const override { return refusal_; }
  void give_back(const Message& message) override;
  std::shared_ptr<LongMessage> claim_rest(const Message& first) override;

 private:
  void cut_short_begun();

  std::deque<std::shared_ptr<const Arrival>> arrivals_;
  // Those of which a reader has the beginning, and of which more is to come.
  std::map<ProducerId, std::shared_ptr<LongMessage>> begun_;
  int refusal_ = 0;
};

// The line in front of a consumer's message: "LEN PRODUCER IMMEDIATE\n", the immediate data
// in hexadecimal digits, or "-".
std::string arrival_header(const Message& message);

}  // namespace comch::fuse
