// MsgQs, their ends on the accelerator and completion contexts: settings in every state.
#include <doca_comch_msgq.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "doca/bad_input/setters.h"
#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

// A MsgQ for two ends of a kind, which of them on the accelerator the test says.
struct MsgqStatesTest : DpaTest {
  MsgqStatesTest() {
    EXPECT_EQ(doca_pe_create(&pe), kYes);
    EXPECT_EQ(doca_comch_msgq_create(device, &msgq), kYes);
    EXPECT_EQ(doca_comch_consumer_completion_create(&arrivals), kYes);
    EXPECT_EQ(doca_dpa_completion_create(dpa, 4, &sends), kYes);
  }
  ~MsgqStatesTest() override {
    EXPECT_EQ(doca_comch_msgq_stop(msgq), kYes);
    EXPECT_EQ(doca_comch_msgq_destroy(msgq), kYes);
    EXPECT_EQ(doca_comch_consumer_completion_destroy(arrivals), kYes);
    EXPECT_EQ(doca_dpa_completion_destroy(sends), kYes);
    EXPECT_EQ(doca_pe_destroy(pe), kYes);
  }
  // On an accelerator a context may be told so, and is tied to no engine once it runs.
  std::vector<Setter> context_setters_there(doca_ctx* ctx) const {
    std::vector<Setter> all = context_setters(pe, ctx, dpa);
    for (Setter& setter : all) {
      const std::string function = setter.function;
      if (function == "doca_ctx_set_datapath_on_dpa") setter.open = kYes;
    }
    std::erase_if(all, [](const Setter& setter) {
      return std::string(setter.function) == "doca_pe_connect_ctx";
    });
    return all;
  }
  // Of an end that is idle: its own setters, and those of each context there.
  void try_end_there(doca_ctx* ctx, std::vector<Setter> all) const {
    std::ranges::copy(context_setters_there(ctx), std::back_inserter(all));
    try_setters(all, {open("idle", [] {}),
                      shut("running",
                           [&] {
                             ASSERT_EQ(doca_ctx_start(ctx), kYes);
                             EXPECT_EQ(doca_pe_connect_ctx(pe, ctx), kNotNow);
                           }),
                      open("idle again", [&] { ASSERT_EQ(doca_ctx_stop(ctx), kYes); })});
    EXPECT_EQ(doca_ctx_start(ctx), kYes);
    EXPECT_EQ(doca_ctx_stop(ctx), kYes);
  }
  void start(doca_error_t (*which)(doca_comch_msgq*, doca_dpa*)) const {
    ASSERT_EQ(which(msgq, dpa), kYes);
    ASSERT_EQ(doca_comch_msgq_start(msgq), kYes);
  }

  doca_pe* pe = nullptr;
  doca_comch_msgq* msgq = nullptr;
  doca_comch_consumer_completion* arrivals = nullptr;
  doca_dpa_completion* sends = nullptr;
};

TEST_F(MsgqStatesTest, AMsgqIsConfiguredWhileStopped) {
  const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n == 1 ? 2 : 1); };
  try_setters(
      {{"doca_comch_msgq_set_max_num_consumers",
        [&](auto n) { return doca_comch_msgq_set_max_num_consumers(msgq, number(n)); }},
       {"doca_comch_msgq_set_max_num_producers",
        [&](auto n) { return doca_comch_msgq_set_max_num_producers(msgq, number(n)); }},
       {"doca_comch_msgq_set_dpa_producer",
        [&](auto) { return doca_comch_msgq_set_dpa_producer(msgq, dpa); }},
       {"doca_comch_msgq_set_dpa_consumer",
        [&](auto) { return doca_comch_msgq_set_dpa_consumer(msgq, dpa); }}},
      {open("made", [] {}), shut("started", [&] { ASSERT_EQ(doca_comch_msgq_start(msgq), kYes); }),
       open("stopped", [&] { ASSERT_EQ(doca_comch_msgq_stop(msgq), kYes); })});
  ASSERT_EQ(doca_comch_msgq_start(msgq), kYes);
  std::array<doca_comch_consumer*, 2> consumers{};
  std::array<doca_comch_producer*, 2> producers{};
  for (auto& consumer : consumers) {
    ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), kYes);
    EXPECT_EQ(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(consumer), dpa), kYes);
    EXPECT_EQ(doca_comch_consumer_destroy(consumer), kYes);
  }
  for (auto& producer : producers) {
    ASSERT_EQ(doca_comch_msgq_producer_create(msgq, &producer), kYes);
  }
  doca_comch_producer* third = nullptr;
  EXPECT_EQ(doca_comch_msgq_producer_create(msgq, &third), DOCA_ERROR_FULL);
  for (auto* producer : producers) EXPECT_EQ(doca_comch_producer_destroy(producer), kYes);
}

