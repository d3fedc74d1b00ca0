// Ring: operations on real ends: what they carry, in what order they end, and with what result.
#include <gtest/gtest.h>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct RingTest : RingPair {};
using Numbers = std::vector<std::uint64_t>;

TEST_F(RingTest, SendsOfOneSubmitArriveInOrderWithTheirImmediateData) {
  post(3);
  send("one", 1);
  next(2).prep_send_imm(*to, bytes("two"), bytes("beside"));
  next(3).prep_send_imm(*to, {}, bytes("alone"));
  EXPECT_EQ(ring->submit().value(), 3U);
  wait(6);
  EXPECT_EQ(order(), (Numbers{1, 2, 3, kPosted, kPosted + 1, kPosted + 2}));
  EXPECT_EQ(res(2), 3);
  EXPECT_EQ(find(kPosted)->text, "one");
  EXPECT_EQ(find(kPosted)->immediate, "");
  EXPECT_EQ(find(kPosted + 1)->text, "two");
  EXPECT_EQ(find(kPosted + 1)->immediate, "beside");
  EXPECT_EQ(res(kPosted + 2), 0);
  EXPECT_EQ(find(kPosted + 2)->immediate, "alone");
}

TEST_F(RingTest, ImmediateDataLastsUntilItIsAdvancedOver) {
  post(1);
  next(1).prep_send_imm(*to, {}, bytes("the first"));
  ring->submit_and_wait(2).value();
  post(1);
  next(2).prep_send_imm(*to, {}, bytes("then another"));
  ring->submit_and_wait(4).value();
  std::vector<std::string> immediates;
  EXPECT_EQ(ring->for_each([&](const Completion& c) {
    if (!c.immediate().empty()) immediates.push_back(text_of(c.immediate()));
  }),
            4U);
  EXPECT_EQ(immediates, (std::vector<std::string>{"the first", "then another"}));
}

TEST_F(RingTest, ImmediateDataComesToASourceThatWasRegisteredBeforeItTookSome) {
  end();
  auto late = Consumer::create(server.connection(), there.map()).value();
  auto through = Producer::create(client.connection()).value();
  late->set_immediate_size(0).value();
  ring->prepare(*late, 4).value();
  ring->prepare(*through).value();
  const auto fresh = Ring::create(*engine).value();
  Source* const source = fresh->register_source(*late).value();
  late->set_immediate_size(16).value();
  for (Context* c : {static_cast<Context*>(late.get()), static_cast<Context*>(through.get())}) {
    engine->connect(*c).value();
    ASSERT_TRUE(c->start());
  }
  ASSERT_TRUE(run_until([&] { return late->state() == ContextState::kRunning; }));
  ASSERT_TRUE(run_until([&] { return std::ranges::count(client.consumers, late->id()) == 1; }));
  Destination* const target = fresh->register_destination(*through, late->id()).value();
  fresh->get()->prep_post_recv(*source, nullptr);
  fresh->get()->prep_send_imm(*target, {}, bytes("beside"));
  ASSERT_EQ(fresh->submit_and_wait(2, 10s).value_or(0), 2U);
  std::string immediate;
  fresh->for_each([&](const Completion& c) { immediate += text_of(c.immediate()); });
  EXPECT_EQ(immediate, "beside");
  for (Context* c : {static_cast<Context*>(through.get()), static_cast<Context*>(late.get())}) {
    std::ignore = c->stop();
    ASSERT_TRUE(run_until_idle(*c));
  }
}

TEST_F(RingTest, ASendForWhichNothingIsPostedWaitsInOrderAndIsNeverRefused) {
  for (std::uint64_t n = 1; n <= 10; ++n) send("text", n);
  EXPECT_EQ(ring->submit().value(), 10U);
  reap();
  EXPECT_TRUE(seen.empty());
  post(4);
  wait(8);
  EXPECT_EQ(res(4), 4);
  EXPECT_EQ(find(5), nullptr);
  post(6);
  wait(12);
  EXPECT_EQ(res(10), 4);
}

