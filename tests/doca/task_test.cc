// doca_task: submitting, what a submission ends with, and whose the task is meanwhile.
#include "doca/task.h"

#include <gtest/gtest.h>

#include "doca/control_parties.h"
#include "support/log_lines.h"

namespace comch::test {
namespace {

struct TaskTest : ControlTest {
  ServerParty server{pe};
  ClientParty client{pe};

  void SetUp() override {
    ASSERT_EQ(server.start(), DOCA_SUCCESS);
    ASSERT_TRUE(client.connect());
    ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  }
  doca_comch_task_send* allocate(std::string_view message) {
    doca_comch_task_send* task = nullptr;
    EXPECT_EQ(client.allocate(client.connection(), message, &task), DOCA_SUCCESS);
    return task;
  }
  doca_task* task_of(std::string_view message) {
    return doca_comch_task_send_as_task(allocate(message));
  }
  bool completed(std::size_t count) {
    return client.run_until([&] { return client.completions.size() == count; });
  }
};

TEST_F(TaskTest, NullIsRefusedOrAnsweredWithNothing) {
  EXPECT_EQ(doca_task_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_submit_ex(nullptr, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_try_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_get_status(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_get_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_task_get_user_data(nullptr).u64, 0u);
  doca_task_set_user_data(nullptr, {.u64 = 1});
  doca_task_free(nullptr);
}

TEST_F(TaskTest, ATaskIsTheSameUnderItsOwnNameAndAsATask) {
  doca_comch_task_send* const task = allocate("x");
  EXPECT_EQ(reinterpret_cast<void*>(doca_comch_task_send_as_task(task)),
            reinterpret_cast<void*>(task));
  EXPECT_EQ(doca_comch_task_send_as_task(nullptr), nullptr);
  doca_task_free(doca_comch_task_send_as_task(task));
}

TEST_F(TaskTest, ASubmittedTaskIsInProgressUntilItsCallback) {
  doca_task* const task = task_of("hello");
  doca_error_t in_callback = DOCA_ERROR_UNKNOWN;
  client.then_complete = [&](doca_comch_task_send* done) {
    in_callback = doca_task_get_status(doca_comch_task_send_as_task(done));
  };
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  EXPECT_EQ(doca_task_get_status(task), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(completed(1));
  EXPECT_EQ(in_callback, DOCA_SUCCESS);
  doca_task_free(task);
}

TEST_F(TaskTest, EveryWayOfSubmittingSends) {
  ASSERT_EQ(doca_task_submit(task_of("a")), DOCA_SUCCESS);
  ASSERT_EQ(doca_task_try_submit(task_of("b")), DOCA_SUCCESS);
  const uint32_t both = DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;
  for (uint32_t flags = DOCA_TASK_SUBMIT_FLAG_NONE; flags <= both; ++flags) {
    ASSERT_EQ(doca_task_submit_ex(task_of("c"), flags), DOCA_SUCCESS);
  }
  ASSERT_TRUE(completed(6));
  ASSERT_TRUE(server.run_until([&] { return server.received.size() == 6; }));
  EXPECT_EQ(server.received, (std::vector<std::string>{"a", "b", "c", "c", "c", "c"}));
}

TEST_F(TaskTest, ARefusalIsLoggedUnderTheNameOfTheWayOfSubmitting) {
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  const LogLines log;
  EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(log.lines.back().starts_with("doca_task_submit: ")) << log.lines.back();
  EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(log.lines.back().starts_with("doca_task_try_submit: ")) << log.lines.back();
  EXPECT_EQ(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(log.lines.back().starts_with("doca_task_submit_ex: ")) << log.lines.back();
  ASSERT_TRUE(completed(1));
}

TEST_F(TaskTest, AFlagThatIsNoneIsRefusedAndTheTaskStaysTheCallers) {
  doca_task* const task = task_of("x");
  EXPECT_EQ(doca_task_submit_ex(task, 4), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_submit_ex(task, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
  doca_task_free(task);
  settle(pe);
  EXPECT_TRUE(client.completions.empty());
}

TEST_F(TaskTest, TheUserDataOfTaskAndContextComeToTheCallback) {
  doca_task* const task = task_of("x");
  EXPECT_EQ(doca_task_get_user_data(task).u64, 0u);
  doca_task_set_user_data(task, {.u64 = 77});
  EXPECT_EQ(doca_task_get_user_data(task).u64, 77u);
  EXPECT_EQ(doca_task_get_ctx(task), client.ctx());
  client.then_complete = [&](doca_comch_task_send* done) {
    EXPECT_EQ(doca_task_get_user_data(doca_comch_task_send_as_task(done)).u64, 77u);
  };
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  ASSERT_TRUE(completed(1));
  doca_task_free(task);
}

TEST_F(TaskTest, ACallbackMaySubmitItsTaskAgain) {
  int again = 2;
  client.then_complete = [&](doca_comch_task_send* done) {
    doca_task* const task = doca_comch_task_send_as_task(done);
    if (again-- > 0) {
      EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    } else {
      doca_task_free(task);
    }
  };
  ASSERT_EQ(doca_task_submit(task_of("thrice")), DOCA_SUCCESS);
  ASSERT_TRUE(completed(3));
  ASSERT_TRUE(server.run_until([&] { return server.received.size() == 3; }));
}

TEST_F(TaskTest, ACallbackMayAllocateAndSubmitAnother) {
  client.then_complete = [&](doca_comch_task_send* done) {
    doca_task_free(doca_comch_task_send_as_task(done));
    if (client.completions.size() == 1) {
      EXPECT_EQ(client.send("second"), DOCA_SUCCESS);
    }
  };
  ASSERT_EQ(client.send("first"), DOCA_SUCCESS);
  ASSERT_TRUE(completed(2));
  ASSERT_TRUE(server.run_until([&] { return server.received.size() == 2; }));
  EXPECT_EQ(server.received, (std::vector<std::string>{"first", "second"}));
}

TEST_F(TaskTest, ATaskThatIsKeptIsTheProgramsUntilItFreesIt) {
  doca_comch_task_send* kept = nullptr;
  client.then_complete = [&](doca_comch_task_send* done) { kept = done; };
  ASSERT_EQ(client.send("x"), DOCA_SUCCESS);
  ASSERT_TRUE(completed(1));
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  settle(pe);
  EXPECT_EQ(client.state(), DOCA_CTX_STATE_STOPPING);
  doca_task_free(doca_comch_task_send_as_task(kept));
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(TaskTest, ATaskThatIsFreedWhileItIsUnderWayGoesBehindItsCallback) {
  client.then_complete = [](doca_comch_task_send*) {};
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  doca_task_free(task);
  EXPECT_EQ(doca_task_get_status(task), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(completed(1));
  EXPECT_EQ(client.completions, std::vector{DOCA_SUCCESS});
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(TaskTest, ATaskThatIsFreedBothUnderWayAndInItsCallbackIsFreedOnce) {
  client.then_complete = [](doca_comch_task_send* done) {
    doca_task_free(doca_comch_task_send_as_task(done));
  };
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  doca_task_free(task);
  ASSERT_TRUE(completed(1));
  doca_comch_task_send* const next = allocate("y");
  ASSERT_EQ(doca_task_submit(doca_comch_task_send_as_task(next)), DOCA_SUCCESS);
  EXPECT_TRUE(completed(2));
}

TEST_F(TaskTest, ATaskThatIsAllocatedInTheCallbackOfOneFreedUnderWayIsTheProgramsAlone) {
  doca_comch_task_send* next = nullptr;
  client.then_complete = [&](doca_comch_task_send* done) {
    doca_task_free(doca_comch_task_send_as_task(done));
    next = allocate("y");
  };
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  doca_task_free(task);
  ASSERT_TRUE(completed(1));
  doca_comch_task_send* const third = allocate("z");
  EXPECT_NE(third, next);
  doca_task_free(doca_comch_task_send_as_task(third));
  client.then_complete = [](doca_comch_task_send*) {};
  ASSERT_EQ(doca_task_submit(doca_comch_task_send_as_task(next)), DOCA_SUCCESS);
  ASSERT_TRUE(completed(2));
  EXPECT_EQ(doca_task_submit(doca_comch_task_send_as_task(next)), DOCA_SUCCESS) << "it is kept";
  ASSERT_TRUE(completed(3));
  doca_task_free(doca_comch_task_send_as_task(next));
}

TEST_F(TaskTest, ATaskThatIsAllocatedAndSubmittedThereIsTheProgramsWhenItComesBack) {
  doca_comch_task_send* next = nullptr;
  client.then_complete = [&](doca_comch_task_send* done) {
    if (next != nullptr) return;
    doca_task_free(doca_comch_task_send_as_task(done));
    next = allocate("y");
    EXPECT_EQ(doca_task_submit(doca_comch_task_send_as_task(next)), DOCA_SUCCESS);
  };
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  doca_task_free(task);
  doca_task_free(task);  // Once is enough.
  ASSERT_TRUE(completed(2));
  doca_comch_task_send* const third = allocate("z");
  EXPECT_NE(third, next);
  doca_task_free(doca_comch_task_send_as_task(third));
  doca_task_free(doca_comch_task_send_as_task(next));
}

TEST_F(TaskTest, ATaskThatWasFreedAndIsSubmittedInItsCallbackGoesBehindTheNext) {
  client.then_complete = [&](doca_comch_task_send* done) {
    if (client.completions.size() == 1) {
      EXPECT_EQ(doca_task_submit(doca_comch_task_send_as_task(done)), DOCA_SUCCESS);
    }
  };
  doca_task* const task = task_of("x");
  ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS);
  doca_task_free(task);
  ASSERT_TRUE(completed(2));
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(TaskTest, OfAnEndedConnectionIsNotSubmitted) {
  doca_comch_task_send* task = nullptr;
  ASSERT_EQ(server.allocate(server.connections.front(), "late", &task), DOCA_SUCCESS);
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  EXPECT_EQ(doca_task_submit(doca_comch_task_send_as_task(task)), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_task_try_submit(doca_comch_task_send_as_task(task)), DOCA_ERROR_NOT_CONNECTED);
  doca_task_free(doca_comch_task_send_as_task(task));
  EXPECT_TRUE(server.completions.empty());
}

TEST_F(TaskTest, OfAStoppingContextItComesBackThroughTheErrorCallback) {
  doca_task* const kept = task_of("kept");
  EXPECT_EQ(server.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client.run_until([&] { return client.state() == DOCA_CTX_STATE_STOPPING; }));
  EXPECT_EQ(doca_task_submit(kept), DOCA_SUCCESS);
  EXPECT_EQ(doca_task_submit(task_of("late")), DOCA_SUCCESS);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.completions, (std::vector{DOCA_ERROR_SHUTDOWN, DOCA_ERROR_SHUTDOWN}));
}

TEST_F(TaskTest, WhatThePeerCannotTakeAnyMoreComesBackThroughTheErrorCallback) {
  // The client's queue takes ten; the rest is held, and the client goes.
  for (int n = 0; n < 16; ++n) {
    ASSERT_EQ(server.send(server.connections.front(), "held"), DOCA_SUCCESS);
  }
  client.then_receive = [&](auto*) {
    if (client.state() == DOCA_CTX_STATE_RUNNING) {
      EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    }
  };
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  ASSERT_EQ(server.completions.size(), 16u);
  EXPECT_EQ(server.completions.front(), DOCA_SUCCESS);
  EXPECT_EQ(server.completions.back(), DOCA_ERROR_CONNECTION_RESET);
}

}  // namespace
}  // namespace comch::test
