// Consumers and producers between threads and between processes, as programs of the C API are:
// a producer that only submits and sleeps, engines in threads of their own, epoll.
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "doca/fast_parties.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

// An engine that is progressed by a thread of its own until it goes.
class BusyEngine {
 public:
  explicit BusyEngine(doca_pe* pe)
      : thread_([this, pe] {
          while (!ended_) doca_pe_progress(pe);
        }) {}
  ~BusyEngine() { ended_ = true; }
  BusyEngine(const BusyEngine&) = delete;
  BusyEngine& operator=(const BusyEngine&) = delete;

 private:
  std::atomic<bool> ended_{false};
  std::jthread thread_;
};

struct OwnEngine {
  OwnEngine() { EXPECT_EQ(doca_pe_create(&pe), DOCA_SUCCESS); }
  ~OwnEngine() { EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS); }
  doca_pe* pe = nullptr;
};

// As programs do without a word to any engine: submit, and sleep 10 us when told to try again.
doca_error_t send_until_accepted(ProducerParty& producer, std::uint32_t to,
                                 const doca_buf* message) {
  const Deadline deadline;
  doca_error_t sent = DOCA_ERROR_AGAIN;
  while ((sent = producer.send(to, message)) == DOCA_ERROR_AGAIN && !deadline.passed()) {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
  return sent;
}

struct DocaFastThreadsTest : FastTest {
  OwnEngine own;
  Memory memory{server.device};
  Memory source{client.device};
};

TEST_F(DocaFastThreadsTest, AConsumerStartsWhileAnotherThreadHasTheConnectionsEngine) {
  ConsumerParty consumer(own.pe, server_side(), memory);
  {
    const BusyEngine connections(pe);
    ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(until(own.pe, [&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }));
    EXPECT_EQ(doca_ctx_stop(consumer.ctx()), DOCA_SUCCESS) << "nothing is posted";
    EXPECT_EQ(consumer.state(), DOCA_CTX_STATE_IDLE);
  }
}

TEST_F(DocaFastThreadsTest, AConsumerDoesNotRunBeforeTheConnectionsEngineIsProgressed) {
  ConsumerParty consumer(own.pe, server_side(), memory);
  ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  settle(own.pe);
  EXPECT_EQ(consumer.state(), DOCA_CTX_STATE_STARTING);
  ASSERT_TRUE(until(pe, [&] { return client.consumers.size() == 1; }));
  ASSERT_TRUE(until(own.pe, [&] {
    settle(pe);
    return consumer.state() == DOCA_CTX_STATE_RUNNING;
  }));
}

TEST_F(DocaFastThreadsTest, AConsumersEngineSleepsWhileItStarts) {
  ConsumerParty consumer(own.pe, server_side(), memory);
  const BusyEngine connections(pe);
  ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(
      until(own.pe, [&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }, Waiting::kEpoll));
  EXPECT_NE(doca_ctx_stop(consumer.ctx()), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(
      until(own.pe, [&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }, Waiting::kEpollAll));
}

// The producer's thread progresses no engine at all, and nothing was posted when it began.
TEST_F(DocaFastThreadsTest, AProducerIsAcceptedOnceSomethingIsPostedThoughItOnlySubmits) {
  ConsumerParty consumer(pe, server_side(), memory);
  ASSERT_TRUE(run(consumer));
  ProducerParty producer(own.pe, client_side());
  ASSERT_EQ(producer.start(), DOCA_SUCCESS);
  const doca_buf* const message = source.data("after a while");
  const std::uint32_t to = consumer.id();
  std::atomic<bool> tried{false};
  std::atomic<doca_error_t> sent{DOCA_ERROR_UNKNOWN};
  {
    const std::jthread sender([&] {
      EXPECT_EQ(producer.send(to, message), DOCA_ERROR_AGAIN);
      tried = true;
      sent = send_until_accepted(producer, to, message);
    });
    ASSERT_TRUE(eventually([&] { return tried.load(); }));
    ASSERT_EQ(consumer.post(memory.room(0, 64)), DOCA_SUCCESS);
    EXPECT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  }
  EXPECT_EQ(sent, DOCA_SUCCESS);
  EXPECT_EQ(consumer.received[0].data, "after a while");
}

// A thread each, with its own engine: the connection's, the consumer's and the producer's.
TEST_F(DocaFastThreadsTest, MessagesFlowBetweenThreads) {
  constexpr std::size_t kMessages = 2000;
  OwnEngine receiving;
  ConsumerParty consumer(receiving.pe, server_side(), memory, 8);
  ProducerParty producer(own.pe, client_side(), 8);
  ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(run_until([&] {
    doca_pe_progress(receiving.pe);
    return consumer.state() == DOCA_CTX_STATE_RUNNING && client.consumers.size() == 1;
  }));
  ASSERT_EQ(producer.start(), DOCA_SUCCESS);
  const std::uint32_t to = consumer.id();
  const doca_buf* const message = source.data("payload");
  const BusyEngine connections(pe);
  const std::jthread sender([&] {
    for (std::size_t n = 0; n < kMessages; ++n) {
      doca_error_t sent = DOCA_ERROR_AGAIN;
      EXPECT_TRUE(until(own.pe, [&] {
        sent = producer.send(to, message);
        return sent != DOCA_ERROR_AGAIN && sent != DOCA_ERROR_NO_MEMORY;
      }));
      ASSERT_EQ(sent, DOCA_SUCCESS) << n;
    }
    EXPECT_TRUE(until(own.pe, [&] { return producer.completed.size() == kMessages; }));
  });
  consumer.then_received = [](doca_comch_consumer_task_post_recv* task) {
    EXPECT_EQ(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)), DOCA_SUCCESS);
  };
  for (std::size_t n = 0; n < 8; ++n) {
    ASSERT_EQ(consumer.post(memory.room(n * 64, 64)), DOCA_SUCCESS);
  }
  EXPECT_TRUE(until(receiving.pe, [&] { return consumer.received.size() == kMessages; }));
  for (const Received& each : consumer.received) ASSERT_EQ(each.data, "payload");
}