TEST_F(RingTest, WhatDoesNotFitIsRefusedAndItsBufferStaysPosted) {
  post(1);
  const std::string text = pattern(kRoom + 1);
  const std::string beside = pattern(std::size_t{1} << 16U);
  send(text, 1);
  next(2).prep_send_imm(*to, bytes("it"), bytes(beside));
  send("it fits", 3);
  wait(4);
  EXPECT_EQ(res(1), -EINVAL);
  EXPECT_EQ(res(2), -EINVAL);
  EXPECT_EQ(res(3), 7);
  EXPECT_EQ(find(kPosted)->text, "it fits");
}

TEST_F(RingTest, BuffersOfAnotherMapAndMoreThanTheConsumersTasksAreRefused) {
  Buffer* const foreign = here.room(0, 64);
  next(1).prep_post_recv(*from, foreign);
  for (std::uint64_t n = 0; n < kDepth; ++n) next(10 + n).prep_post_recv(*from, room(n));
  Buffer* const late = room(kDepth);
  next(10 + kDepth).prep_post_recv(*from, late);
  ring->submit().value();
  reap();
  EXPECT_EQ(order(), (Numbers{1, 10 + kDepth}));
  EXPECT_EQ(res(1), -EINVAL);
  EXPECT_EQ(res(10 + kDepth), -ENOBUFS);
  EXPECT_TRUE(late->drop_reference()) << "what was refused is the caller's";
  EXPECT_TRUE(foreign->drop_reference());
}

TEST_F(RingTest, LongMessagesCompleteWhenTheyAreCopiedAndKeepTheirOrder) {
  Memory large{std::size_t{8} << 20U};
  end();  // Of the usual consumer; this one has larger rooms.
  auto wide = Consumer::create(server.connection(), large.map()).value();
  auto through = Producer::create(client.connection()).value();
  ring->prepare(*wide, 4).value();
  ring->prepare(*through).value();
  for (Context* c : {static_cast<Context*>(wide.get()), static_cast<Context*>(through.get())}) {
    engine->connect(*c).value();
    ASSERT_TRUE(c->start());
  }
  ASSERT_TRUE(run_until([&] { return wide->state() == ContextState::kRunning; }));
  ASSERT_TRUE(run_until([&] { return std::ranges::count(client.consumers, wide->id()) == 1; }));
  Source* const source = ring->register_source(*wide).value();
  Destination* const target = ring->register_destination(*through, wide->id()).value();
  const std::string text = pattern(std::size_t{3} << 20U);
  for (std::uint64_t n = 0; n < 2; ++n) {
    next(10 + n).prep_post_recv(*source, large.room(n << 22U, std::size_t{1} << 22U));
  }
  next(1).prep_send(*target, bytes(text));
  next(2).prep_send(*target, bytes("behind it"));
  wait(4);
  EXPECT_EQ(res(1), std::ssize(text));
  EXPECT_EQ(find(10)->text, text);
  EXPECT_EQ(find(11)->text, "behind it");
  ASSERT_TRUE(ring->unregister(*target));
  ASSERT_TRUE(ring->unregister(*source));
  for (Context* c : {static_cast<Context*>(through.get()), static_cast<Context*>(wide.get())}) {
    std::ignore = c->stop();
    ASSERT_TRUE(run_until_idle(*c));
  }
}

TEST_F(RingTest, AReservedBufferIsWrittenInPlaceAndGoesAheadOfSendsThatWait) {
  post(1);
  next(1).prep_reserve(*to);
  ring->submit_and_wait(1).value();
  const Loan loan = ring->peek()->loan(consumer->id());
  EXPECT_EQ(ring->peek()->res, std::int64_t{kRoom});
  ring->advance(1);
  send("it waits", 2);
  std::ranges::copy(bytes("in place"), loan.room.begin());
  next(3).prep_commit(*to, loan, 8, bytes("beside"));
  next(4).prep_commit(*to, loan, 8);
  wait(3);
  EXPECT_EQ(res(3), 8);
  EXPECT_EQ(res(4), -EINVAL);
  EXPECT_EQ(find(kPosted)->text, "in place");
  EXPECT_EQ(find(kPosted)->immediate, "beside");
  EXPECT_EQ(find(2), nullptr);
  post(1);
  wait(2);
  EXPECT_EQ(res(2), 8);
}

