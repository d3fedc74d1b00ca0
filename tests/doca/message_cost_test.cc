// What a message costs more through the C API than through comch itself, in instructions. Both rigs
// stand on one connection and do the same; only their calls differ.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "doca/comch_connection.h"
#include "doca/ctx.h"
#include "doca/fast_parties.h"
#include "doca/instruction_meter.h"
#include "doca/memory.h"

namespace comch::test {
namespace {

// Instructions more than comch's own, on both sides: of 1,100, for ten calls and two callbacks.
constexpr std::uint64_t kMost = 70;
constexpr int kRounds = 16;
// Between two that are counted, which take so long that engines want to look at the kernel: by
// then they do so as seldom again as in a program that runs.
constexpr int kBetween = 2'000;
constexpr std::size_t kSize = 64;  // Bytes of one.

enum Phase : std::size_t { kSend, kReceive };

// A server and a client that are connected; no test by itself.
// Each end has an engine of its own, as in two processes.
struct Ground : FastTest {
  Ground() {
    EXPECT_EQ(doca_pe_create(&sending), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_create(&receiving), DOCA_SUCCESS);
  }
  ~Ground() override {
    EXPECT_EQ(doca_pe_destroy(sending), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_destroy(receiving), DOCA_SUCCESS);
  }
  void TestBody() override {}
  bool run_all(const std::function<bool()>& done) {
    return until(Engines{pe, sending, receiving}, done, Waiting::kPolling);
  }
  // The client's side knows of the consumer.
  bool known(std::uint32_t id) const { return std::ranges::count(client.consumers, id) == 1; }

  doca_pe* sending = nullptr;
  doca_pe* receiving = nullptr;
  Memory memory{server.device};
};

// Sends one message at a time, whose completion is told before the next, and receives it.
template <class Rig>
void measure(InstructionMeter& meter) {
  Ground ground;
  Rig rig(ground);
  ASSERT_TRUE(rig.start());
  // With the first one the consumer hears of its producer, from the kernel, which is asked seldom.
  rig.send();
  ASSERT_TRUE(ground.run_all([&] { return rig.received == 1; }));
  for (int round = 0; round < kRounds; ++round) {
    for (int n = 0; n < kBetween; ++n) {
      rig.send();
      rig.receive();
    }
    meter.count(kSend, [&] { rig.send(); });
    meter.count(kReceive, [&] { rig.receive(); });
  }
  EXPECT_EQ(rig.sent, kRounds * (kBetween + 1) + 1);
  EXPECT_EQ(rig.received, kRounds * (kBetween + 1) + 1);
  rig.stop();
}

// What both rigs have: one task on each side, which go round.
class Base {
 public:
  explicit Base(Ground& ground) : ground_(ground) {}
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;

  int sent = 0;
  int received = 0;
  std::uint64_t from = 0;  // Of the last message.
  std::size_t length = 0;

 protected:
  doca_buf* room() { return ground_.memory.room(0, kSize); }
  doca_buf* message() { return ground_.memory.data(std::string(kSize, 'm'), kSize); }

  Ground& ground_;
};

class OwnRig : public Base {
 public:
  using Base::Base;

  bool start() {
    producer_ = Producer::create(*ground_.client_side()->connection).value();
    consumer_ =
        Consumer::create(*ground_.server_side()->connection, doca::engine_of(*ground_.memory.map()))
            .value();
    Status status = configure();
    if (status) status = sending_.connect(*producer_);
    if (status) status = receiving_.connect(*consumer_);
    if (!status || !producer_->start() || !consumer_->start()) return false;
    const bool runs = ground_.run_all([&] {
      return consumer_->state() == ContextState::kRunning &&
             ground_.known(static_cast<std::uint32_t>(consumer_->id()));
    });
    if (!runs) return false;
    to_ = consumer_->id();
    task_ = producer_->allocate_send(doca::engine_of(message()), {}, to_).value();
    return consumer_->allocate_receive(doca::engine_of(room())).value()->submit().has_value();
  }

  void send() {
    if (task_->set_consumer(to_) && task_->submit()) sending_.progress();
  }
  void receive() { receiving_.progress(); }

  void stop() {
    EXPECT_TRUE(task_->free());
    EXPECT_TRUE(producer_->stop());
    EXPECT_TRUE(consumer_->stop());
    EXPECT_TRUE(ground_.run_all([&] {
      return producer_->state() == ContextState::kIdle && consumer_->state() == ContextState::kIdle;
    }));
  }

 private:
  Status configure() {
    Status status = producer_->configure_send(
        1,
        [this](ProducerTask& task) {
          task_ = &task;
          ++sent;
        },
        [](ProducerTask&) { FAIL() << "a message was not sent"; });
    if (!status) return status;
    return consumer_->configure_receive(
        1, [this](ReceiveTask& task) { take(task); },
        [](ReceiveTask& task) { EXPECT_TRUE(task.free()); });
  }

  void take(ReceiveTask& task) {
    from = static_cast<std::uint64_t>(task.producer());
    Buffer* const buffer = task.buffer();
    length = buffer->data_length();
    buffer->reset_data_length();
    if (task.submit()) ++received;
  }

  ProgressEngine& sending_ = *ground_.sending->engine;
  ProgressEngine& receiving_ = *ground_.receiving->engine;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<Consumer> consumer_;
  ProducerTask* task_ = nullptr;
  ConsumerId to_{};
};

class DocaRig : public Base {
 public:
  using Base::Base;
  ~DocaRig() {
    EXPECT_EQ(doca_comch_producer_destroy(producer_), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_consumer_destroy(consumer_), DOCA_SUCCESS);
  }

