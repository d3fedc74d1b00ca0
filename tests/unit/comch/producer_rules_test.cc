// Producer: every limit of its configuration, and every error that its header speaks of.
#include <limits>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

constexpr auto kIgnoreSent = [](ProducerTask&) {};

struct ProducerRulesTest : FastPair {
  std::unique_ptr<Producer> fresh() { return Producer::create(client.connection()).value(); }
};

// --- Configuration -----------------------------------------------------------------------

TEST_F(ProducerRulesTest, HasOneToEightThousandTasksAndBothCallbacks) {
  const auto made = fresh();
  EXPECT_EQ(code(made->configure_send(0, kIgnoreSent, kIgnoreSent)), Errc::invalid_value);
  EXPECT_EQ(code(made->configure_send(Producer::kMaxTasks + 1, kIgnoreSent, kIgnoreSent)),
            Errc::invalid_value);
  EXPECT_EQ(code(made->configure_send(1, nullptr, kIgnoreSent)), Errc::invalid_value);
  EXPECT_EQ(code(made->configure_send(1, kIgnoreSent, nullptr)), Errc::invalid_value);
  EXPECT_EQ(made->tasks(), 0U) << "what was refused changes nothing";
  EXPECT_TRUE(made->configure_send(1, kIgnoreSent, kIgnoreSent));
  EXPECT_TRUE(made->configure_send(Producer::kMaxTasks, kIgnoreSent, kIgnoreSent));
  EXPECT_EQ(made->tasks(), Producer::kMaxTasks);
}

TEST_F(ProducerRulesTest, CopiesTogetherFromEightKibibytesOn) {
  const auto made = fresh();
  EXPECT_TRUE(made->set_cooperative_size(0));
  EXPECT_EQ(code(made->set_cooperative_size(8191)), Errc::invalid_value);
  EXPECT_TRUE(made->set_cooperative_size(8192));
  EXPECT_TRUE(made->set_cooperative_size(std::numeric_limits<std::size_t>::max()));
}