TEST_F(RingTest, AnAbandonedLoanIsTheNextSendsBuffer) {
  post(1);
  next(1).prep_reserve(*to);
  ring->submit_and_wait(1).value();
  const Loan loan = ring->peek()->loan(consumer->id());
  ring->advance(1);
  next(2).prep_abandon(*to, loan);
  send("after all", 3);
  wait(3);
  EXPECT_EQ(res(2), 0);
  EXPECT_EQ(find(kPosted)->text, "after all");
}

TEST_F(RingTest, AHandOverCompletesWhenTheBufferComesBack) {
  post(1);
  Buffer* const buffer = here.data(0, "not copied");
  next(1).prep_hand_over(*to, *buffer);
  next(2).prep_cancel(1);
  ring->submit_and_wait(2).value();
  std::optional<HandedOver> message;
  ring->for_each([&](const Completion& c) {
    if (c.user_data == 2) {
      EXPECT_EQ(c.res, -EALREADY);
    }
    if (c.user_data != kPosted) return;
    EXPECT_EQ(c.flags, kHandedOver);
    EXPECT_EQ(text_of(c.contents()), "not copied");
    message = c.handed_over();
  });
  ASSERT_TRUE(message);
  seen.clear();
  reap();
  EXPECT_EQ(find(1), nullptr);
  EXPECT_EQ(ring->unregister(*to).error().code, Errc::in_use);
  ASSERT_TRUE(consumer->give_back(*message));
  wait(1);
  EXPECT_EQ(res(1), 10);
  EXPECT_EQ(seen[0].buffer, buffer);
}

TEST_F(RingTest, WhatIsHandedOverToAReceiveThatTellsNoSuccessComesBackByItself) {
  Buffer* const posted = room(0);
  Buffer* const buffer = here.data(0, "not copied");
  next(kPosted, kSkipSuccess).prep_post_recv(*from, posted);
  next(1).prep_hand_over(*to, *buffer);
  wait(1);
  EXPECT_EQ(res(1), 10);
  EXPECT_EQ(find(kPosted), nullptr);
  EXPECT_TRUE(posted->drop_reference());
}

struct HandOverTest : RingPair {
  HandOverTest() {
    post(1);
    next(1).prep_hand_over(*to, *buffer);
    ring->submit_and_wait(1).value();
    message = ring->peek()->handed_over();
    reap();
  }
  Buffer* const buffer = here.data(0, "not copied");
  HandedOver message;
};

TEST_F(HandOverTest, OneThatIsGivenBackWhileItsProducerStopsHasArrived) {
  std::ignore = producer->stop();
  ASSERT_TRUE(consumer->give_back(message));
  wait(1);
  EXPECT_EQ(res(1), 10);
  EXPECT_TRUE(run_until_idle(*producer));
}

TEST_F(HandOverTest, AndSoHasOneThatWasGivenBackAheadOfAnAbort) {
  ASSERT_TRUE(consumer->give_back(message));
  std::ignore = producer->abort();
  wait(1);
  EXPECT_EQ(res(1), 10);
}

TEST_F(HandOverTest, OneThatIsNotGivenBackSaysWhyNot) {
  std::ignore = producer->abort();
  wait(1);
  EXPECT_EQ(res(1), -ESHUTDOWN);
}

TEST_F(HandOverTest, OneWhoseConsumerEndsIsLost) {
  std::ignore = consumer->abort();
  wait(1);
  EXPECT_EQ(res(1), -ECONNRESET);
}

TEST_F(RingTest, ControlMessagesWaitForRoomAndForWhoReceivesThem) {
  std::vector<std::string> texts;
  for (int n = 0; n < 20; ++n) texts.push_back("control " + std::to_string(n));
  for (std::uint64_t n = 0; n < 20; ++n) {
    next(100 + n).prep_ctrl_send(*at_client, bytes(texts[n]));
  }
  const std::string large(65, 'x');
  next(200).prep_ctrl_send(*at_server, bytes(large));
  ring->submit().value();
  reap();
  EXPECT_EQ(res(200), -EMSGSIZE);
  EXPECT_LT(seen.size(), 20U);
  std::vector<std::array<std::byte, 64>> rooms(20);
  for (std::uint64_t n = 0; n < 20; ++n) next(300 + n).prep_ctrl_recv(*at_server, rooms[n]);
  const std::size_t before = seen.size() - 1;
  wait(static_cast<std::uint32_t>(40 - before));
  for (std::uint64_t n = 0; n < 20; ++n) {
    ASSERT_NE(find(300 + n), nullptr);
    EXPECT_EQ(find(300 + n)->text, texts[n]);
  }
}

