// FakeFabric: what it promises those who test on it.
#include "support/fake_verbs.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>

#include "support/fake_link.h"

namespace comch::test {
namespace {

using rdma::CompletionKind;
using rdma::CompletionStatus;
using rdma::EventKind;
using rdma::SendOpcode;
using rdma::SendRequest;

bool readable(int fd) {
  pollfd look{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&look, 1, 0) == 1;
}

std::string_view at(const FakeEnd& end, std::size_t offset, std::size_t size) {
  return {reinterpret_cast<const char*>(end.memory.data()) + offset, size};
}

SendRequest write(FakeLink& link, std::string_view words, std::uint64_t offset) {
  SendRequest request = FakeLink::text(link.client, words, 1);
  request.opcode = SendOpcode::kWrite;
  request.remote_address = reinterpret_cast<std::uint64_t>(link.server.memory.data()) + offset;
  request.remote_key = link.server.region->remote_key;
  return request;
}

TEST(FakeVerbsTest, ASendLandsInTheFirstPostedReceive) {
  FakeLink link;
  FakeLink::post_receive(link.server, 7);
  ASSERT_TRUE(FakeLink::send(link.client, "hello", 1));
  const auto got = FakeLink::poll(link.server);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].id, 7U);
  EXPECT_EQ(got[0].bytes, 5U);
  EXPECT_EQ(at(link.server, 0, 5), "hello");
  const auto sent = FakeLink::poll(link.client);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].kind, CompletionKind::kSent);
}

TEST(FakeVerbsTest, ASendWaitsForAReceiveAndIsCounted) {
  FakeLink link;
  ASSERT_TRUE(FakeLink::send(link.client, "hello", 1));
  EXPECT_TRUE(FakeLink::poll(link.client).empty());
  EXPECT_EQ(link.fabric.counts("10.0.0.2").not_ready, 1U);
  FakeLink::post_receive(link.server, 7);
  EXPECT_EQ(FakeLink::poll(link.client).size(), 1U);
}

TEST(FakeVerbsTest, WhoWaitsTooLongForAReceiveBreaks) {
  FakeLink link;
  ASSERT_TRUE(FakeLink::send(link.client, "one", 1));
  ASSERT_TRUE(FakeLink::send(link.client, "two", 2));
  link.fabric.time_out();
  const auto sent = FakeLink::poll(link.client);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].status, CompletionStatus::kReceiverNotReady);
  EXPECT_EQ(sent[1].status, CompletionStatus::kFlushed);
  EXPECT_TRUE(link.client.quiet()) << "a queue pair that breaks raises no event";
}

TEST(FakeVerbsTest, AWriteIsCheckedByKeyRangeAndPermission) {
  FakeLink link;
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "data", 100)));
  EXPECT_EQ(FakeLink::poll(link.client).at(0).status, CompletionStatus::kSuccess);
  EXPECT_EQ(at(link.server, 100, 4), "data");
  EXPECT_TRUE(FakeLink::poll(link.server).empty());
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "data", 4093)));
  EXPECT_EQ(FakeLink::poll(link.client).at(0).status, CompletionStatus::kRemoteAccess);
}

TEST(FakeVerbsTest, AWrongKeyBreaksBothEnds) {
  FakeLink link;
  FakeLink::post_receive(link.server, 7);
  SendRequest request = write(link, "data", 0);
  request.remote_key += 100;
  ASSERT_TRUE(FakeLink::post(link.client, request));
  EXPECT_EQ(FakeLink::poll(link.client).at(0).status, CompletionStatus::kRemoteAccess);
  EXPECT_EQ(FakeLink::poll(link.server).at(0).status, CompletionStatus::kFlushed);
}

TEST(FakeVerbsTest, AnImmediateConsumesAReceive) {
  FakeLink link;
  FakeLink::post_receive(link.server, 7);
  SendRequest request = write(link, "data", 100);
  request.opcode = SendOpcode::kWriteWithImmediate;
  request.immediate = 99;
  ASSERT_TRUE(FakeLink::post(link.client, request));
  const auto got = FakeLink::poll(link.server);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].kind, CompletionKind::kReceivedImmediate);
  EXPECT_EQ(got[0].immediate, 99U);
}

TEST(FakeVerbsTest, UnsignalledRequestsOccupyTheQueueUntilASignalledOneIsPolled) {
  FakeLink link(4);
  SendRequest request = write(link, "data", 0);
  request.signalled = false;
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(FakeLink::post(link.client, request));
  request.signalled = true;
  ASSERT_TRUE(FakeLink::post(link.client, request));
  EXPECT_EQ(FakeLink::post(link.client, request).error().code, Errc::again);
  EXPECT_EQ(FakeLink::poll(link.client).size(), 1U);
  EXPECT_TRUE(FakeLink::post(link.client, request));
}

TEST(FakeVerbsTest, HeldRequestsAreDeliveredOneByOne) {
  FakeLink link;
  link.fabric.hold();
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "one", 0)));
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "two", 0)));
  EXPECT_EQ(at(link.server, 0, 1)[0], '\0');
  EXPECT_EQ(link.fabric.deliver(1), 1U);
  EXPECT_EQ(FakeLink::poll(link.client).size(), 1U);
  link.fabric.release();
  EXPECT_EQ(FakeLink::poll(link.client).size(), 1U);
  EXPECT_EQ(at(link.server, 0, 3), "two");
}