TEST_F(ProducerRulesTest, StagesThroughSixtyFourKibibytesToAGibibyte) {
  const auto made = fresh();
  constexpr std::size_t kLeast = std::size_t{64} << 10U, kMost = std::size_t{1} << 30U;
  for (const std::size_t bytes :
       {std::size_t{0}, kLeast - 1, kMost + 1, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(code(made->set_staging_size(bytes)), Errc::invalid_value) << bytes;
  }
  EXPECT_TRUE(made->set_staging_size(kLeast));
  EXPECT_TRUE(made->set_staging_size(kMost));
}

TEST_F(ProducerRulesTest, ALaneHasTwoMessagesOrMore) {
  const auto made = fresh();
  EXPECT_TRUE(made->set_lane_size(0));
  EXPECT_EQ(code(made->set_lane_size(1)), Errc::invalid_value);
  EXPECT_TRUE(made->set_lane_size(2));
  EXPECT_TRUE(made->set_lane_size(8192));
  EXPECT_EQ(code(made->set_lane_size(8193)), Errc::invalid_value);
}

TEST_F(ProducerRulesTest, IsConfiguredOnlyWhileIdle) {
  Producer& from = producer();
  EXPECT_EQ(code(from.configure_send(1, kIgnoreSent, kIgnoreSent)), Errc::bad_state);
  EXPECT_EQ(code(from.on_space([](Producer&, ConsumerId) {})), Errc::bad_state);
  EXPECT_EQ(code(from.on_returned([](Producer&, ConsumerId, Buffer&, const Status&) {})),
            Errc::bad_state);
  EXPECT_EQ(code(from.set_cooperative_size(8192)), Errc::bad_state);
  EXPECT_EQ(code(from.set_staging_size(65'536)), Errc::bad_state);
  EXPECT_EQ(code(from.set_lane_size(64)), Errc::bad_state);
  ASSERT_TRUE(from.stop());
  EXPECT_TRUE(from.set_staging_size(65'536));
}

TEST_F(ProducerRulesTest, StartsWithAnEngineAndItsTasksConfigured) {
  const auto made = fresh();
  EXPECT_EQ(code(made->start()), Errc::not_connected);
  engine->connect(*made).value();
  EXPECT_EQ(code(made->start()), Errc::bad_state) << "no tasks";
  made->configure_send(1, kIgnoreSent, kIgnoreSent).value();
  EXPECT_EQ(made->start().value(), ContextState::kRunning) << "at once";
  EXPECT_EQ(code(made->start()), Errc::bad_state) << "running already";
  EXPECT_EQ(made->stop().value(), ContextState::kIdle);
  EXPECT_EQ(code(made->stop()), Errc::bad_state);
}

TEST_F(ProducerRulesTest, IsDestroyedOnlyWhileIdle) {
  auto made = fresh();
  made->configure_send(1, kIgnoreSent, kIgnoreSent).value();
  engine->connect(*made).value();
  ASSERT_TRUE(made->start());
  Producer* const before = made.get();
  EXPECT_EQ(code(Producer::destroy(made)), Errc::in_use);
  EXPECT_EQ(made.get(), before);
  ASSERT_TRUE(made->stop());
  EXPECT_TRUE(Producer::destroy(made));
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(code(Producer::destroy(made)), Errc::invalid_value);
}

TEST_F(ProducerRulesTest, IdsAreUniqueAndComeWithTheStart) {
  Producer& first = producer();
  Producer& second = producer();
  EXPECT_NE(first.id(), second.id());
  const ProducerId before = first.id();
  ASSERT_TRUE(first.stop());
  ASSERT_TRUE(first.start());
  EXPECT_NE(first.id(), before);
  EXPECT_NE(first.id(), second.id());
}

// --- Tasks -------------------------------------------------------------------------------

TEST_F(ProducerRulesTest, AllocatesNothingWhileIdle) {
  const auto made = fresh();
  made->configure_send(1, kIgnoreSent, kIgnoreSent).value();
  EXPECT_EQ(code(made->allocate_send(nullptr, {}, ConsumerId{1})), Errc::bad_state);
}

TEST_F(ProducerRulesTest, HasAsManyTasksAsWereConfigured) {
  Producer& from = producer();
  std::vector<ProducerTask*> tasks;
  for (std::uint32_t n = 0; n < from.tasks(); ++n) {
    tasks.push_back(from.allocate_send(nullptr, {}, ConsumerId{1}).value());
  }
  EXPECT_EQ(code(from.allocate_send(nullptr, {}, ConsumerId{1})), Errc::no_memory);
  EXPECT_TRUE(tasks.back()->free());
  EXPECT_EQ(code(tasks.back()->free()), Errc::bad_state) << "free already";
  tasks.back() = from.allocate_send(nullptr, {}, ConsumerId{1}).value();
  for (ProducerTask* task : tasks) EXPECT_TRUE(task->free());
}

TEST_F(ProducerRulesTest, TasksTakeNeitherDeadBuffersNorTooMuchImmediateData) {
  Producer& from = producer();
  Buffer* dead = here.room(0, 8);
  std::ignore = dead->drop_reference();
  EXPECT_EQ(code(from.allocate_send(dead, {}, ConsumerId{1})), Errc::invalid_value);
  const std::string most(Consumer::kMaxImmediate, 'i'), above(Consumer::kMaxImmediate + 1, 'i');
  EXPECT_EQ(code(from.allocate_send(nullptr, bytes(above), ConsumerId{1})), Errc::invalid_value);
  ProducerTask* task = from.allocate_send(nullptr, bytes(most), ConsumerId{1}).value();
  EXPECT_EQ(code(task->set_immediate(bytes(above))), Errc::invalid_value);
  EXPECT_EQ(task->immediate().size(), most.size());
  EXPECT_EQ(code(task->set_buffer(dead)), Errc::invalid_value);
  EXPECT_EQ(task->buffer(), nullptr);
  EXPECT_TRUE(task->free());
}

TEST_F(ProducerRulesTest, ATaskIsTheProducersBetweenSubmitAndItsCallback) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  Buffer* buffer = here.data(0, "mine");
  ProducerTask* task = from.allocate_send(buffer, {}, to.id()).value();
  task->set_user_data({.value = 7});
  EXPECT_EQ(task->user_data().value, 7U);
  EXPECT_EQ(&task->context(), &from);
  EXPECT_EQ(task->consumer(), to.id());
  EXPECT_EQ(task->buffer(), buffer);
  EXPECT_TRUE(task->status());
  ASSERT_TRUE(task->submit());
  EXPECT_EQ(from.tasks_in_flight(), 1U);
  EXPECT_EQ(code(task->status()), Errc::in_progress);
  EXPECT_EQ(code(task->submit()), Errc::bad_state);
  EXPECT_EQ(code(task->free()), Errc::bad_state);
  EXPECT_EQ(code(task->set_buffer(nullptr)), Errc::bad_state);
  EXPECT_EQ(code(task->set_immediate({})), Errc::bad_state);
  EXPECT_EQ(code(task->set_consumer(ConsumerId{9})), Errc::bad_state);
  ASSERT_TRUE(run_until([&] { return sent.size() == 1 && texts.size() == 1; }));
  EXPECT_EQ(from.tasks_in_flight(), 0U);
  EXPECT_EQ(code(task->submit()), Errc::bad_state) << "free";
}

TEST_F(ProducerRulesTest, TryingToSubmitDoesAsSubmitAndCountsNoRefusal) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  ProducerTask* task = from.allocate_send(here.data(0, "mine"), {}, to.id()).value();
  EXPECT_FALSE(task->try_submit()) << "nothing is posted";
  EXPECT_EQ(from.counters().nothing_posted, 0U);
  EXPECT_EQ(code(task->submit()), Errc::again);
  EXPECT_EQ(from.counters().nothing_posted, 1U);
  ASSERT_TRUE(task->set_consumer(ConsumerId{99}));
  EXPECT_FALSE(task->try_submit()) << "no such consumer";
  ASSERT_TRUE(task->set_consumer(to.id()));
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(task->try_submit());
  EXPECT_FALSE(task->try_submit()) << "submitted already";
  EXPECT_EQ(code(task->status()), Errc::in_progress);
  ASSERT_TRUE(run_until([&] { return sent.size() == 1 && texts.size() == 1; }));
  EXPECT_EQ(texts.front(), "mine");
}

TEST_F(ProducerRulesTest, AStoppedProducerTakesNothing) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  ProducerTask* task = from.allocate_send(nullptr, bytes("late"), to.id()).value();
  const Loan loan = from.reserve(to.id()).value();
  EXPECT_EQ(from.stop().value(), ContextState::kStopping) << "a task is out";
  EXPECT_EQ(code(task->submit()), Errc::shutdown);
  const std::array messages{Outgoing{.data = bytes("late"), .immediate = {}}};
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::shutdown);
  EXPECT_EQ(code(from.request_space(to.id())), Errc::shutdown);
  EXPECT_EQ(code(from.reserve(to.id())), Errc::shutdown);
  EXPECT_EQ(code(from.commit(loan, 1)), Errc::shutdown);
  EXPECT_FALSE(from.has_space(to.id()));
  EXPECT_FALSE(from.reaches(to.id()));
  EXPECT_TRUE(from.abandon(loan));
  ProducerTask* another = from.allocate_send(nullptr, {}, to.id()).value();
  EXPECT_TRUE(another->free());
  EXPECT_TRUE(task->free());
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::bad_state);
  EXPECT_EQ(code(from.request_space(to.id())), Errc::bad_state);
  EXPECT_EQ(code(from.reserve(to.id())), Errc::bad_state);
  EXPECT_EQ(code(from.abandon(loan)), Errc::invalid_value);
}

TEST_F(ProducerRulesTest, ALostPeerIsNamedByEverySend) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 2, 64);
  ProducerTask* task = from.allocate_send(nullptr, bytes("x"), to.id()).value();
  ASSERT_TRUE(server->abort());
  ASSERT_TRUE(run_until([&] { return from.state() == ContextState::kStopping; }));
  EXPECT_EQ(code(task->submit()), Errc::connection_reset);
  const std::array messages{Outgoing{.data = bytes("late"), .immediate = {}}};
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::connection_reset);
  EXPECT_TRUE(task->free());
  ASSERT_TRUE(run_until_idle(from));
}

