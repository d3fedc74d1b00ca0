// Tasks of the fast path, under all their names, and the words of tasks and connections: what may
// be changed while a task is under way, which is nothing but its word.
#include "doca/bad_input/setters.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

// Of two things an object may have, which one it has: 1, 2, or 0 for another.
template <class Thing>
std::uint64_t which(const Thing* has, const Thing* first, const Thing* second) {
  if (has == first) return 1;
  return has == second ? 2 : 0;
}

Setter word_setter(doca_task* task) {
  return {"doca_task_set_user_data",
          [=](auto n) {
            doca_task_set_user_data(task, {.u64 = n});
            return kYes;
          },
          [=] { return doca_task_get_user_data(task).u64; }, kYes};
}

struct TaskStatesTest : FastTest {
  TaskStatesTest() { EXPECT_TRUE(run(consumer)); }

  Memory from{client.device, 4096};
  Memory into{server.device, 4096};
  ConsumerParty consumer{pe, server_side(), into};
  ProducerParty producer{pe, client_side()};
  bool is_received = false;
};

TEST_F(TaskStatesTest, APostedBufferStaysUntilItIsFilled) {
  using Post = doca_comch_consumer_task_post_recv;
  doca_buf* const first = into.room(0, 64);
  doca_buf* const second = into.room(64, 64);
  Post* task = nullptr;
  ASSERT_EQ(doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, first, &task), kYes);
  consumer.then_received = [&](auto*) { is_received = true; };
  const auto has = [&] {
    return which(doca_comch_consumer_task_post_recv_get_buf(task), first, second);
  };
  const auto buffer = [&](std::uint64_t n) { return n == 1 ? first : second; };
  const auto post = [&] { ASSERT_EQ(doca_task_submit(task_of(task)), kYes); };
  const auto fill = [&] {
    ASSERT_EQ(producer.start(), kYes);
    ASSERT_EQ(producer.send(consumer.id(), from.data("text")), kYes);
    ASSERT_TRUE(run_until([&] { return is_received; }));
  };
  try_setters(
      {silent(
           "doca_comch_consumer_task_post_recv_set_buf",
           [&](auto n) { doca_comch_consumer_task_post_recv_set_buf(task, buffer(n)); }, has),
       silent(
           "doca_cc_consumer_task_post_recv_set_buf",
           [&](auto n) {
             doca_cc_consumer_task_post_recv_set_buf(older<doca_cc_consumer_task_post_recv>(task),
                                                     buffer(n));
           },
           has),
       silent(
           "doca_cc_consumer_post_recv_task_set_buf",
           [&](auto n) {
             doca_cc_consumer_post_recv_task_set_buf(older<doca_cc_consumer_post_recv_task>(task),
                                                     buffer(n));
           },
           has),
       word_setter(task_of(task))},
      {open("allocated", [] {}), shut("posted", post), open("filled", fill)});
  EXPECT_EQ(consumer.received.at(0).data, "text");
  doca_task_free(task_of(task));
}

