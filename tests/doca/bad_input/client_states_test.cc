// Clients, of doca_comch and under their older name: settings in every state.
#include <optional>

#include "doca/bad_input/control_states.h"

namespace comch::test {
namespace {

using Connection = doca_comch_connection;

struct ClientStatesTest : ControlStatesTest {
  ClientStatesTest() {
    EXPECT_EQ(doca_comch_client_create(device, "echo", &client), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_SUCCESS);
  }
  ~ClientStatesTest() override {
    doca_ctx_stop(ctx());
    run_to(ctx(), DOCA_CTX_STATE_IDLE);
    EXPECT_EQ(doca_comch_client_destroy(client), DOCA_SUCCESS);
  }
  doca_ctx* ctx() const { return doca_comch_client_as_ctx(client); }

  void start() {
    std::uint32_t size = 0;
    EXPECT_EQ(doca_comch_client_get_max_msg_size(client, &size), DOCA_SUCCESS);
    server.reset();
    server.emplace(pe, PartySettings{.max_message = size});
    ASSERT_EQ(server->start(), DOCA_SUCCESS);
    ASSERT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_IN_PROGRESS);
    ASSERT_EQ(state_of(ctx()), DOCA_CTX_STATE_STARTING);
  }
  void run() const {
    run_to(ctx(), DOCA_CTX_STATE_RUNNING);
    ASSERT_TRUE(until(pe, [&] { return !server->connections.empty(); }));
  }
  doca_comch_task_send* task() const {
    Connection* connection = nullptr;
    doca_comch_task_send* made = nullptr;
    doca_comch_client_get_connection(client, &connection);
    doca_comch_client_task_send_alloc_init(client, connection, "said", 4, &made);
    return made;
  }
  std::vector<Setter> setters() const;
  std::vector<Setter> older_setters() const;

  OpenDevice device{kHostPci};
  doca_comch_client* client = nullptr;
  std::optional<ServerParty> server;
};

std::vector<Setter> ClientStatesTest::setters() const {
  return {
      sized("doca_comch_client_set_max_msg_size", client, doca_comch_client_set_max_msg_size,
            doca_comch_client_get_max_msg_size, kMessageUnit),
      sized("doca_comch_client_set_recv_queue_size", client, doca_comch_client_set_recv_queue_size,
            doca_comch_client_get_recv_queue_size, kQueueUnit),
      task_setter<doca_comch_task_send>("doca_comch_client_task_send_set_conf", client,
                                        doca_comch_client_task_send_set_conf),
      callback_setter("doca_comch_client_event_msg_recv_register", client,
                      doca_comch_client_event_msg_recv_register,
                      on_message<doca_comch_event_msg_recv, Connection>),
      callback_setter("doca_comch_client_event_consumer_register", client,
                      doca_comch_client_event_consumer_register,
                      on_consumer<doca_comch_event_consumer, Connection>)};
}

std::vector<Setter> ClientStatesTest::older_setters() const {
  auto* const named_before = older<doca_cc_client>(client);
  return {sized("doca_cc_client_set_max_msg_size", named_before, doca_cc_client_set_max_msg_size,
                doca_cc_client_get_max_msg_size, kMessageUnit),
          sized("doca_cc_client_set_recv_queue_size", named_before,
                doca_cc_client_set_recv_queue_size, doca_cc_client_get_recv_queue_size, kQueueUnit),
          task_setter<doca_cc_task_send>("doca_cc_client_task_send_set_conf", named_before,
                                         doca_cc_client_task_send_set_conf),
          task_setter<doca_cc_send_task>("doca_cc_client_send_task_set_conf", named_before,
                                         doca_cc_client_send_task_set_conf),
          callback_setter("doca_cc_client_event_msg_recv_register", named_before,
                          doca_cc_client_event_msg_recv_register,
                          on_message<doca_cc_event_msg_recv, doca_cc_connection>),
          callback_setter("doca_cc_client_event_consumer_register", named_before,
                          doca_cc_client_event_consumer_register,
                          on_consumer<doca_cc_event_consumer, doca_cc_connection>)};
}

TEST_F(ClientStatesTest, IsConfiguredWhileIdleAndHearsThroughNothingElse) {
  std::vector<Setter> all = older_setters();
  for (Setter& setter : setters()) all.push_back(setter);  // The last of a kind counts.
  for (Setter& setter : context_setters(pe, ctx(), dpa)) all.push_back(setter);
  try_setters(all, {open("idle", [] {}), shut("starting", [&] { start(); }),
                    shut("running", [&] { run(); }),
                    shut("stopping", [&] { begin_to_stop(ctx(), task()); }),
                    open("idle again", [&] { stop_at_last(ctx()); })});
  start();
  run();
  ASSERT_EQ(server->send(server->connections.front(), "heard"), DOCA_SUCCESS);
  ASSERT_EQ(doca_task_submit(task_of(task())), DOCA_SUCCESS);
  ASSERT_TRUE(until(pe, [&] { return calls(1).tasks == 1 && calls(1).messages == 1; }));
  EXPECT_EQ(server->received, std::vector<std::string>{"said"});
  EXPECT_GE(calls(1).states, 3);
  EXPECT_EQ(calls(2).all(), 0);
}

}  // namespace
}  // namespace comch::test