TEST_F(MsgqStatesTest, ACompletionContextIsConfiguredWhileStopped) {
  const DeviceThread thread(dpa, [] {});
  const DeviceThread other(dpa, [] {});
  try_setters(
      {sized("doca_comch_consumer_completion_set_max_num_consumers", arrivals,
             doca_comch_consumer_completion_set_max_num_consumers,
             doca_comch_consumer_completion_get_max_num_consumers, 1U),
       sized("doca_comch_consumer_completion_set_max_num_recv", arrivals,
             doca_comch_consumer_completion_set_max_num_recv,
             doca_comch_consumer_completion_get_max_num_recv, 4U),
       sized("doca_comch_consumer_completion_set_imm_data_len", arrivals,
             doca_comch_consumer_completion_set_imm_data_len,
             doca_comch_consumer_completion_get_imm_data_len, 8U),
       {"doca_comch_consumer_completion_set_dpa_thread",
        [&](auto n) {
          return doca_comch_consumer_completion_set_dpa_thread(arrivals, n == 1 ? thread : other);
        }}},
      {open("made", [] {}),
       shut("started", [&] { ASSERT_EQ(doca_comch_consumer_completion_start(arrivals), kYes); }),
       open("stopped", [&] { ASSERT_EQ(doca_comch_consumer_completion_stop(arrivals), kYes); })});
  EXPECT_EQ(doca_dpa_thread_run(other), kNotNow) << "nothing is attached to it";
  ASSERT_EQ(doca_comch_consumer_completion_start(arrivals), kYes);
  EXPECT_EQ(doca_dpa_thread_run(thread), kYes);
  EXPECT_EQ(doca_comch_consumer_completion_stop(arrivals), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_destroy(arrivals), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_create(&arrivals), kYes);
  start(doca_comch_msgq_set_dpa_consumer);
}

TEST_F(MsgqStatesTest, AConsumerOnTheAcceleratorIsConfiguredWhileIdle) {
  start(doca_comch_msgq_set_dpa_consumer);
  ASSERT_EQ(doca_comch_consumer_completion_set_max_num_recv(arrivals, 4), kYes);
  ASSERT_EQ(doca_comch_consumer_completion_start(arrivals), kYes);
  doca_comch_consumer* consumer = nullptr;
  ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), kYes);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(consumer);
  std::vector<Setter> own{
      sized("doca_comch_consumer_set_imm_data_len", consumer, doca_comch_consumer_set_imm_data_len,
            doca_comch_consumer_get_imm_data_len, 8U),
      {"doca_comch_consumer_set_dev_max_num_recv",
       [&](auto) { return doca_comch_consumer_set_dev_max_num_recv(consumer, 4); }},
      {"doca_comch_consumer_set_completion",
       [&](auto) { return doca_comch_consumer_set_completion(consumer, arrivals, 0); }}};
  try_end_there(ctx, std::move(own));
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), kYes);
}

TEST_F(MsgqStatesTest, AProducerOnTheAcceleratorIsConfiguredWhileIdle) {
  start(doca_comch_msgq_set_dpa_producer);
  ASSERT_EQ(doca_dpa_completion_start(sends), kYes);
  doca_comch_producer* producer = nullptr;
  ASSERT_EQ(doca_comch_msgq_producer_create(msgq, &producer), kYes);
  doca_ctx* const ctx = doca_comch_producer_as_ctx(producer);
  std::vector<Setter> own{
      {"doca_comch_producer_set_dev_max_num_send",
       [&](auto) { return doca_comch_producer_set_dev_max_num_send(producer, 4); }},
      {"doca_comch_producer_dpa_completion_attach",
       [&](auto) { return doca_comch_producer_dpa_completion_attach(producer, sends); }}};
  try_end_there(ctx, std::move(own));
  EXPECT_EQ(doca_comch_producer_destroy(producer), kYes);
}

}  // namespace
}  // namespace comch::test