  bool start() { return configure() == DOCA_SUCCESS && run() && post() == DOCA_SUCCESS; }

  void send() {
    doca_comch_producer_task_send_set_consumer_id(task_, to_);
    if (doca_task_submit(doca_comch_producer_task_send_as_task(task_)) == DOCA_SUCCESS) {
      doca_pe_progress(sending_);
    }
  }
  void receive() { doca_pe_progress(receiving_); }

  void stop() {
    doca_task_free(doca_comch_producer_task_send_as_task(task_));
    EXPECT_EQ(doca_ctx_stop(producer_ctx()), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_stop(consumer_ctx()), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(ground_.run_all([&] { return state_of(consumer_ctx()) == DOCA_CTX_STATE_IDLE; }));
  }

 private:
  static DocaRig& of(doca_data data) { return *static_cast<DocaRig*>(data.ptr); }

  static void on_sent(doca_comch_producer_task_send* task, doca_data, doca_data rig) {
    of(rig).task_ = task;
    ++of(rig).sent;
  }
  static void on_failed(doca_comch_producer_task_send*, doca_data, doca_data) {
    FAIL() << "a message was not sent";
  }
  static void on_received(doca_comch_consumer_task_post_recv* task, doca_data, doca_data rig) {
    of(rig).take(task);
  }
  static void on_returned(doca_comch_consumer_task_post_recv* task, doca_data, doca_data) {
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
  }

  doca_error_t configure() {
    doca_error_t e = doca_comch_producer_create(ground_.client_side(), &producer_);
    DOCA_ERROR_PROPAGATE(
        e, doca_comch_consumer_create(ground_.server_side(), ground_.memory.map(), &consumer_));
    DOCA_ERROR_PROPAGATE(e,
                         doca_comch_producer_task_send_set_conf(producer_, on_sent, on_failed, 1));
    DOCA_ERROR_PROPAGATE(
        e, doca_comch_consumer_task_post_recv_set_conf(consumer_, on_received, on_returned, 1));
    DOCA_ERROR_PROPAGATE(e, doca_ctx_set_user_data(producer_ctx(), {.ptr = this}));
    DOCA_ERROR_PROPAGATE(e, doca_ctx_set_user_data(consumer_ctx(), {.ptr = this}));
    DOCA_ERROR_PROPAGATE(e, doca_pe_connect_ctx(sending_, producer_ctx()));
    DOCA_ERROR_PROPAGATE(e, doca_pe_connect_ctx(receiving_, consumer_ctx()));
    return e;
  }
  bool run() {
    return doca_ctx_start(producer_ctx()) == DOCA_SUCCESS &&
           doca_ctx_start(consumer_ctx()) == DOCA_ERROR_IN_PROGRESS && ground_.run_all([&] {
             return state_of(consumer_ctx()) == DOCA_CTX_STATE_RUNNING &&
                    doca_comch_consumer_get_id(consumer_, &to_) == DOCA_SUCCESS &&
                    ground_.known(to_);
           });
  }
  doca_error_t post() {
    doca_comch_consumer_task_post_recv* posted = nullptr;
    doca_error_t e =
        doca_comch_producer_task_send_alloc_init(producer_, message(), nullptr, 0, to_, &task_);
    DOCA_ERROR_PROPAGATE(e,
                         doca_comch_consumer_task_post_recv_alloc_init(consumer_, room(), &posted));
    DOCA_ERROR_PROPAGATE(e, doca_task_submit(doca_comch_consumer_task_post_recv_as_task(posted)));
    return e;
  }

  void take(doca_comch_consumer_task_post_recv* task) {
    from = doca_comch_consumer_task_post_recv_get_producer_id(task);
    doca_buf* const buffer = doca_comch_consumer_task_post_recv_get_buf(task);
    doca_buf_get_data_len(buffer, &length);
    doca_buf_reset_data_len(buffer);
    if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) == DOCA_SUCCESS) {
      ++received;
    }
  }

  doca_ctx* producer_ctx() { return doca_comch_producer_as_ctx(producer_); }
  doca_ctx* consumer_ctx() { return doca_comch_consumer_as_ctx(consumer_); }

  doca_pe* const sending_ = ground_.sending;
  doca_pe* const receiving_ = ground_.receiving;
  doca_comch_producer* producer_ = nullptr;
  doca_comch_consumer* consumer_ = nullptr;
  doca_comch_producer_task_send* task_ = nullptr;
  std::uint32_t to_ = 0;
};

TEST(MessageCostTest, AMessageTakesAtMostSeventyInstructionsMoreThanThroughComchItself) {
  const Counts own = count_instructions(measure<OwnRig>);
  const Counts doca = count_instructions(measure<DocaRig>);
  ASSERT_TRUE(own.ended && doca.ended);
  std::cout << fmt::format("to send: {} and {} through the C API; to receive: {} and {}\n",
                           own.least(kSend), doca.least(kSend), own.least(kReceive),
                           doca.least(kReceive));
  ASSERT_GT(own.least(kSend), 50U);  // It was counted.
  ASSERT_GT(own.least(kReceive), 50U);
  EXPECT_LE(doca.least(kSend) + doca.least(kReceive),
            own.least(kSend) + own.least(kReceive) + kMost);
}

}  // namespace
}  // namespace comch::test
