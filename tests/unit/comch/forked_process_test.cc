// A child of fork() and what it inherits: it can neither use it nor spoil it.
#include <unistd.h>

#include <initializer_list>

#include "support/child_process.h"
#include "support/deadline.h"
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct ForkedProcessTest : FastPair {
  // Control path and fast path, both ends of which are this process's, still do what they did.
  void expect_all_is_well() {
    ASSERT_TRUE(client.connection().try_send(bytes("still there")));
    ASSERT_TRUE(run_until([&] { return !server.received.empty(); }));
    server.received.clear();
    post_rooms(*to, there, 1, 64);
    ASSERT_TRUE(submit(*from, to->id(), here.data(0, "still there")));
    ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
    texts.clear();
    EXPECT_TRUE(server.endings.empty());
    EXPECT_EQ(client->state(), ContextState::kRunning);
    // Whoever looks for it finds it.
    ClientParty another(*engine);
    EXPECT_TRUE(another.connect()) << another->failure().text;
    EXPECT_TRUE(another->stop());
    EXPECT_TRUE(another.run_until_idle());
  }
  // All of them, as exit() does that of a program whose objects are static.
  void delete_all() {
    producers.clear();
    consumers.clear();
    contexts.clear();
    client.client.reset();
    server.server.reset();
    engine.reset();
  }

  Consumer* to = &consumer(there);
  Producer* from = &producer();
};

TEST_F(ForkedProcessTest, WhatAChildDeletesStaysTheParents) {
  ChildProcess child = ChildProcess::run([&] {
    delete_all();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  expect_all_is_well();
}

TEST_F(ForkedProcessTest, CallsOfAChildAreRefused) {
  ASSERT_TRUE(client.connection().try_send(bytes("for the parent")));
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_FALSE(engine->progress());
    EXPECT_FALSE(engine->wait(std::chrono::milliseconds(1)));
    EXPECT_EQ(engine->request_notification().error().code, Errc::not_permitted);
    EXPECT_EQ(engine->clear_notification().error().code, Errc::not_permitted);
    for (Context* context :
         std::initializer_list<Context*>{&*server.server, &*client.client, to, from}) {
      EXPECT_EQ(context->start().error().code, Errc::not_permitted);
      EXPECT_EQ(context->stop().error().code, Errc::not_permitted);
      EXPECT_EQ(context->abort().error().code, Errc::not_permitted);
    }
    EXPECT_EQ(client->allocate_send(client.connection(), bytes("x")).error().code,
              Errc::not_permitted);
    EXPECT_EQ(to->allocate_receive(nullptr).error().code, Errc::not_permitted);
    EXPECT_EQ(from->allocate_send(nullptr, bytes("x"), to->id()).error().code, Errc::not_permitted);
    EXPECT_EQ(server->disconnect(server.connection()).error().code, Errc::not_permitted);
    EXPECT_EQ(Consumer::create(server.connection(), there.map()).error().code, Errc::not_permitted);
    EXPECT_EQ(Producer::create(client.connection()).error().code, Errc::not_permitted);
    EXPECT_TRUE(server.received.empty());
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  ASSERT_TRUE(run_until([&] { return server.received.size() == 1; }));
  server.received.clear();
  expect_all_is_well();
}

TEST_F(ForkedProcessTest, AChildMakesObjectsOfItsOwn) {
  ChildProcess child = ChildProcess::run([&] {
    auto own = ProgressEngine::create().value();
    ClientParty to_parent(*own);
    EXPECT_TRUE(to_parent->start());
    EXPECT_TRUE(until(*own, [&] { return to_parent->state() == ContextState::kRunning; }));
    EXPECT_TRUE(to_parent.connection().try_send(bytes("from a child")));
    EXPECT_TRUE(to_parent->stop());
    EXPECT_TRUE(until(*own, [&] { return to_parent->state() == ContextState::kIdle; }));
    return 0;
  });
  EXPECT_TRUE(run_until([&] { return server.received.size() == 1; }));
  EXPECT_TRUE(
      run_until([&] { return child.wait(Deadline(std::chrono::milliseconds(0))).has_value(); }));
  EXPECT_EQ(child.wait(), Exit::with(0));
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  server.received.clear();
  server.endings.clear();
  expect_all_is_well();
}

// A server whose process has a child that lives on, and does nothing.
struct SurvivedTest : testing::Test {
  RuntimeDirectory runtime;
  Gate listens, forked, end;
  ChildProcess parent = ChildProcess::run([&] {
    auto own = ProgressEngine::create().value();
    ServerParty server(*own);
    EXPECT_TRUE(server->start());
    listens.open();
    EXPECT_TRUE(until(*own, [&] { return !server.connections.empty(); }));
    if (::fork() == 0) ::_exit(end.wait() ? 0 : 1);
    forked.open();
    until(*own, [] { return false; });
    return 0;
  });
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  ClientParty client{*engine};
};

TEST_F(SurvivedTest, AChildThatLivesOnKeepsNeitherANameNorAConnection) {
  ASSERT_TRUE(listens.wait());
  ASSERT_TRUE(client.connect()) << client->failure().text;
  ASSERT_TRUE(forked.wait());
  parent.kill(SIGKILL);
  ASSERT_EQ(parent.wait(), Exit::by_signal(SIGKILL));
  EXPECT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::connection_reset);
  ServerParty next(*engine);
  EXPECT_TRUE(next->start());
  end.open();
}

}  // namespace
}  // namespace comch::test
