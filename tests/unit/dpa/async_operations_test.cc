// AsyncOperations: copies that send nothing.
#include "unit/dpa/memory.h"

namespace comch::test {
namespace {

using dpa::AsyncOperations;

struct AsyncOperationsTest : QueueTest {
  AsyncOperationsTest() {
    source.write("payload");
    completions->start().value();
    operations->set_completion(*completions).value();
  }
  ~AsyncOperationsTest() override {
    end(operations);
    end(completions);
  }
  Status copy(const dpa::Submit& submit = {}) {
    return operations->copy(target.at(0), source.at(0), 7, submit);
  }

  DeviceMemoryMap source{64};
  DeviceMemoryMap target{64};
  std::unique_ptr<dpa::ProducerCompletion> completions =
      dpa::ProducerCompletion::create(*accelerator, 4).value();
  std::unique_ptr<AsyncOperations> operations =
      AsyncOperations::create(*accelerator, 2, {.value = 6}).value();
};

TEST_F(AsyncOperationsTest, AreOneTo8192RoundedUp) {
  for (const std::uint32_t count : {0U, MsgQ::kMaxDepth + 1}) {
    EXPECT_EQ(AsyncOperations::create(*accelerator, count, {}).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(AsyncOperations::create(*accelerator, 3, {}).value()->operations(), 4U);
  EXPECT_EQ(AsyncOperations::create(*accelerator, MsgQ::kMaxDepth, {}).value()->operations(),
            MsgQ::kMaxDepth);
  EXPECT_EQ(operations->user_data().value, 6U);
}

TEST_F(AsyncOperationsTest, StartWithAStartedCompletionContext) {
  auto others = AsyncOperations::create(*accelerator, 1, {}).value();
  EXPECT_EQ(others->start().error().code, Errc::bad_state);
  EXPECT_EQ(copy().error().code, Errc::bad_state);
  EXPECT_EQ(operations->stop().error().code, Errc::bad_state);
  EXPECT_TRUE(operations->start());
  EXPECT_EQ(operations->start().error().code, Errc::bad_state);
  EXPECT_EQ(operations->set_completion(*completions).error().code, Errc::bad_state);
  EXPECT_EQ(AsyncOperations::destroy(operations).error().code, Errc::in_use);
  EXPECT_EQ(completions->stop().error().code, Errc::in_use);
  EXPECT_TRUE(AsyncOperations::destroy(others));
  EXPECT_EQ(AsyncOperations::destroy(others).error().code, Errc::invalid_value);
}

TEST_F(AsyncOperationsTest, CopyAndTellWhomTheyBelongTo) {
  operations->start().value();
  ASSERT_TRUE(copy({.report = true, .user_data = 5}));
  EXPECT_EQ(target.text(7), "payload");
  const dpa::SendElement* element = completions->get_completion();
  ASSERT_NE(element, nullptr);
  EXPECT_TRUE(element->status);
  EXPECT_EQ(element->user_data, 5U);
  EXPECT_EQ(element->owner_user_data.value, 6U);
  EXPECT_EQ(element->producer, ProducerId{});
}

TEST_F(AsyncOperationsTest, AskToTryAgainWhileTheirCompletionsAreNotGot) {
  operations->start().value();
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(copy({.report = true, .user_data = 0}));
  target.write(std::string(7, '-'));
  EXPECT_EQ(copy().error().code, Errc::again);
  EXPECT_EQ(target.text(7), "-------") << "nothing was copied";
  ASSERT_NE(completions->get_completion(), nullptr);
  EXPECT_TRUE(copy());
}

TEST_F(AsyncOperationsTest, RefuseWhatMayNotBeCopied) {
  operations->start().value();
  EXPECT_EQ(operations->copy(target.at(60), source.at(0), 7).error().code, Errc::invalid_value);
  EXPECT_EQ(operations->copy(source.at(1), source.at(0), 7).error().code, Errc::invalid_value);
  const DeviceMemoryMap read_only(64, Access::kLocalReadOnly);
  EXPECT_EQ(operations->copy(read_only.at(0), source.at(0), 7).error().code, Errc::not_permitted);
  EXPECT_EQ(completions->get_completion(), nullptr);
}

TEST_F(AsyncOperationsTest, LoseTheCompletionsThatWereNotGotWhenTheyStop) {
  operations->start().value();
  ASSERT_TRUE(copy({.report = true, .user_data = 0}));
  operations->stop().value();
  EXPECT_EQ(completions->get_completion(), nullptr);
}

}  // namespace
}  // namespace comch::test
