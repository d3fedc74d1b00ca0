// Servers, of doca_comch and under their older name: settings in every state.
#include <optional>

#include "doca/bad_input/control_states.h"

namespace comch::test {
namespace {

using Connection = doca_comch_connection;

struct ServerStatesTest : ControlStatesTest {
  ServerStatesTest() {
    EXPECT_EQ(doca_comch_server_create(device, representor, "echo", &server), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_SUCCESS);
  }
  ~ServerStatesTest() override {
    client.reset();
    doca_ctx_stop(ctx());
    run_to(ctx(), DOCA_CTX_STATE_IDLE);
    EXPECT_EQ(doca_comch_server_destroy(server), DOCA_SUCCESS);
  }
  doca_ctx* ctx() const { return doca_comch_server_as_ctx(server); }

  void start() {
    const int before = calls(1).connections;
    std::uint32_t size = 0;
    EXPECT_EQ(doca_comch_server_get_max_msg_size(server, &size), DOCA_SUCCESS);
    client.emplace(pe, PartySettings{.max_message = size});
    ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
    ASSERT_TRUE(client->connect());
    ASSERT_TRUE(until(pe, [&] { return calls(1).connections > before; }));
  }
  doca_comch_task_send* task() const {
    doca_comch_task_send* made = nullptr;
    doca_comch_server_task_send_alloc_init(server, newest<Connection>(), "said", 4, &made);
    return made;
  }
  std::vector<Setter> setters() const;
  std::vector<Setter> older_setters() const;

  OpenDevice device{kDpuPci};
  OpenRepresentor representor{device, kHostPci};
  doca_comch_server* server = nullptr;
  std::optional<ClientParty> client;
};

std::vector<Setter> ServerStatesTest::setters() const {
  return {
      sized("doca_comch_server_set_max_msg_size", server, doca_comch_server_set_max_msg_size,
            doca_comch_server_get_max_msg_size, kMessageUnit),
      sized("doca_comch_server_set_recv_queue_size", server, doca_comch_server_set_recv_queue_size,
            doca_comch_server_get_recv_queue_size, kQueueUnit),
      task_setter<doca_comch_task_send>("doca_comch_server_task_send_set_conf", server,
                                        doca_comch_server_task_send_set_conf),
      callback_setter("doca_comch_server_event_msg_recv_register", server,
                      doca_comch_server_event_msg_recv_register,
                      on_message<doca_comch_event_msg_recv, Connection>),
      callback_setter("doca_comch_server_event_connection_status_changed_register", server,
                      doca_comch_server_event_connection_status_changed_register,
                      on_connection<doca_comch_event_connection_status_changed, Connection>),
      callback_setter("doca_comch_server_event_consumer_register", server,
                      doca_comch_server_event_consumer_register,
                      on_consumer<doca_comch_event_consumer, Connection>)};
}

std::vector<Setter> ServerStatesTest::older_setters() const {
  auto* const named_before = older<doca_cc_server>(server);
  return {
      sized("doca_cc_server_set_max_msg_size", named_before, doca_cc_server_set_max_msg_size,
            doca_cc_server_get_max_msg_size, kMessageUnit),
      sized("doca_cc_server_set_recv_queue_size", named_before, doca_cc_server_set_recv_queue_size,
            doca_cc_server_get_recv_queue_size, kQueueUnit),
      task_setter<doca_cc_task_send>("doca_cc_server_task_send_set_conf", named_before,
                                     doca_cc_server_task_send_set_conf),
      task_setter<doca_cc_send_task>("doca_cc_server_send_task_set_conf", named_before,
                                     doca_cc_server_send_task_set_conf),
      callback_setter("doca_cc_server_event_msg_recv_register", named_before,
                      doca_cc_server_event_msg_recv_register,
                      on_message<doca_cc_event_msg_recv, doca_cc_connection>),
      callback_setter("doca_cc_server_event_connection_register", named_before,
                      doca_cc_server_event_connection_register,
                      on_connection<doca_cc_event_connection_status_changed, doca_cc_connection>),
      callback_setter("doca_cc_server_event_consumer_register", named_before,
                      doca_cc_server_event_consumer_register,
                      on_consumer<doca_cc_event_consumer, doca_cc_connection>)};
}

TEST_F(ServerStatesTest, IsConfiguredWhileIdleAndHearsThroughNothingElse) {
  std::vector<Setter> all = older_setters();
  for (Setter& setter : setters()) all.push_back(setter);  // The last of a kind counts.
  for (Setter& setter : context_setters(pe, ctx(), dpa)) all.push_back(setter);
  try_setters(all, {open("idle", [] {}), shut("running", [&] { start(); }),
                    shut("stopping", [&] { begin_to_stop(ctx(), task()); }),
                    open("idle again", [&] { stop_at_last(ctx()); })});
  start();
  ASSERT_EQ(client->send("heard"), DOCA_SUCCESS);
  ASSERT_EQ(doca_task_submit(task_of(task())), DOCA_SUCCESS);
  ASSERT_TRUE(until(pe, [&] { return calls(1).tasks == 1 && calls(1).messages == 1; }));
  EXPECT_EQ(client->received, std::vector<std::string>{"said"});
  EXPECT_GE(calls(1).states, 3);
  EXPECT_EQ(calls(2).all(), 0);
}

}  // namespace
}  // namespace comch::test
