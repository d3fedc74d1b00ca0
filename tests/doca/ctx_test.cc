// doca_ctx: start and stop, states, user data, tasks in flight, where contexts run.
#include "doca/ctx.h"

#include <gtest/gtest.h>

#include "doca/control_parties.h"
#include "support/log_lines.h"

namespace comch::test {
namespace {

struct CtxTest : ControlTest {};

TEST_F(CtxTest, StatesHaveTheEnginesNumbers) {
  EXPECT_EQ(doca::state_of(ContextState::kIdle), DOCA_CTX_STATE_IDLE);
  EXPECT_EQ(doca::state_of(ContextState::kStarting), DOCA_CTX_STATE_STARTING);
  EXPECT_EQ(doca::state_of(ContextState::kRunning), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(doca::state_of(ContextState::kStopping), DOCA_CTX_STATE_STOPPING);
}

TEST_F(CtxTest, NullIsRefused) {
  const ServerParty server(pe);
  size_t number = 0;
  doca_data data{};
  doca_ctx_states state{};
  uint32_t vectors = 0;
  doca_ctx* const ctx = server.ctx();
  const auto gpu = reinterpret_cast<doca_gpu*>(&number);  // Never looked into.
  const auto dpa = reinterpret_cast<doca_dpa*>(&number);
  const auto changed = [](const doca_data, doca_ctx*, doca_ctx_states, doca_ctx_states) {};
  EXPECT_EQ(doca_ctx_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_num_inflight_tasks(nullptr, &number), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_num_inflight_tasks(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(nullptr, gpu), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(nullptr, dpa), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_user_data(nullptr, data), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_user_data(nullptr, &data), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_user_data(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_state_changed_cb(nullptr, changed), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_state_changed_cb(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_state(nullptr, &state), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_state(ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_completion_vector(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(nullptr, &vectors), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(server.device.info(), nullptr),
            DOCA_ERROR_INVALID_VALUE);
  doca_ctx_flush_tasks(nullptr);
}

TEST_F(CtxTest, WithoutAnEngineNothingStarts) {
  ServerParty server(nullptr);
  ClientParty client(nullptr);
  EXPECT_EQ(server.start(), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(client.start(), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_IDLE);
}

TEST_F(CtxTest, AServerRunsAtOnceAndIsNeverStarting) {
  ServerParty server(pe);
  EXPECT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(server.states, std::vector{DOCA_CTX_STATE_RUNNING});
  EXPECT_EQ(server.start(), DOCA_ERROR_BAD_STATE);
}

TEST_F(CtxTest, AClientIsStartingUntilProgressFindsItsServer) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(client.state(), DOCA_CTX_STATE_STARTING);
  EXPECT_EQ(client.start(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(client.run_until([&] { return client.state() == DOCA_CTX_STATE_RUNNING; }));
  EXPECT_EQ(client.states, (std::vector{DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING}));
}

TEST_F(CtxTest, AClientWithoutAServerEndsIdle) {
  ClientParty client(pe);
  EXPECT_FALSE(client.connect());
  EXPECT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.states,
            (std::vector{DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}));
}

TEST_F(CtxTest, TwoServersOfOneNameDoNotRunTogether) {
  ServerParty first(pe);
  ServerParty second(pe);
  ASSERT_EQ(first.start(), DOCA_SUCCESS);
  EXPECT_EQ(second.start(), DOCA_ERROR_ALREADY_EXIST);
  EXPECT_EQ(second.state(), DOCA_CTX_STATE_IDLE);
  ASSERT_EQ(first.stop(), DOCA_SUCCESS);
  EXPECT_EQ(second.start(), DOCA_SUCCESS);
}

TEST_F(CtxTest, WithoutAMandatorySettingNothingStarts) {
  const OpenDevice device(kHostPci);
  doca_comch_client* client = nullptr;
  ASSERT_EQ(doca_comch_client_create(device, "echo", &client), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_client_as_ctx(client);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
  const auto done = [](doca_comch_task_send*, doca_data, doca_data) {};
  ASSERT_EQ(doca_comch_client_task_send_set_conf(client, done, done, 1), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_client_destroy(client), DOCA_SUCCESS);
}

TEST_F(CtxTest, StopIsAtOnceWithNothingOutstandingElseProgressFinishesIt) {
  ServerParty server(pe);
  ClientParty client(pe);
  EXPECT_EQ(server.stop(), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(server.stop(), DOCA_SUCCESS);
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_IDLE);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  EXPECT_EQ(server.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_STOPPING);
  EXPECT_EQ(server.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(server.run_until_idle());
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(CtxTest, TheStateCallbackIsCalledInTheNewState) {
  ServerParty server(pe);
  ClientParty client(pe);
  std::vector<doca_ctx_states> seen;
  client.then_state = [&](doca_ctx_states) { seen.push_back(client.state()); };
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(seen, client.states);
  EXPECT_EQ(seen, (std::vector{DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING,
                               DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}));
}

TEST_F(CtxTest, AStartAnswersWhatItReachedThoughItsCallbackStopsTheContext) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  client.then_state = [&](doca_ctx_states state) {
    if (state == DOCA_CTX_STATE_STARTING) {
      EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    }
  };
  EXPECT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS) << "a client is never running at once";
  EXPECT_EQ(client.state(), DOCA_CTX_STATE_STOPPING);
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(CtxTest, AStopAnswersWhatItReachedThoughItsCallbackStartsTheContext) {
  ServerParty server(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  int starts = 0;
  server.then_state = [&](doca_ctx_states state) {
    if (state != DOCA_CTX_STATE_IDLE || starts++ != 0) return;
    EXPECT_EQ(server.start(), DOCA_SUCCESS);
  };
  EXPECT_EQ(server.stop(), DOCA_SUCCESS) << "it was idle";
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_RUNNING);
}

TEST_F(CtxTest, WhatIsRefusedIsLoggedUnderTheNameOfTheFunctionThatWasCalled) {
  const LogLines log;
  ServerParty unconnected(nullptr);
  EXPECT_EQ(unconnected.start(), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_TRUE(log.lines.back().starts_with("doca_ctx_start: ")) << log.lines.back();
  EXPECT_EQ(unconnected.stop(), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(log.lines.back().starts_with("doca_ctx_stop: ")) << log.lines.back();
  ServerParty server(pe);
  EXPECT_EQ(doca_pe_connect_ctx(pe, server.ctx()), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_TRUE(log.lines.back().starts_with("doca_pe_connect_ctx: ")) << log.lines.back();
  int nothing = 0;
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(server.ctx(), reinterpret_cast<doca_dpa*>(&nothing)),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_TRUE(log.lines.back().starts_with("doca_ctx_set_datapath_on_dpa: ")) << log.lines.back();
}

TEST_F(CtxTest, UserDataComesBackUnchanged) {
  const OpenDevice device(kHostPci);
  doca_comch_client* client = nullptr;
  ASSERT_EQ(doca_comch_client_create(device, "echo", &client), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_client_as_ctx(client);
  doca_data data{.u64 = 1};
  EXPECT_EQ(doca_ctx_get_user_data(ctx, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 0u);
  EXPECT_EQ(doca_ctx_set_user_data(ctx, {.u64 = ~uint64_t{0}}), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_get_user_data(ctx, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, ~uint64_t{0});
  EXPECT_EQ(doca_comch_client_destroy(client), DOCA_SUCCESS);
}

TEST_F(CtxTest, TasksAreInFlightFromSubmissionToCompletion) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("two"), DOCA_SUCCESS);
  size_t in_flight = 0;
  EXPECT_EQ(doca_ctx_get_num_inflight_tasks(client.ctx(), &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, 2u);
  doca_ctx_flush_tasks(client.ctx());
  ASSERT_TRUE(client.run_until([&] { return client.completions.size() == 2; }));
  EXPECT_EQ(doca_ctx_get_num_inflight_tasks(client.ctx(), &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, 0u);
}

TEST_F(CtxTest, ServersAndClientsRunOnTheCpu) {
  ServerParty server(pe);
  int nothing = 0;
  const auto gpu = reinterpret_cast<doca_gpu*>(&nothing);
  const auto dpa = reinterpret_cast<doca_dpa*>(&nothing);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(server.ctx(), gpu), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(server.ctx(), dpa), DOCA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(server.ctx(), gpu), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(server.ctx(), dpa), DOCA_ERROR_BAD_STATE);
}

TEST_F(CtxTest, ThereIsOneCompletionVectorNumberZero) {
  ServerParty server(pe);
  uint32_t vectors = 0;
  EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(server.device.info(), &vectors), DOCA_SUCCESS);
  EXPECT_EQ(vectors, 1u);
  EXPECT_EQ(doca_ctx_set_completion_vector(server.ctx(), 0), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_completion_vector(server.ctx(), 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_completion_vector(server.ctx(), UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_completion_vector(server.ctx(), 0), DOCA_ERROR_BAD_STATE);
}

}  // namespace
}  // namespace comch::test