// --- Arrays ------------------------------------------------------------------------------

TEST_F(ProducerRulesTest, SendsAnArrayUpToTheFirstThatDoesNotFit) {
  Consumer& to = consumer(there, {.immediate = 4});
  Producer& from = producer();
  post_rooms(to, there, 4, 8);
  std::vector<Outgoing> messages(4, Outgoing{.data = bytes("fits"), .immediate = {}});
  messages[2].data = bytes("nine byte");
  EXPECT_EQ(from.send(to.id(), messages).value(), 2U);
  EXPECT_EQ(code(from.send(to.id(), std::span(messages).subspan(2))), Errc::invalid_value);
  messages[3].immediate = bytes("12345");
  EXPECT_EQ(code(from.send(to.id(), std::span(messages).subspan(3))), Errc::invalid_value);
  messages[3].immediate = bytes("1234");
  EXPECT_EQ(from.send(to.id(), std::span(messages).subspan(3)).value(), 1U);
  EXPECT_EQ(from.send(to.id(), std::span(messages).first(2)).value(), 1U) << "one is left posted";
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::again);
  ASSERT_TRUE(run_until([&] { return texts.size() == 4; }));
  EXPECT_EQ(from.counters().nothing_posted, 1U);
}

TEST_F(ProducerRulesTest, SendsToNobodyThatIsNotThere) {
  Producer& from = producer();
  const std::array messages{Outgoing{.data = bytes("x"), .immediate = {}}};
  for (const std::uint32_t id : {0U, 1U, 0xffffU, 4711U}) {
    const ConsumerId nobody{id};
    EXPECT_EQ(code(from.send(nobody, messages)), Errc::invalid_value);
    EXPECT_EQ(code(from.request_space(nobody)), Errc::invalid_value);
    EXPECT_EQ(code(from.reserve(nobody)), Errc::invalid_value);
    EXPECT_EQ(code(from.memory(nobody)), Errc::invalid_value);
    EXPECT_FALSE(from.has_space(nobody));
    EXPECT_FALSE(from.busy(nobody));
    EXPECT_FALSE(from.reaches(nobody));
  }
}