TEST_F(RingTest, AControlMessageThatIsTooLongStaysForTheNextReceive) {
  std::array<std::byte, 64> room{};
  next(1).prep_ctrl_send(*at_client, bytes("longer than four"));
  next(2).prep_ctrl_recv(*at_server, std::span(room).first(4));
  wait(2);
  EXPECT_EQ(res(2), -EMSGSIZE);
  next(3).prep_ctrl_recv(*at_server, room);
  wait(1);
  EXPECT_EQ(find(3)->text, "longer than four");
}

TEST_F(RingTest, WhatWaitsOnAnEndThatIsUnregisteredIsCancelled) {
  std::array<std::byte, 64> room{};
  next(1).prep_ctrl_recv(*at_server, room);
  send("nothing is posted", 2);
  send("link", 3, kLink);
  next(4).prep_nop();
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*at_server));
  ASSERT_TRUE(ring->unregister(*to));
  reap();
  EXPECT_EQ(order(), (Numbers{1, 2, 3, 4}));
  for (const Seen& s : seen) EXPECT_EQ(s.res, -ECANCELED);
}

// --- Ends of ends ------------------------------------------------------------------------

TEST_F(RingTest, PostedBuffersComeBackWhenTheirConsumerStops) {
  post(3);
  std::ignore = consumer->stop();
  wait(3);
  for (const Seen& s : seen) EXPECT_EQ(s.res, -ESHUTDOWN);
  EXPECT_TRUE(run_until_idle(*consumer));
  EXPECT_TRUE(ring->unregister(*from));
}

struct HandOverToTwoTest : HandOverTest {
  HandOverToTwoTest() {
    const auto keep = [](ReceiveTask& task) { task.free().value(); };
    other->configure_receive(1, keep, keep).value();
    start_beside(*other);
    EXPECT_TRUE(other->allocate_receive(nullptr).value()->submit());
  }
  ~HandOverToTwoTest() override {
    producer->abort().value();
    EXPECT_TRUE(run_until_idle(*producer));
  }
  std::unique_ptr<Consumer> other = Consumer::create(server.connection(), there.map()).value();
};

TEST_F(HandOverToTwoTest, WhatTwoConsumersHaveComesBackFromTheOneThatEnds) {
  buffer->add_reference().value();
  next(2).prep_hand_over(*ring->register_destination(*producer, other->id()).value(), *buffer);
  ring->submit().value();
  other->abort().value();
  ASSERT_TRUE(run_until_idle(*other));
  wait(1);
  EXPECT_EQ(res(2), -ECONNRESET);
  EXPECT_EQ(find(1), nullptr);
  ASSERT_TRUE(consumer->give_back(message));
  wait(1);
  EXPECT_EQ(res(1), 10);
}

TEST_F(RingTest, ASourceWithPostedBuffersStaysRegistered) {
  post(1);
  EXPECT_EQ(ring->unregister(*from).error().code, Errc::in_use);
  EXPECT_EQ(ring->register_source(*consumer).error().code, Errc::already_exist);
  EXPECT_EQ(ring->register_control(server.connection()).error().code, Errc::already_exist);
}

TEST_F(RingTest, AHandOverThatIsUnderWayWhenTheRingGoesIsForgotten) {
  post(1);
  Buffer* const buffer = here.data(0, "not copied");
  next(1).prep_hand_over(*to, *buffer);
  ring->submit_and_wait(1).value();
  const HandedOver message = ring->peek()->handed_over();
  ring->peek()->buffer->drop_reference().value();
  ring.reset();
  EXPECT_TRUE(consumer->give_back(message));
  EXPECT_TRUE(run_until([&] { return producer->handed_over() == 0; }));
  EXPECT_TRUE(buffer->drop_reference());
  ring = Ring::create(*engine).value();
}

}  // namespace
}  // namespace comch::uring::test
