// MixedEcho: a ring that has joined the socket's io_uring.
#include "bench/ring/mixed_echo.h"

#include <sys/socket.h>

#include <tuple>

#include "bench/peers/last_message.h"

namespace comch::bench {
namespace {

enum Kind : std::uint64_t { kArrived, kSent, kReceived, kWritten };

}  // namespace

MixedEcho::MixedEcho(const ChannelPlans* channel, int socket)
    : ring_(need(uring::Ring::create(engine_of_process(), {.join = kernel_.get()}), "a ring")),
      socket_(socket) {
  if (channel != nullptr) open_channel(*channel);
  if (socket_ >= 0) {
    ++clients_;
    receive_bytes();
  }
}

MixedEcho::~MixedEcho() {
  if (!consumer_) return;
  std::ignore = ring_->unregister(*to_);
  std::ignore = consumer_->consumer().abort();
  for (int turns = 0; turns < 1'000'000 && !ring_->unregister(*from_); ++turns) {
    while (ring_->peek() != nullptr) ring_->advance(ring_->ready());
  }
}

void MixedEcho::open_channel(const ChannelPlans& plans) {
  ++clients_;
  consumer_.emplace(plans.there, [&](Consumer& consumer) {
    need(ring_->prepare(consumer, plans.there.depth), "the consumer");
  });
  from_ = need(ring_->register_source(consumer_->consumer()), "the ring");
  uring::Submission* const pool = ring_->get();
  pool->prep_post_recv_multishot(*from_, consumer_->buffers());
  pool->user_data = kArrived;
  // The client waits for it before it has a consumer of its own.
  need(ring_->submit(), "to post");
  producer_.emplace(plans.back,
                    [&](Producer& producer) { need(ring_->prepare(producer), "the producer"); });
  to_ = need(ring_->register_destination(producer_->producer(), producer_->consumer()), "the ring");
}

void MixedEcho::receive_bytes() {
  io_uring_sqe* const sqe = kernel_.next();
  io_uring_prep_recv(sqe, socket_, bytes_.data(), bytes_.size(), MSG_WAITALL);
  sqe->user_data = kReceived;
}

void MixedEcho::echo_message(const uring::Completion& completion) {
  if (completion.res < 0) throw std::runtime_error("the channel broke");
  if (completion.user_data == kSent) {
    --clients_;
    return;
  }
  const bool last = is_last(completion.contents());
  uring::Submission* const answer = ring_->get();
  answer->prep_send(*to_, completion.contents());
  answer->user_data = kSent;
  answer->flags = last ? std::uint8_t{0} : uring::kSkipSuccess;
}

void MixedEcho::echo_bytes(const io_uring_cqe& completion) {
  if (completion.user_data == kWritten) return;
  if (completion.res <= 0) {
    --clients_;
    return;
  }
  io_uring_sqe* const sqe = kernel_.next();
  io_uring_prep_send(sqe, socket_, bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
  sqe->user_data = kWritten;
  sqe->flags = IOSQE_IO_LINK;  // The same bytes are the next ones' room.
  receive_bytes();
}

void MixedEcho::serve() {
  while (clients_ != 0) {
    std::ignore = ring_->submit_and_wait(1, std::chrono::seconds(1));
    const std::uint32_t arrived =
        ring_->for_each([this](const uring::Completion& completion) { echo_message(completion); });
    need(ring_->submit(), "to submit");
    ring_->advance(arrived);
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(kernel_.get(), &completion) == 0) {
      if (!ring_->claim(*completion)) echo_bytes(*completion);
      io_uring_cqe_seen(kernel_.get(), completion);
    }
  }
}

}  // namespace comch::bench