// --- Processes ---------------------------------------------------------------------------

// The client's process: connects, waits for the server's consumer, sends, and leaves in order.
int send_from_a_process(std::size_t messages, std::size_t size) {
  OwnEngine own;
  int failures = 0;
  {
    ClientParty client(own.pe);
    if (!client.connect()) return 1;
    if (!until(own.pe, [&] { return client.consumers.size() == 1; })) return 2;
    Memory memory(client.device, size);
    const doca_buf* const message = memory.data(std::string(size, 'm'));
    ProducerParty producer(own.pe, client.connection(), 8);
    if (producer.start() != DOCA_SUCCESS) return 3;
    for (std::size_t n = 0; n < messages; ++n) {
      if (!until(own.pe, [&] { return producer.completed.size() + 8 > n; })) ++failures;
      const std::uint32_t to = client.consumers.front();
      if (send_until_accepted(producer, to, message) != DOCA_SUCCESS) ++failures;
    }
    if (!until(own.pe, [&] { return producer.completed.size() == messages; })) ++failures;
  }
  return failures == 0 ? 0 : 4;
}

// As the samples have it: malloc'd memory of 1 MiB on both sides, and no common mapping.
class DocaFastProcessesTest : public testing::TestWithParam<std::size_t> {};

TEST_P(DocaFastProcessesTest, EveryByteArrivesInTheConsumersOwnBuffer) {
  constexpr std::size_t kMessages = 20;
  const std::size_t size = GetParam();
  const RuntimeDirectory directory;
  OwnEngine own;
  ServerParty server(own.pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ChildProcess child = ChildProcess::run([size] { return send_from_a_process(kMessages, size); });
  ASSERT_TRUE(until(own.pe, [&] { return !server.connections.empty(); }));
  Memory memory(server.device, 4 * size);
  ConsumerParty consumer(own.pe, server.connections.front(), memory, 4);
  ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(until(own.pe, [&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }));
  consumer.then_received = [](doca_comch_consumer_task_post_recv* task) {
    EXPECT_EQ(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)), DOCA_SUCCESS);
  };
  for (std::size_t n = 0; n < 4; ++n) {
    ASSERT_EQ(consumer.post(memory.room(n * size, size)), DOCA_SUCCESS);
  }
  ASSERT_TRUE(until(own.pe, [&] { return consumer.received.size() == kMessages; }));
  for (const Received& each : consumer.received) {
    ASSERT_EQ(each.data.size(), size);
    ASSERT_EQ(each.data.find_first_not_of('m'), std::string::npos);
  }
  ASSERT_TRUE(until(own.pe, [&] { return server.endings == 1; }));
  EXPECT_EQ(child.wait(), Exit::with(0));
}

INSTANTIATE_TEST_SUITE_P(Sizes, DocaFastProcessesTest, testing::Values(1, 64, 4096, 1 << 20));

}  // namespace
}  // namespace comch::test
