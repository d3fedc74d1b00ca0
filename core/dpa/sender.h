// Sender: the operations of one producer, or of one AsyncOperations, as their completion context
// keeps them: under way, then done, until their completion is got.
//
//   free --begin()--> begun --finish()--> under way --delivered, or lost--> done --> free
//                                                                           (if reported)
//
// Between begin() and finish() the caller copies; nothing of the operation is seen before it has
// finished. An operation that asked for no completion is free as soon as it is delivered.
//
// Threads: guarded by the completion context's lock. Lifetime: the completion context's; it stays
// after its producer, until every operation is over. Errors: see each call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "base/pool.h"
#include "comch/dpa_queue.h"
#include "msgq/outbox.h"

namespace comch::dpa {

class Sender {
 public:
  // Of whom the operations are; `producer` is 0 for AsyncOperations.
  struct Owner {
    ProducerId producer{};
    UserData user_data;
  };
  struct Operation {
    msgq::Send* note = nullptr;
    msgq::Link* link = nullptr;  // Null: it sends nothing.
  };

  // no_memory: there is none for so many operations.
  static Result<std::unique_ptr<Sender>> create(const Owner& owner, std::uint32_t operations);
  // From here on it can send.
  void open(std::shared_ptr<msgq::Hub> hub, std::shared_ptr<msgq::Doorbell> doorbell) {
    outbox_.emplace(std::move(hub), owner_.producer, std::move(doorbell), operations_);
    outbox_->on_new_link([this] { collect(); });  // A note is nothing to keep a lane for.
  }

  // again: every operation is out. Others as for Outbox::put().
  Result<Operation> begin(const Submit& submit, ConsumerId consumer,
                          std::span<const std::byte> immediate);
  // An operation that sends nothing. again: every operation is out.
  Result<Operation> begin(const Submit& submit);
  void finish(const Operation& operation);

  // Whether the consumer has no receive that is not spoken for. Errors as for Outbox::put().
  Result<bool> is_consumer_empty(ConsumerId consumer);

  // Whether a completion is to be got.
  bool has_completions();
  bool next_completion(SendElement& element);

  // Nothing more is begun.
  void leave();
  // It has left, and no operation is out.
  bool is_over();

 private:
  Sender(const Owner& owner, std::uint32_t operations, Pool<msgq::Send> notes)
      : owner_(owner), operations_(operations), notes_(std::move(notes)) {}

  Result<msgq::Send*> take_note(const Submit& submit);
  void collect();
  void collect(msgq::Link& link);
  void complete(msgq::Send& note);

  const Owner owner_;
  const std::uint32_t operations_;
  std::optional<msgq::Outbox> outbox_;
  Pool<msgq::Send> notes_;
  IntrusiveList<msgq::Send> done_;  // Completions that were not got.
  bool leaving_ = false;
};

}  // namespace comch::dpa