TEST_F(ProducerRulesTest, ReachesAConsumerFromItsNewsToItsEndWhetherOrNotAnythingFits) {
  const auto idle = fresh();
  Producer& from = producer();
  Consumer& other = consumer(there);
  Consumer& to = consumer(there, {.immediate = 4});
  EXPECT_TRUE(from.reaches(to.id())) << "nothing is posted, and nothing was sent";
  EXPECT_FALSE(idle->reaches(to.id()));
  post_rooms(to, there, 1, 8);
  ASSERT_TRUE(run_until([&] { return from.has_space(to.id()); }));
  EXPECT_EQ(code(submit(from, to.id(), here.data(0, "far too long"))), Errc::invalid_value);
  EXPECT_EQ(code(submit(from, to.id(), nullptr, "too long")), Errc::invalid_value);
  EXPECT_TRUE(from.reaches(to.id()));
  EXPECT_TRUE(from.has_space(to.id())) << "it has used up nothing";
  for (Consumer* ends : {&to, &other}) {
    const ConsumerId id = ends->id();
    ASSERT_TRUE(ends->stop());
    ASSERT_TRUE(run_until([&] { return std::ranges::count(client.consumers, id) == 0; }));
    EXPECT_FALSE(from.reaches(id));
  }
  EXPECT_TRUE(texts.empty());
}

// --- In place, and by its place ----------------------------------------------------------

TEST_F(ProducerRulesTest, LendsThirtyTwoBuffersAtATime) {
  Consumer& to = consumer(there, {.depth = 64});
  Producer& from = producer();
  post_rooms(to, there, 40, 64);
  std::vector<Loan> loans;
  for (std::uint32_t n = 0; n < Producer::kMaxLoans; ++n) {
    loans.push_back(from.reserve(to.id()).value());
  }
  EXPECT_EQ(code(from.reserve(to.id())), Errc::full);
  ASSERT_TRUE(from.abandon(loans.back()));
  EXPECT_EQ(code(from.abandon(loans.back())), Errc::invalid_value);
  loans.back() = from.reserve(to.id()).value();
  for (const Loan& loan : loans) ASSERT_TRUE(from.commit(loan, 0, bytes("i")));
  ASSERT_TRUE(run_until([&] { return texts.size() == loans.size(); }));
}

TEST_F(ProducerRulesTest, LendsOnlyWhatIsMappedAndHasRoom) {
  Consumer& staged = consumer(there, {.way = DataWay::kStaged});
  Producer& from = producer();
  post_rooms(staged, there, 1, 64);
  EXPECT_EQ(code(from.reserve(staged.id())), Errc::not_supported);
  EXPECT_EQ(code(from.memory(staged.id())), Errc::not_supported);
  Consumer& mapped = consumer(there);
  post(mapped, nullptr);
  EXPECT_EQ(code(from.reserve(mapped.id())), Errc::invalid_value);
  ASSERT_TRUE(submit(from, mapped.id(), nullptr, "it is posted still"));
}

