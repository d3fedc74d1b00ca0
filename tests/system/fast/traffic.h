// Traffic: a sender and a receiver of numbered messages, each of whose bytes is known.
//
//   const Plan plan{{.size = 4096}, {.size = 0, .immediate = 8}};
//   Receiver receiver(connection, engine, plan, {.way = DataWay::kStaged});
//   Sender sender(connection, engine, plan);
//   ASSERT_TRUE(receiver.start() && sender.start());
//   sender.send_to({consumer});
//   ASSERT_TRUE(until(engine, [&] { return sender.done() && receiver.heard() == 2; }));
//   EXPECT_EQ(receiver.wrong(), 0u);
//
// Both live on callbacks alone: they go on whenever the engine does, and never poll. What a
// message holds is told by its producer and its place in the plan, so that a message that is
// lost, doubled, misplaced or another one's is seen.
//
// Threads: start() and everything behind it on the engine's, the rest on the connection's.
// Lifetime: outlived by the connection; idle when it goes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comch/comch.h"
#include "system/fast/rooms.h"
#include "unit/comch/parties.h"

namespace comch::test {

struct Message {
  std::size_t size = 0;
  std::size_t immediate = 0;
};
using Plan = std::vector<Message>;
std::size_t longest(const Plan& plan);

class Receiver {
 public:
  struct Options {
    std::uint32_t depth = 4;
    DataWay way = DataWay::kAuto;
    Rooms::Kind kind = Rooms::Kind::kShared;
    bool repost = true;
    Rooms* rooms = nullptr;  // Of the caller's; `depth` of them.
  };

  Receiver(Connection& connection, ProgressEngine& engine, Plan plan, const Options& options);
  Receiver(Connection& connection, ProgressEngine& engine, Plan plan)
      : Receiver(connection, engine, std::move(plan), Options()) {}
  ~Receiver();

  Consumer* operator->() const { return consumer_.get(); }
  Consumer& consumer() const { return *consumer_; }
  bool start();  // Until it runs; its rooms are posted.
  bool stop();   // Until it is idle, or is so already.

  std::size_t heard() const { return heard_; }
  std::size_t wrong() const { return wrong_; }  // Messages that are not as planned.
  // How the tasks ended that came back without a message.
  const std::vector<Status>& returned() const { return returned_; }
  std::function<void(ReceiveTask&)> then_heard = [](ReceiveTask&) {};

 private:
  void hear(ReceiveTask& task);
  void end(ReceiveTask& task);
  bool as_planned(const ReceiveTask& task);

  ProgressEngine& engine_;
  const Plan plan_;
  const Options options_;
  std::unique_ptr<Rooms> own_;
  Rooms& rooms_;
  std::unique_ptr<Consumer> consumer_;
  std::map<ProducerId, std::size_t> next_;  // Of the plan.
  std::size_t heard_ = 0;
  std::size_t wrong_ = 0;
  std::vector<Status> returned_;
};

class Sender {
 public:
  struct Options {
    std::size_t window = 4;  // Messages in flight.
    Rooms::Kind kind = Rooms::Kind::kShared;
    std::size_t cooperative = Producer::kDefaultCooperative;
    std::size_t times = 1;   // How often the plan is sent.
    bool together = false;   // Each task says that there are more.
    Rooms* rooms = nullptr;  // Of the caller's, filled for the first message; window is 1.
  };

  Sender(Connection& connection, ProgressEngine& engine, Plan plan, const Options& options);
  Sender(Connection& connection, ProgressEngine& engine, Plan plan)
      : Sender(connection, engine, std::move(plan), Options()) {}
  ~Sender();

  Producer* operator->() const { return producer_.get(); }
  Producer& producer() const { return *producer_; }
  bool start();
  bool stop();
  // The plan to each, message by message in turn.
  void send_to(std::vector<ConsumerId> consumers);

  // Everything has been sent and has come back, or nothing can be sent any more.
  bool done() const { return in_flight_ == 0 && (next_ == total() || refusal_); }
  std::size_t sent() const { return sent_; }
  std::size_t accepted() const { return next_; }
  std::size_t total() const { return plan_.size() * options_.times * consumers_.size(); }
  std::size_t in_flight() const { return in_flight_; }
  // What a message was refused with, other than `again`.
  const std::optional<Error>& refusal() const { return refusal_; }
  const std::vector<Error>& failed() const { return failed_; }  // Of tasks that came back so.
  std::string why() const;  // Not all was sent; for a failure's message.
  std::uint64_t spaces() const { return spaces_; }

 private:
  void pump();
  bool send_next();
  void come_back(ProducerTask& task);

  ProgressEngine& engine_;
  const Plan plan_;
  const Options options_;
  std::unique_ptr<Rooms> own_;
  Rooms& rooms_;
  std::unique_ptr<Producer> producer_;
  std::vector<ConsumerId> consumers_;
  std::deque<std::size_t> free_;  // Rooms.
  bool filled_ = false;           // The first of them, for the next message.
  std::size_t next_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t sent_ = 0;
  std::uint64_t spaces_ = 0;
  std::optional<Error> refusal_;
  std::vector<Error> failed_;
};

// A seed of the message at a place of a producer's plan.
std::uint64_t seed_of(ProducerId producer, std::size_t place);

}  // namespace comch::test
