// A program of the doca_cc generations: a server and a client that talk, and a consumer and a
// producer of their connection. Compiled once for 2.6 and, with DOCA_CC_API_2_5, once for 2.5, in
// whose names and callbacks it is then written.
//
//   Conversation talk(pe);
//   talk.begin();                                    both run
//   talk.say_from_client("hello");                   what is received is in server_heard
//
// Threads: the engine's. Lifetime: stopped and destroyed by its destructor.
#pragma once

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "doca/control_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {

#ifdef DOCA_CC_API_2_5
inline namespace of_2_5 {
using Length = std::size_t;
using Flag = bool;
using SendTask = doca_cc_send_task;
using PostTask = doca_cc_consumer_post_recv_task;
using ProducerTask = doca_cc_producer_send_task;
inline constexpr auto kServerConf = doca_cc_server_send_task_set_conf;
inline constexpr auto kClientConf = doca_cc_client_send_task_set_conf;
inline constexpr auto kServerAllocate = doca_cc_server_send_task_alloc_init;
inline constexpr auto kClientAllocate = doca_cc_client_send_task_alloc_init;
inline constexpr auto kSendAsTask = doca_cc_send_task_as_task;
inline constexpr auto kConsumerConf = doca_cc_consumer_post_recv_task_set_conf;
inline constexpr auto kPost = doca_cc_consumer_post_recv_task_alloc_init;
inline constexpr auto kPostAsTask = doca_cc_consumer_post_recv_task_as_task;
inline constexpr auto kPostBuffer = doca_cc_consumer_post_recv_task_get_buf;
inline constexpr auto kPostSetBuffer = doca_cc_consumer_post_recv_task_set_buf;
inline constexpr auto kPostProducer = doca_cc_consumer_post_recv_task_get_producer_id;
inline constexpr auto kProducerConf = doca_cc_producer_send_task_set_conf;
inline constexpr auto kProduce = doca_cc_producer_send_task_alloc_init;
inline constexpr auto kProduceAsTask = doca_cc_producer_send_task_as_task;
inline constexpr auto kProduceBuffer = doca_cc_producer_send_task_get_buf;
inline constexpr auto kProduceSetBuffer = doca_cc_producer_send_task_set_buf;
inline constexpr auto kProduceConsumer = doca_cc_producer_send_task_get_consumer_id;
inline constexpr auto kProduceSetConsumer = doca_cc_producer_send_task_set_consumer_id;
inline constexpr std::uint32_t kFastTasks = 3;  // A logarithm: 8.
#else
inline namespace of_2_6 {
using Length = std::uint32_t;
using Flag = std::uint8_t;
using SendTask = doca_cc_task_send;
using PostTask = doca_cc_consumer_task_post_recv;
using ProducerTask = doca_cc_producer_task_send;
inline constexpr auto kServerConf = doca_cc_server_task_send_set_conf;
inline constexpr auto kClientConf = doca_cc_client_task_send_set_conf;
inline constexpr auto kServerAllocate = doca_cc_server_task_send_alloc_init;
inline constexpr auto kClientAllocate = doca_cc_client_task_send_alloc_init;
inline constexpr auto kSendAsTask = doca_cc_task_send_as_task;
inline constexpr auto kConsumerConf = doca_cc_consumer_task_post_recv_set_conf;
inline constexpr auto kPost = doca_cc_consumer_task_post_recv_alloc_init;
inline constexpr auto kPostAsTask = doca_cc_consumer_task_post_recv_as_task;
inline constexpr auto kPostBuffer = doca_cc_consumer_task_post_recv_get_buf;
inline constexpr auto kPostSetBuffer = doca_cc_consumer_task_post_recv_set_buf;
inline constexpr auto kPostProducer = doca_cc_consumer_task_post_recv_get_producer_id;
inline constexpr auto kProducerConf = doca_cc_producer_task_send_set_conf;
inline constexpr auto kProduce = doca_cc_producer_task_send_alloc_init;
inline constexpr auto kProduceAsTask = doca_cc_producer_task_send_as_task;
inline constexpr auto kProduceBuffer = doca_cc_producer_task_send_get_buf;
inline constexpr auto kProduceSetBuffer = doca_cc_producer_task_send_set_buf;
inline constexpr auto kProduceConsumer = doca_cc_producer_task_send_get_consumer_id;
inline constexpr auto kProduceSetConsumer = doca_cc_producer_task_send_set_consumer_id;
inline constexpr std::uint32_t kFastTasks = 8;
#endif

static_assert(
    std::is_same_v<doca_cc_event_msg_recv_cb_t,
                   void (*)(doca_cc_event_msg_recv*, std::uint8_t*, Length, doca_cc_connection*)>);
static_assert(
    std::is_same_v<doca_cc_event_connection_status_changed_cb_t,
                   void (*)(doca_cc_event_connection_status_changed*, doca_cc_connection*, Flag)>);

class Conversation {
 public:
  explicit Conversation(doca_pe* engine) : pe(engine) {
    EXPECT_EQ(doca_cc_server_create(dpu, function, "echo", &server), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_client_create(host, "echo", &client), DOCA_SUCCESS);
    EXPECT_EQ(kServerConf(server, on_sent, on_failed, 8), DOCA_SUCCESS);
    EXPECT_EQ(kClientConf(client, on_sent, on_failed, 8), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_server_event_msg_recv_register(server, on_server_message), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_client_event_msg_recv_register(client, on_client_message), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_server_event_connection_register(server, on_connected, on_disconnected),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_server_event_consumer_register(server, on_consumer, on_consumer_gone),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_client_event_consumer_register(client, on_consumer, on_consumer_gone),
              DOCA_SUCCESS);
    for (doca_ctx* ctx : {server_ctx(), client_ctx()}) {
      EXPECT_EQ(doca_ctx_set_user_data(ctx, {.ptr = this}), DOCA_SUCCESS);
      EXPECT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
    }
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation() {
    stop(client_ctx());
    stop(server_ctx());
    EXPECT_EQ(doca_cc_client_destroy(client), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_server_destroy(server), DOCA_SUCCESS);
  }

  doca_ctx* server_ctx() const { return doca_cc_server_as_ctx(server); }
  doca_ctx* client_ctx() const { return doca_cc_client_as_ctx(client); }

  void begin() {
    ASSERT_EQ(doca_ctx_start(server_ctx()), DOCA_SUCCESS);
    ASSERT_EQ(doca_ctx_start(client_ctx()), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(until(pe, [&] { return state_of(client_ctx()) == DOCA_CTX_STATE_RUNNING; }));
    ASSERT_TRUE(until(pe, [&] { return at_server != nullptr; }));
    ASSERT_EQ(doca_cc_client_get_connection(client, &at_client), DOCA_SUCCESS);
  }

  void stop(doca_ctx* ctx) const {
    if (state_of(ctx) == DOCA_CTX_STATE_IDLE) return;
    const doca_error_t stopped = doca_ctx_stop(ctx);
    EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(until(pe, [&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }));
  }

  void say_from_client(const std::string& text) {
    SendTask* task = nullptr;
    ASSERT_EQ(kClientAllocate(client, at_client, text.data(),
                              static_cast<std::uint32_t>(text.size()), &task),
              DOCA_SUCCESS);
    ASSERT_EQ(doca_task_submit(kSendAsTask(task)), DOCA_SUCCESS);
  }
  void say_from_server(const std::string& text) {
    SendTask* task = nullptr;
    ASSERT_EQ(kServerAllocate(server, at_server, text.data(),
                              static_cast<std::uint32_t>(text.size()), &task),
              DOCA_SUCCESS);
    ASSERT_EQ(doca_task_submit(kSendAsTask(task)), DOCA_SUCCESS);
  }

  doca_pe* const pe;
  OpenDevice dpu{kDpuPci};
  OpenDevice host{kHostPci};
  OpenRepresentor function{dpu, kHostPci};
  doca_cc_server* server = nullptr;
  doca_cc_client* client = nullptr;
  doca_cc_connection* at_server = nullptr;
  doca_cc_connection* at_client = nullptr;
  std::vector<std::string> server_heard;
  std::vector<std::string> client_heard;
  std::vector<std::uint32_t> consumers;  // Of the other side, that are there.
  int sent = 0;
  int endings = 0;

 private:
  static Conversation& of(doca_ctx* ctx) {
    doca_data data{};
    EXPECT_EQ(doca_ctx_get_user_data(ctx, &data), DOCA_SUCCESS);
    return *static_cast<Conversation*>(data.ptr);
  }
  static Conversation& of(const doca_cc_connection* connection) {
    doca_cc_server* const at = doca_cc_server_get_server_ctx(connection);
    if (at != nullptr) return of(doca_cc_server_as_ctx(at));
    return of(doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(connection)));
  }
  static std::string text_of(const std::uint8_t* bytes, Length length) {
    return {reinterpret_cast<const char*>(bytes), length};
  }

  static void on_sent(SendTask* task, doca_data, doca_data word) {
    ++static_cast<Conversation*>(word.ptr)->sent;
    doca_task_free(kSendAsTask(task));
  }
  static void on_failed(SendTask* task, doca_data, doca_data) {
    ADD_FAILURE() << doca_task_get_status(kSendAsTask(task));
    doca_task_free(kSendAsTask(task));
  }
  static void on_server_message(doca_cc_event_msg_recv*, std::uint8_t* bytes, Length length,
                                doca_cc_connection* from) {
    of(from).server_heard.push_back(text_of(bytes, length));
  }
  static void on_client_message(doca_cc_event_msg_recv*, std::uint8_t* bytes, Length length,
                                doca_cc_connection* from) {
    of(from).client_heard.push_back(text_of(bytes, length));
  }
  static void on_connected(doca_cc_event_connection_status_changed*, doca_cc_connection* connection,
                           Flag successful) {
    EXPECT_EQ(successful, Flag{1});
    of(connection).at_server = connection;
  }
  static void on_disconnected(doca_cc_event_connection_status_changed*,
                              doca_cc_connection* connection, Flag successful) {
    EXPECT_EQ(successful, Flag{1});
    ++of(connection).endings;
  }
  static void on_consumer(doca_cc_event_consumer*, doca_cc_connection* connection,
                          std::uint32_t id) {
    of(connection).consumers.push_back(id);
  }
  static void on_consumer_gone(doca_cc_event_consumer*, doca_cc_connection* connection,
                               std::uint32_t id) {
    std::erase(of(connection).consumers, id);
  }
};

// A consumer of the server's side and a producer of the client's, and what came of them.
class FastEnds {
 public:
  explicit FastEnds(Conversation& conversation)
      : pe(conversation.pe),
        from(conversation.host, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE),
        into(conversation.dpu, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE) {
    EXPECT_EQ(doca_cc_consumer_create(conversation.at_server, into.map(), &consumer), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_producer_create(conversation.at_client, &producer), DOCA_SUCCESS);
    EXPECT_EQ(kConsumerConf(consumer, on_received, on_received, kFastTasks), DOCA_SUCCESS);
    EXPECT_EQ(kProducerConf(producer, on_sent, on_sent, kFastTasks), DOCA_SUCCESS);
    for (doca_ctx* ctx : {consumer_ctx(), producer_ctx()}) {
      EXPECT_EQ(doca_ctx_set_user_data(ctx, {.ptr = this}), DOCA_SUCCESS);
      EXPECT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
    }
  }
  FastEnds(const FastEnds&) = delete;
  FastEnds& operator=(const FastEnds&) = delete;
  ~FastEnds() {
    for (doca_ctx* ctx : {producer_ctx(), consumer_ctx()}) {
      if (state_of(ctx) != DOCA_CTX_STATE_IDLE) doca_ctx_stop(ctx);
      EXPECT_TRUE(until(pe, [&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }));
    }
    EXPECT_EQ(doca_cc_producer_destroy(producer), DOCA_SUCCESS);
    EXPECT_EQ(doca_cc_consumer_destroy(consumer), DOCA_SUCCESS);
  }

  doca_ctx* consumer_ctx() const { return doca_cc_consumer_as_ctx(consumer); }
  doca_ctx* producer_ctx() const { return doca_cc_producer_as_ctx(producer); }

  void begin() {
    ASSERT_EQ(doca_ctx_start(producer_ctx()), DOCA_SUCCESS);
    ASSERT_EQ(doca_ctx_start(consumer_ctx()), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(until(pe, [&] { return state_of(consumer_ctx()) == DOCA_CTX_STATE_RUNNING; }));
  }

  doca_pe* const pe;
  Memory from;
  Memory into;
  doca_cc_consumer* consumer = nullptr;
  doca_cc_producer* producer = nullptr;
  std::vector<std::string> received;
  std::vector<std::uint32_t> producers;  // Who sent each.
  int sent = 0;

 private:
  static void on_received(PostTask* task, doca_data, doca_data word) {
    FastEnds& ends = *static_cast<FastEnds*>(word.ptr);
    if (doca_task_get_status(kPostAsTask(task)) == DOCA_SUCCESS) {
      ends.received.push_back(text_of(kPostBuffer(task)));
      ends.producers.push_back(kPostProducer(task));
    }
    doca_task_free(kPostAsTask(task));
  }
  static void on_sent(ProducerTask* task, doca_data, doca_data word) {
    EXPECT_EQ(doca_task_get_status(kProduceAsTask(task)), DOCA_SUCCESS);
    ++static_cast<FastEnds*>(word.ptr)->sent;
    doca_task_free(kProduceAsTask(task));
  }
};

// Both sides talk, then send one message through the fast path.
inline void talk_and_send(doca_pe* pe) {
  Conversation talk(pe);
  talk.begin();
  talk.say_from_client("hello");
  ASSERT_TRUE(until(pe, [&] { return talk.server_heard.size() == 1 && talk.sent == 1; }));
  EXPECT_EQ(talk.server_heard[0], "hello");
  talk.say_from_server("and you");
  ASSERT_TRUE(until(pe, [&] { return talk.client_heard.size() == 1 && talk.sent == 2; }));
  EXPECT_EQ(talk.client_heard[0], "and you");
  {
    FastEnds ends(talk);
    ends.begin();
    ASSERT_TRUE(until(pe, [&] { return talk.consumers.size() == 1; }));
    PostTask* post = nullptr;
    ASSERT_EQ(kPost(ends.consumer, nullptr, &post), DOCA_SUCCESS);
    doca_buf* const room = ends.into.room(0, 64);
    kPostSetBuffer(post, room);
    EXPECT_EQ(kPostBuffer(post), room);
    ASSERT_EQ(doca_task_submit(kPostAsTask(post)), DOCA_SUCCESS);
    ProducerTask* message = nullptr;
    doca_buf* const data = ends.from.data("by the fast path");
    ASSERT_EQ(kProduce(ends.producer, nullptr, 0, &message), DOCA_SUCCESS);
    kProduceSetBuffer(message, data);
    EXPECT_EQ(kProduceBuffer(message), data);
    kProduceSetConsumer(message, talk.consumers[0]);
    EXPECT_EQ(kProduceConsumer(message), talk.consumers[0]);
    ASSERT_TRUE(
        until(pe, [&] { return doca_task_submit(kProduceAsTask(message)) == DOCA_SUCCESS; }));
    ASSERT_TRUE(until(pe, [&] { return ends.received.size() == 1 && ends.sent == 1; }));
    EXPECT_EQ(ends.received[0], "by the fast path");
    std::uint32_t id = 0;
    EXPECT_EQ(doca_cc_producer_get_id(ends.producer, &id), DOCA_SUCCESS);
    EXPECT_EQ(ends.producers[0], id);
    EXPECT_EQ(doca_cc_consumer_get_id(ends.consumer, &id), DOCA_SUCCESS);
    EXPECT_EQ(talk.consumers[0], id);
  }
  EXPECT_TRUE(until(pe, [&] { return talk.consumers.empty(); }));
  talk.stop(talk.client_ctx());
  EXPECT_TRUE(until(pe, [&] { return talk.endings == 1; }));
}

}  // inline namespace
}  // namespace comch::test
