// ControlStates: what tests of servers' and clients' settings do alike: bring a context to a state,
// and see in the end that it took what was set while it was idle, and nothing else.
//
// Threads: the engine's. Lifetime: a task that keeps a context from stopping is freed by
// stop_at_last().
#pragma once

#include <gtest/gtest.h>

#include "doca/bad_input/setters.h"

namespace comch::test {

inline constexpr std::uint32_t kMessageUnit = 128;
inline constexpr std::uint32_t kQueueUnit = 16;

struct ControlStatesTest : ControlTest {
  ControlStatesTest() {
    forget_calls();
    EXPECT_EQ(doca_dpa_create(dpu, &dpa), DOCA_SUCCESS);
  }
  ~ControlStatesTest() override { EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS); }

  void run_to(doca_ctx* ctx, doca_ctx_states state) const {
    ASSERT_TRUE(until(pe, [&] { return state_of(ctx) == state; }));
  }
  void begin_to_stop(doca_ctx* ctx, doca_comch_task_send* task) {
    ASSERT_NE(task, nullptr);
    ASSERT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    settle(pe);
    ASSERT_EQ(state_of(ctx), DOCA_CTX_STATE_STOPPING);
    kept = task;
  }
  void stop_at_last(doca_ctx* ctx) {
    doca_task_free(task_of(kept));
    run_to(ctx, DOCA_CTX_STATE_IDLE);
  }
  OpenDevice dpu{kDpuPci};
  doca_dpa* dpa = nullptr;
  doca_comch_task_send* kept = nullptr;
};

}  // namespace comch::test
