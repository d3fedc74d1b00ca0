// Waiting for contexts that start: a client, and a consumer of its connection, are seen to run
// by a program that only sleeps on its engines' handles, however many engines it has.
#include <doca_comch_consumer.h>
#include <doca_mmap.h>
#include <gtest/gtest.h>

#include <array>

#include "doca/control_parties.h"

namespace comch::test {
namespace {

// A consumer of the client's connection over memory of its own.
class ConsumerParty {
 public:
  ConsumerParty(doca_pe* pe, doca_dev* device, doca_comch_connection* connection) {
    EXPECT_EQ(doca_mmap_create(&map_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(map_, memory_.data(), memory_.size()), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_permissions(map_, DOCA_ACCESS_FLAG_PCI_READ_WRITE), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(map_, device), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(map_), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_consumer_create(connection, map_, &consumer_), DOCA_SUCCESS);
    const auto done = [](doca_comch_consumer_task_post_recv*, doca_data, doca_data) {};
    EXPECT_EQ(doca_comch_consumer_task_post_recv_set_conf(consumer_, done, done, 1), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_SUCCESS);
  }
  ~ConsumerParty() {
    EXPECT_EQ(doca_comch_consumer_destroy(consumer_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_destroy(map_), DOCA_SUCCESS);
  }
  ConsumerParty(const ConsumerParty&) = delete;
  ConsumerParty& operator=(const ConsumerParty&) = delete;
  doca_ctx* ctx() const { return doca_comch_consumer_as_ctx(consumer_); }

 private:
  alignas(64) std::array<char, 4096> memory_{};
  doca_mmap* map_ = nullptr;
  doca_comch_consumer* consumer_ = nullptr;
};

struct ComchWaitingTest : ControlTest, testing::WithParamInterface<Waiting> {
  ComchWaitingTest() {
    EXPECT_EQ(doca_pe_create(&of_client), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_create(&of_consumer), DOCA_SUCCESS);
  }
  ~ComchWaitingTest() override {
    EXPECT_EQ(doca_pe_destroy(of_consumer), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_destroy(of_client), DOCA_SUCCESS);
  }
  bool reach(doca_ctx* ctx, doca_ctx_states wanted) {
    return until({pe, of_client, of_consumer}, [&] { return state_of(ctx) == wanted; }, GetParam());
  }
  void start_and_stop(ServerParty& server, ConsumerParty& consumer);

  doca_pe* of_client = nullptr;
  doca_pe* of_consumer = nullptr;
};

void ComchWaitingTest::start_and_stop(ServerParty& server, ConsumerParty& consumer) {
  const auto told = [&](std::size_t consumers) {
    return until(
        {pe, of_client, of_consumer}, [&] { return server.consumers.size() == consumers; },
        GetParam());
  };
  ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_EQ(state_of(consumer.ctx()), DOCA_CTX_STATE_STARTING);
  ASSERT_TRUE(reach(consumer.ctx(), DOCA_CTX_STATE_RUNNING));
  ASSERT_TRUE(told(1));
  const doca_error_t stopped = doca_ctx_stop(consumer.ctx());
  ASSERT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(reach(consumer.ctx(), DOCA_CTX_STATE_IDLE));
  ASSERT_TRUE(told(0));
}

TEST_P(ComchWaitingTest, NoStartOfAConsumerIsLost) {
  ServerParty server(pe);
  ClientParty client(of_client);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_RUNNING));
  for (doca_pe* const engine : {of_client, of_consumer}) {
    ConsumerParty consumer(engine, client.device, client.connection());
    for (int run = 0; run < 25; ++run) {
      ASSERT_NO_FATAL_FAILURE(start_and_stop(server, consumer)) << "run " << run;
    }
  }
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_IDLE));
}

TEST_P(ComchWaitingTest, NoStartOfAClientIsLost) {
  ServerParty server(pe);
  ClientParty client(of_client);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  for (int run = 0; run < 25; ++run) {
    ASSERT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_RUNNING)) << "run " << run;
    ASSERT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_IDLE)) << "run " << run;
  }
}

TEST_P(ComchWaitingTest, AServerIsNotStoppedUnderAConsumer) {
  ServerParty server(pe);
  ClientParty client(of_client);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_RUNNING));
  ASSERT_TRUE(until({pe, of_client}, [&] { return server.connections.size() == 1; }, GetParam()));
  doca_comch_connection* const connection = server.connections.front();
  {
    ConsumerParty consumer(of_consumer, server.device, connection);
    ASSERT_EQ(doca_ctx_start(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(reach(consumer.ctx(), DOCA_CTX_STATE_RUNNING));
    EXPECT_EQ(server.stop(), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_ERROR_IN_USE);
    std::ignore = doca_ctx_stop(consumer.ctx());
    ASSERT_TRUE(reach(consumer.ctx(), DOCA_CTX_STATE_IDLE));
  }
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_SUCCESS);
  EXPECT_TRUE(reach(client.ctx(), DOCA_CTX_STATE_IDLE));
}

INSTANTIATE_TEST_SUITE_P(Waiting, ComchWaitingTest,
                         testing::Values(Waiting::kPolling, Waiting::kEpoll, Waiting::kEpollAll),
                         [](const auto& waiting) { return name(waiting.param); });

}  // namespace
}  // namespace comch::test