TEST_F(ProducerRulesTest, CommitsWhatIsALoanAndNoMoreThanItsRoom) {
  Consumer& to = consumer(there, {.immediate = 2});
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  const Loan loan = from.reserve(to.id()).value();
  EXPECT_EQ(code(from.commit(loan, 65)), Errc::invalid_value);
  EXPECT_EQ(code(from.commit(loan, 1, bytes("123"))), Errc::invalid_value);
  Loan forged = loan;
  for (const std::uint32_t handle : {1U, 31U, 32U, ~0U}) {
    forged.handle = handle;
    EXPECT_EQ(code(from.commit(forged, 1)), Errc::invalid_value) << handle;
    EXPECT_EQ(code(from.abandon(forged)), Errc::invalid_value) << handle;
  }
  forged = loan;
  forged.consumer = ConsumerId{77};
  EXPECT_EQ(code(from.commit(forged, 1)), Errc::invalid_value);
  EXPECT_EQ(code(from.abandon(forged)), Errc::invalid_value);
  EXPECT_TRUE(from.commit(loan, 64, bytes("12"))) << "none of that has ended the loan";
}

TEST_F(ProducerRulesTest, HandsOverOnlyWhatItMayShow) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  EXPECT_EQ(code(from.hand_over(to.id(), *here.data(0, "x"))), Errc::again) << "nothing posted";
  post_rooms(to, there, 1, 64);
  Memory own(4096, false);  // malloc'd.
  Buffer* hidden = own.data(0, "x");
  EXPECT_EQ(code(from.hand_over(to.id(), *hidden)), Errc::not_supported);
  std::ignore = hidden->drop_reference();
  Buffer* empty = here.room(0, 8);
  EXPECT_EQ(code(from.hand_over(to.id(), *empty)), Errc::invalid_value);
  std::ignore = empty->drop_reference();
  EXPECT_EQ(code(from.hand_over(to.id(), *empty)), Errc::invalid_value) << "not lent";
  EXPECT_EQ(code(from.hand_over(ConsumerId{77}, *here.data(0, "x"))), Errc::invalid_value);
  EXPECT_EQ(from.handed_over(), 0U);
}

TEST_F(ProducerRulesTest, HandsNothingOverThatCouldNotComeBack) {
  Consumer& to = consumer(there);
  const auto made = fresh();
  made->configure_send(1, kIgnoreSent, kIgnoreSent).value();
  engine->connect(*made).value();
  ASSERT_TRUE(made->start());
  post_rooms(to, there, 1, 64);
  Buffer* buffer = here.data(0, "x");
  EXPECT_EQ(code(made->hand_over(to.id(), *buffer)), Errc::bad_state);
  std::ignore = buffer->drop_reference();
  ASSERT_TRUE(made->stop());
}

// What is in the producer's hand is not what it took last: nothing of that may be given back
// as if it were.
TEST_F(ProducerRulesTest, AbandonedLoansAreUsedOnceWhateverIsSentMeanwhile) {
  Consumer& to = consumer(there, {.depth = 16});
  Producer& from = producer();
  post_rooms(to, there, 6, 8);
  const Loan first = from.reserve(to.id()).value();
  const Loan second = from.reserve(to.id()).value();
  const std::array fits{Outgoing{.data = bytes("fits"), .immediate = {}}};
  ASSERT_TRUE(from.send(to.id(), fits));
  ASSERT_TRUE(from.abandon(first));
  ASSERT_TRUE(from.abandon(second));
  ASSERT_TRUE(from.send(to.id(), fits));
  const std::array too_long{Outgoing{.data = bytes("nine byte"), .immediate = {}}};
  EXPECT_EQ(code(from.send(to.id(), too_long)), Errc::invalid_value);
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(from.send(to.id(), fits)) << n;
  EXPECT_EQ(code(from.send(to.id(), fits)), Errc::again);
  ASSERT_TRUE(run_until([&] { return texts.size() == 6 || !returned.empty(); }));
  EXPECT_EQ(texts.size(), 6U);
  EXPECT_EQ(to.state(), ContextState::kRunning) << to.failure().text;
}

}  // namespace
}  // namespace comch::test