TEST(FakeVerbsTest, AnArmedQueueRingsOnceForTheNextCompletion) {
  FakeLink link;
  FakeLink::post_receive(link.server, 7);
  ASSERT_TRUE(link.server.completions->arm(false));
  EXPECT_FALSE(readable(link.server.completions->fd()));
  ASSERT_TRUE(FakeLink::send(link.client, "hello", 1));
  EXPECT_TRUE(readable(link.server.completions->fd()));
  link.server.completions->drain();
  EXPECT_FALSE(readable(link.server.completions->fd()));
}

TEST(FakeVerbsTest, OneArmedForSolicitedOnesSleepsThroughOthers) {
  FakeLink link;
  FakeLink::post_receive(link.server, 7);
  FakeLink::post_receive(link.server, 8);
  ASSERT_TRUE(link.server.completions->arm(true));
  ASSERT_TRUE(FakeLink::send(link.client, "hello", 1));
  EXPECT_FALSE(readable(link.server.completions->fd()));
  SendRequest request = FakeLink::text(link.client, "wake", 2);
  request.solicited = true;
  ASSERT_TRUE(FakeLink::post(link.client, request));
  EXPECT_TRUE(readable(link.server.completions->fd()));
}

TEST(FakeVerbsTest, AfterAFarewellSendsCompleteOnlyWhenThisEndDisconnectsToo) {
  FakeLink link;
  ASSERT_TRUE(link.server.id->disconnect());
  EXPECT_EQ(link.client.next().kind, EventKind::kDisconnected);
  ASSERT_TRUE(FakeLink::send(link.client, "hello", 1));
  EXPECT_TRUE(FakeLink::poll(link.client).empty());
  ASSERT_TRUE(link.client.id->disconnect());
  EXPECT_EQ(FakeLink::poll(link.client).at(0).status, CompletionStatus::kFlushed);
}

TEST(FakeVerbsTest, AnIdThatIsDroppedSaysFarewell) {
  FakeLink link;
  link.server.id.reset();
  EXPECT_EQ(link.client.next().kind, EventKind::kDisconnected);
}

TEST(FakeVerbsTest, ADeadHostSaysNothingUntilPatienceEnds) {
  FakeLink link;
  link.fabric.kill_host("10.0.0.2");
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "data", 0)));
  EXPECT_TRUE(FakeLink::poll(link.client).empty());
  EXPECT_TRUE(link.client.quiet());
  link.fabric.time_out();
  EXPECT_EQ(FakeLink::poll(link.client).at(0).status, CompletionStatus::kRetryExceeded);
}

TEST(FakeVerbsTest, WhatIsNotAcknowledgedHasArrivedAndCompletesWhenItsDeviceAsksAgain) {
  FakeLink link;
  link.fabric.lose_acknowledgements(1);
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "data", 0)));
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "more", 4)));
  EXPECT_EQ(at(link.server, 0, 4), "data");
  EXPECT_TRUE(FakeLink::poll(link.client).empty());
  link.fabric.time_out();
  EXPECT_EQ(FakeLink::poll(link.client).size(), 2U);
  EXPECT_EQ(at(link.server, 4, 4), "more");
}

TEST(FakeVerbsTest, FurtherQueuePairsOfAConnectionNeedNoEvents) {
  FakeLink link;
  const auto more = [](FakeEnd& end) {
    return end.id->domain()->make_queue_pair({end.completions, end.completions, 4, 4, 64}).value();
  };
  const auto theirs = more(link.server);
  const auto ours = more(link.client);
  ASSERT_TRUE(ours->connect(*link.client.id->path().value(), theirs->self(), {}));
  std::size_t posted = 0;
  const SendRequest request = write(link, "data", 0);
  ASSERT_TRUE(ours->post(std::span(&request, 1), posted));
  EXPECT_TRUE(FakeLink::poll(link.client).empty()) << "the other end is not alive yet";
  ASSERT_TRUE(theirs->connect(*link.server.id->path().value(), ours->self(), {}));
  ASSERT_TRUE(ours->post(std::span(&request, 1), posted));
  EXPECT_EQ(FakeLink::poll(link.client).size(), 2U);
  EXPECT_EQ(at(link.server, 0, 4), "data");
}

TEST(FakeVerbsTest, TheNthCallAndTheNthRequestFailWhenToldSo) {
  FakeLink link;
  link.fabric.fail_call(2, ENOMEM);
  EXPECT_TRUE(link.client.completions->arm(false));
  const Status armed = link.client.completions->arm(false);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().sys, ENOMEM);
  link.fabric.fail_work_request(2, CompletionStatus::kRetryExceeded);
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "one", 0)));
  ASSERT_TRUE(FakeLink::post(link.client, write(link, "two", 0)));
  const auto done = FakeLink::poll(link.client);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].status, CompletionStatus::kSuccess);
  EXPECT_EQ(done[1].status, CompletionStatus::kRetryExceeded);
}

TEST(FakeVerbsTest, WorkIsCounted) {
  FakeLink link;
  link.fabric.reset_counts();
  FakeLink::post_receive(link.server, 7);
  SendRequest request = FakeLink::text(link.client, "hello", 1);
  request.inlined = true;
  ASSERT_TRUE(FakeLink::post(link.client, request));
  FakeLink::poll(link.client);
  const FakeFabric::Counts client = link.fabric.counts("10.0.0.1");
  EXPECT_EQ(client.doorbells, 1U);
  EXPECT_EQ(client.work_requests, 1U);
  EXPECT_EQ(client.inlined, 1U);
  EXPECT_EQ(client.signalled, 1U);
  EXPECT_EQ(client.completions, 1U);
  EXPECT_EQ(link.fabric.counts("10.0.0.2").receives_posted, 1U);
}

}  // namespace
}  // namespace comch::test