TEST_F(TaskStatesTest, AMessageStaysUntilItIsSent) {
  using Send = doca_comch_producer_task_send;
  static bool is_sent = false;
  is_sent = false;
  const auto keep = [](Send*, doca_data, doca_data) { is_sent = true; };
  ASSERT_EQ(doca_comch_producer_task_send_set_conf(producer.producer, keep, keep, 1), kYes);
  ASSERT_EQ(producer.start(), kYes);
  ASSERT_EQ(consumer.post(into.room(0, 64)), kYes);
  doca_buf* const first = from.data("first", 0);
  doca_buf* const second = from.data("second", 64);
  std::array<std::uint8_t, 2> immediate{};
  Send* task = nullptr;
  ASSERT_EQ(
      doca_comch_producer_task_send_alloc_init(producer.producer, nullptr, nullptr, 0, 0, &task),
      kYes);
  const auto buffer = [&](std::uint64_t n) { return n == 1 ? first : second; };
  const auto has = [&] {
    return which<doca_buf>(doca_comch_producer_task_send_get_buf(task), first, second);
  };
  // The last that is set before the submission is the one there is.
  const auto consumer_of = [&](std::uint64_t n) {
    return n == 1 ? consumer.id() : consumer.id() + 1;
  };
  const auto to = [&] {
    const std::uint32_t id = doca_comch_producer_task_send_get_consumer_id(task);
    if (id == consumer_of(1)) return std::uint64_t{1};
    return std::uint64_t{id == consumer_of(2) ? 2U : 0U};
  };
  const auto length = [&] {
    return std::uint64_t{doca_comch_producer_task_send_get_imm_data_len(task)};
  };
  auto* const named_before = older<doca_cc_producer_task_send>(task);
  auto* const named_first = older<doca_cc_producer_send_task>(task);
  const auto submit = [&] { ASSERT_EQ(doca_task_submit(task_of(task)), kYes); };
  const auto arrive = [&] {
    ASSERT_TRUE(run_until([&] { return is_sent && !consumer.received.empty(); }));
  };
  try_setters(
      {silent(
           "doca_comch_producer_task_send_set_buf",
           [&](auto n) { doca_comch_producer_task_send_set_buf(task, buffer(n)); }, has),
       silent(
           "doca_cc_producer_task_send_set_buf",
           [&](auto n) { doca_cc_producer_task_send_set_buf(named_before, buffer(n)); }, has),
       silent(
           "doca_cc_producer_send_task_set_buf",
           [&](auto n) { doca_cc_producer_send_task_set_buf(named_first, buffer(n)); }, has),
       silent(
           "doca_comch_producer_task_send_set_consumer_id",
           [&](auto n) { doca_comch_producer_task_send_set_consumer_id(task, consumer_of(n)); },
           to),
       silent(
           "doca_cc_producer_task_send_set_consumer_id",
           [&](auto n) {
             doca_cc_producer_task_send_set_consumer_id(named_before, consumer_of(n));
           },
           to),
       silent(
           "doca_cc_producer_send_task_set_consumer_id",
           [&](auto n) { doca_cc_producer_send_task_set_consumer_id(named_first, consumer_of(n)); },
           to),
       silent(
           "doca_comch_producer_task_send_set_imm_data",
           [&](auto n) {
             doca_comch_producer_task_send_set_imm_data(task, immediate.data(),
                                                        static_cast<std::uint32_t>(n));
           },
           length),
       word_setter(task_of(task))},
      {open("allocated", [] {}), shut("submitted", submit), open("sent", arrive)});
  EXPECT_EQ(consumer.received.at(0).data, "first");
  EXPECT_EQ(consumer.received.at(0).immediate.size(), 1U);
  doca_task_free(task_of(task));
}

// What a program keeps with a connection is not lost with it, and does not become the next one's.
TEST_F(TaskStatesTest, AConnectionKeepsItsWord) {
  doca_comch_connection* connection = server_side();
  const auto word = [&] { return doca_comch_connection_get_user_data(connection).u64; };
  const auto end = [&] {
    ASSERT_EQ(doca_ctx_stop(consumer.ctx()), kYes);
    ASSERT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(client.run_until_idle());
    ASSERT_TRUE(run_until([&] { return server.connections.empty(); }));
  };
  const auto begin_again = [&] {
    ASSERT_TRUE(client.connect());
    ASSERT_TRUE(run_until([&] { return !server.connections.empty(); }));
    connection = server_side();
    EXPECT_EQ(word(), 0U);
  };
  try_setters({{"doca_comch_connection_set_user_data",
                [&](auto n) { return doca_comch_connection_set_user_data(connection, {.u64 = n}); },
                word, kYes},
               {"doca_cc_connection_set_user_data",
                [&](auto n) {
                  return doca_cc_connection_set_user_data(older<doca_cc_connection>(connection),
                                                          {.u64 = n});
                },
                word, kYes}},
              {open("connected", [] {}), shut("over", end), open("another", begin_again)});
}

}  // namespace
}  // namespace comch::test
