// FastLink: what the consumers and producers of one connection share: the connection, and
// which outbox has which remote consumer for itself.
//
// The parts of a long message must not find the posted buffers full of other messages: one
// who reads that message, and only then the next, would wait for ever. So the outbox that
// has begun one is alone with its consumer until the last part is sent; the other producers
// of this side wait.
//
// Threads: the loop's. Lifetime: shared by them; outlives the connection.
#pragma once

#include <map>
#include <vector>

#include "comch/connection.h"

namespace comch::fuse {

class Outbox;

class FastLink {
 public:
  explicit FastLink(Connection& connection) : connection_(&connection) {}

  // Null: it is over.
  Connection* connection() const { return connection_; }
  bool is_open() const {
    return connection_ != nullptr && !is_over_ &&
           connection_->state() == ConnectionState::kEstablished;
  }
  void on_end() { connection_ = nullptr; }
  // Its directory is gone, or a consumer or producer has noticed the peer's end, which the
  // connection will, too: nothing is begun any more, and nothing waits for the other side.
  void give_up() { is_over_ = true; }

  void join(Outbox& outbox) { outboxes_.push_back(&outbox); }
  void leave(const Outbox& outbox);

  bool is_free_for(ConsumerId consumer, const Outbox& outbox) const;
  bool is_taken_by(ConsumerId consumer, const Outbox& outbox) const;
  void take(ConsumerId consumer, const Outbox& outbox) { holders_[consumer] = &outbox; }
  // The others may go on.
  void release(ConsumerId consumer);

 private:
  Connection* connection_;
  bool is_over_ = false;
  std::map<ConsumerId, const Outbox*> holders_;
  std::vector<Outbox*> outboxes_;
};

}  // namespace comch::fuse
