// What is brought together and does not belong together: a representor of another device, the same
// engine twice, and bytes for which there is no room by one.
#include <doca_cc.h>

#include "doca/bad_input/rows.h"
#include "doca/endpoints.h"
#include "doca/fast_parties.h"
#include "doca/msgq_program.h"
#include "support/described_devices.h"

namespace comch::test {
namespace {

TEST(PartnersTest, ARepresentorIsOfTheServersDevice) {
  const RuntimeDirectory directory;
  const DescribedDevices file(kTwoDpus);
  const OpenDevice first(kDpuPci);
  const OpenDevice second("04:00.0");
  const OpenRepresentor of_second(second, "b2:00.0");
  doca_comch_server* server = nullptr;
  doca_cc_server* older_server = nullptr;
  EXPECT_EQ(doca_comch_server_create(first, of_second, "s", &server), kNo);
  EXPECT_EQ(doca_cc_server_create(first, of_second, "s", &older_server), kNo);
  EXPECT_EQ(server, nullptr);
  EXPECT_EQ(older_server, nullptr);
  Endpoint service(first, of_second);
  EXPECT_EQ(doca_comm_channel_ep_listen(service, "s"), kNo);
  EXPECT_EQ(doca_comm_channel_ep_set_device(service, second), kYes);
  EXPECT_EQ(doca_comm_channel_ep_listen(service, "s"), kYes);
}

// Of each kind of context; of those that run as well.
struct EnginesTest : FastTest {
  void expect_tied(doca_ctx* ctx) {
    EXPECT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_ERROR_NOT_PERMITTED) << "the same";
    EXPECT_EQ(doca_pe_connect_ctx(other, ctx), DOCA_ERROR_NOT_PERMITTED) << "another";
  }
  EnginesTest() { EXPECT_EQ(doca_pe_create(&other), kYes); }
  ~EnginesTest() override { EXPECT_EQ(doca_pe_destroy(other), kYes) << "nothing is tied to it"; }
  doca_pe* other = nullptr;
};

TEST_F(EnginesTest, AContextIsTiedOnce) {
  const Memory memory(server.device);
  ConsumerParty consumer(pe, server_side(), memory);
  ProducerParty producer(pe, client_side());
  for (doca_ctx* ctx : {server.ctx(), client.ctx(), consumer.ctx(), producer.ctx()}) {
    expect_tied(ctx);
  }
  ServerParty idle_server(pe, {.name = "idle"});
  ClientParty idle_client(pe, {.name = "idle"});
  for (doca_ctx* ctx : {idle_server.ctx(), idle_client.ctx()}) expect_tied(ctx);
}

TEST_F(EnginesTest, EndsOfAMsgqOnTheCpuAreTiedOnce) {
  MsgqProgram program([](std::uint64_t) {}, 4);
  expect_tied(program.consumer().ctx());
  expect_tied(program.producer().ctx());
}

using OneByteOverTest = FastTest;

TEST_F(OneByteOverTest, TheDataAndTheImmediateDataFitOrAreRefusedAndStayTheSenders) {
  Memory memory(server.device);
  ConsumerParty consumer(pe, server_side(), memory);
  ASSERT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 8), kYes);
  ASSERT_TRUE(run(consumer));
  ProducerParty producer(pe, client_side());
  ASSERT_EQ(producer.start(), kYes);
  Memory from(client.device);
  ASSERT_EQ(consumer.post(memory.room(0, 16)), kYes);
  EXPECT_EQ(producer.send(consumer.id(), from.data(std::string(17, 'd'))), kNo);
  EXPECT_EQ(producer.send(consumer.id(), nullptr, std::string(9, 'i')), kNo);
  EXPECT_EQ(producer.send(consumer.id(), from.data(std::string(16, 'd')), std::string(8, 'i')),
            kYes);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  EXPECT_EQ(consumer.received[0].data, std::string(16, 'd'));
  EXPECT_EQ(consumer.received[0].immediate, std::string(8, 'i'));
}

// Half full is room for the other half.
TEST_F(OneByteOverTest, TheRoomIsWhatLiesBehindTheData) {
  Memory memory(server.device);
  ConsumerParty consumer(pe, server_side(), memory);
  ASSERT_TRUE(run(consumer));
  ProducerParty producer(pe, client_side());
  ASSERT_EQ(producer.start(), kYes);
  Memory from(client.device);
  doca_buf* const half = memory.room(0, 16);
  ASSERT_EQ(doca_buf_set_data(half, memory.at(0), 8), kYes);
  ASSERT_EQ(consumer.post(half), kYes);
  EXPECT_EQ(producer.send(consumer.id(), from.data(std::string(9, 'd'))), kNo);
  EXPECT_EQ(producer.send(consumer.id(), from.data(std::string(8, 'd'))), kYes);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
}

TEST(OneByteOverOfAMsgqTest, AMessageHasAtMostThirtyTwoBytes) {
  MsgqProgram program([](std::uint64_t) {}, 4);
  program.run();
  EXPECT_EQ(program.producer().send(1, nullptr, std::string(33, 'i')), kNo);
  EXPECT_EQ(program.producer().send(1, nullptr, std::string(32, 'i')), kYes);
}

using OneByteOverOnTheAcceleratorTest = DpaTest;

TEST_F(OneByteOverOnTheAcceleratorTest, AConsumerMayTakeLess) {
  doca_pe* pe = nullptr;
  doca_comch_msgq* msgq = nullptr;
  doca_comch_consumer* consumer = nullptr;
  doca_comch_consumer_completion* arrivals = nullptr;
  ASSERT_EQ(doca_pe_create(&pe), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_create(&arrivals), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_set_max_num_recv(arrivals, 4), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_start(arrivals), kYes);
  ASSERT_EQ(doca_comch_msgq_create(device, &msgq), kYes);
  ASSERT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, dpa), kYes);
  ASSERT_EQ(doca_comch_msgq_start(msgq), kYes);
  ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), kYes);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(consumer);
  ASSERT_EQ(doca_ctx_set_datapath_on_dpa(ctx, dpa), kYes);
  ASSERT_EQ(doca_comch_consumer_set_completion(consumer, arrivals, 0), kYes);
  ASSERT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer, 4), kYes);
  ASSERT_EQ(doca_comch_consumer_set_imm_data_len(consumer, 24), kYes);
  ASSERT_EQ(doca_ctx_start(ctx), kYes);
  {
    ProducerParty producer(pe, msgq);
    ASSERT_EQ(producer.start(), kYes);
    EXPECT_EQ(producer.send(1, nullptr, std::string(25, 'i')), kNo);
    EXPECT_EQ(producer.send(1, nullptr, std::string(24, 'i')), DOCA_ERROR_AGAIN)
        << "it may be sent, but nothing is posted";
  }
  EXPECT_EQ(doca_ctx_stop(ctx), kYes);
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), kYes);
  EXPECT_EQ(doca_comch_msgq_stop(msgq), kYes);
  EXPECT_EQ(doca_comch_msgq_destroy(msgq), kYes);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(arrivals), kYes);
  EXPECT_EQ(doca_pe_destroy(pe), kYes);
}

}  // namespace
}  // namespace comch::test
