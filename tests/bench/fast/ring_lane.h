// RingLane: comch through submit() and peek_batch(). The sender submits one message, or 64 of
// Shape::kBatched; the receiver has a pool of buffers that refills itself. Who sends in batches, or
// has an answer, asks for no completion of what is sent: it is copied by submit(). In a round trip
// what comes is peek()ed.
//
// Threads, errors: as lane.h.
#pragma once

#include <array>
#include <memory>
#include <tuple>

#include "bench/fast/ring_of_process.h"
#include "bench/peers/last_message.h"

namespace comch::bench {

template <std::uint32_t kDepth>
class RingLane {
  // What user_data says, because the ends of a process share a ring.
  enum Kind : std::uint64_t { kMessage, kSettled, kArrived };

 public:
  explicit RingLane(const Workload& workload)
      : plan_(workload, kDepth),
        together_(workload.shape == Shape::kBatched ? kPublishedAtOnce : 1),
        by_itself_(workload.shape == Shape::kRoundTrip),
        flags_(by_itself_ || together_ != 1 ? uring::kSkipSuccess : 0) {}

  // Whose sender is another one.
  explicit RingLane(const FastPlan& plan)
      : plan_(plan), together_(1), by_itself_(false), flags_(0) {}

  class Sender {
   public:
    explicit Sender(const RingLane& lane)
        : together_(lane.together_),
          by_itself_(lane.by_itself_),
          flags_(lane.flags_),
          ring_(ring_of_process(0)),
          end_(lane.plan_,
               [&](Producer& producer) { need(ring_->prepare(producer), "the producer"); }),
          to_(need(ring_->register_destination(end_.producer(), end_.consumer()), "the ring")) {}
    ~Sender() { std::ignore = ring_->unregister(*to_); }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() {
      uring::Submission& submission = next();
      submission.prep_send(*to_, message_);
      submission.user_data = kMessage;
      submission.flags = flags_;
      if (++gathered_ == together_) flush();
    }
    void send_last() {
      settle();
      end_with(message_);
      send();
      settle();
    }

   private:
    uring::Submission& next() {
      while (true) {
        if (uring::Submission* const submission = ring_->get()) [[likely]]
          return *submission;
        reap();
      }
    }
    // Until no message is waiting to be sent any more, which has its bytes in message_. In a round
    // trip there is none: each was answered.
    void settle() {
      if (by_itself_) return flush();
      uring::Submission& mark = next();
      mark.flags = uring::kDrain;
      mark.user_data = kSettled;
      flush();
      while (!reap()) {
      }
    }
    void flush() {
      if (!ring_->submit()) throw std::runtime_error("nothing is submitted");
      gathered_ = 0;
    }
    // Past what is complete; true: the mark of settle() is.
    bool reap() {
      std::array<const uring::Completion*, kPublishedAtOnce> done;
      const std::uint32_t count = ring_->peek_batch(done);
      for (std::uint32_t n = 0; n < count; ++n) {
        if (done[n]->res < 0) throw std::runtime_error("a message is not sent");
        if (done[n]->user_data != kSettled) continue;
        ring_->advance(n + 1);
        return true;
      }
      ring_->advance(count);
      return false;
    }

    const std::size_t together_;
    const bool by_itself_;
    const std::uint8_t flags_;
    const std::shared_ptr<uring::Ring> ring_;
    ProducerEnd end_;
    uring::Destination* const to_;
    const std::span<std::byte> message_ = end_.message();
    std::size_t gathered_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const RingLane& lane)
        : by_itself_(lane.by_itself_),
          ring_(ring_of_process(lane.plan_.depth)),
          end_(lane.plan_,
               [&](Consumer& consumer) {
                 need(ring_->prepare(consumer, lane.plan_.depth), "the consumer");
               }),
          from_(need(ring_->register_source(end_.consumer()), "the ring")) {
      uring::Submission* const pool = ring_->get();
      pool->prep_post_recv_multishot(*from_, end_.buffers());
      pool->user_data = kArrived;
      need(ring_->submit(), "to post");
    }
    ~Receiver() { forget(); }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      while (true) {
        const uring::Completion& completion = by_itself_ ? next_by_itself() : next_of_batch();
        if (completion.user_data == kArrived) return !is_last(completion.contents());
      }
    }

   private:
    // One message is answered by one, and none comes beside it.
    const uring::Completion& next_by_itself() {
      ring_->advance(count_);
      const uring::Completion* completion = nullptr;
      while (completion == nullptr) completion = ring_->peek();
      count_ = 1;
      return *completion;
    }
    const uring::Completion& next_of_batch() {
      while (taken_ == count_) take();
      return *batch_[taken_++];
    }
    // Posting again what has arrived is left until it is answered.
    void take() {
      ring_->advance(count_);
      count_ = ring_->peek_batch(batch_);
      taken_ = 0;
    }
    // Its buffers come back as completions.
    void forget() {
      std::ignore = end_.consumer().abort();
      ring_->advance(count_);
      for (int turns = 0; turns < 1'000'000 && !ring_->unregister(*from_); ++turns) {
        ring_->advance(ring_->peek_batch(batch_));
      }
    }

    const bool by_itself_;
    const std::shared_ptr<uring::Ring> ring_;
    ConsumerEnd end_;
    uring::Source* const from_;
    std::array<const uring::Completion*, kPublishedAtOnce> batch_;
    std::uint32_t count_ = 0;
    std::uint32_t taken_ = 0;
  };

 protected:
  FastPlan plan_;

 private:
  std::size_t together_;
  bool by_itself_;  // Round trips.
  std::uint8_t flags_;
};

}  // namespace comch::bench
