// RealVerbs on devices that are there: connections, traffic, and every way in which both end.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "real_pair.h"
#include "support/child_process.h"
#include "transport/rdma/real_verbs.h"

namespace comch::test {
namespace {

using rdma::CompletionKind;
using rdma::CompletionStatus;
using rdma::EventKind;

#define ASSERT_OK(expression) \
  if (const auto ok = (expression); !ok) FAIL() << describe(ok.error())

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i + 1);
  return made;
}

bool begins_with(const std::vector<std::byte>& data, const std::vector<std::byte>& wanted) {
  return data.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), data.begin());
}

void expect_completion(rdma::CompletionQueue& queue, CompletionStatus status) {
  const auto got = await_completion(queue);
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->status, status) << name(got->status);
}

TEST(VerbsGuestTest, DevicesAreListedWithTheirAddresses) {
  const auto devices = rdma::make_real_verbs()->devices();
  ASSERT_TRUE(devices) << describe(devices.error());
  for (const rdma::Address& address : {server_address(), client_address()}) {
    const bool found = std::ranges::any_of(*devices, [&](const rdma::VerbsDevice& device) {
      return std::ranges::any_of(device.ports, [&](const rdma::Port& port) {
        return port.active && port.mtu >= 256 &&
               std::ranges::any_of(port.ips,
                                   [&](const rdma::Address& ip) { return ip.same_host(address); });
      });
    });
    EXPECT_TRUE(found) << address.host();
  }
}

TEST(VerbsGuestTest, SoftRoceIsGivenWritesOfOnePacketAndOthersAnyMessage) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  const rdma::DomainLimits& limits = pair.client.id->domain()->limits();
  const bool is_soft = ::getenv("RDMA_VM") != nullptr;
  EXPECT_EQ(limits.max_write, is_soft ? 4096U : limits.max_message);
  EXPECT_GE(limits.max_message, std::uint64_t{1} << 23U);
}

TEST(VerbsGuestTest, HostsAreLookedUp) {
  const auto verbs = rdma::make_real_verbs();
  EXPECT_EQ(verbs->resolver()->look_up("10.1.2.3")->front().host(), "10.1.2.3");
  EXPECT_EQ(verbs->resolver()->look_up("gid:fe80::1")->front().family, rdma::Address::Family::kGid);
  EXPECT_EQ(verbs->resolver()->look_up("no.such.host.invalid").error().code, Errc::not_found);
}

TEST(VerbsGuestTest, DataGoesAlongWithConnectAndAccept) {
  RealPair pair;
  const auto question = pattern(rdma::kMaxConnectData);
  const auto answer = pattern(rdma::kMaxAcceptData);
  ASSERT_OK(pair.connect(question, answer));
  EXPECT_TRUE(begins_with(pair.request_data, question));
  EXPECT_TRUE(begins_with(pair.answer_data, answer));
  EXPECT_TRUE(pair.server.id->peer().same_host(client_address()));
  EXPECT_TRUE(pair.client.id->peer().same_host(server_address()));
  EXPECT_TRUE(pair.client.id->local().same_host(client_address()));
}

TEST(VerbsGuestTest, MoreDataThanAnyDeviceTakesIsRefused) {
  RealPair pair;
  EXPECT_EQ(pair.knock(pattern(rdma::kMaxConnectData + 1)).error().code, Errc::invalid_value);
}

TEST(VerbsGuestTest, ARejectionCarriesItsReason) {
  RealPair pair;
  const auto reason = pattern(rdma::kMaxRejectData);
  ASSERT_OK(pair.knock({}));
  ASSERT_OK(pair.server.id->reject(reason));
  const auto event = await_event(*pair.client_channel, EventKind::kRejected);
  ASSERT_TRUE(event) << describe(event.error());
  EXPECT_TRUE(begins_with(event->data, reason));
}

TEST(VerbsGuestTest, WhereNobodyListensIsARejection) {
  RealPair pair;
  ASSERT_OK(pair.knock({}));
  RealPair other;
  auto channel = other.verbs->make_event_channel();
  ASSERT_TRUE(channel);
  auto id = (*channel)->make_id();
  ASSERT_TRUE(id);
  rdma::Address nobody = server_address();
  nobody.port = next_port();
  ASSERT_OK((*id)->resolve_address(client_address(), nobody, 2000));
  ASSERT_TRUE(await_event(**channel, EventKind::kAddressResolved));
  ASSERT_OK((*id)->resolve_route(2000));
  ASSERT_TRUE(await_event(**channel, EventKind::kRouteResolved));
  RealEnd end;
  ASSERT_OK(end.set_up(*std::move(id)));
  ASSERT_OK(end.id->connect({}, {}));
  EXPECT_TRUE(await_event(**channel, EventKind::kRejected));
}

TEST(VerbsGuestTest, APortHasOneListener) {
  RealPair first;
  RealPair second;
  second.target = first.target;
  ASSERT_OK(first.listen());
  EXPECT_EQ(second.listen().error().code, Errc::already_exist);
  first.listener.reset();
  EXPECT_TRUE(second.listen());
}

TEST(VerbsGuestTest, ASendCompletesOnBothSides) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_OK(pair.server.receive(3));
  ASSERT_OK(pair.client.send("hello"));
  expect_completion(*pair.client.sent, CompletionStatus::kSuccess);
  const auto got = await_completion(*pair.server.arrived);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, CompletionKind::kReceived);
  EXPECT_EQ(got->id, 3u);
  EXPECT_EQ(got->queue_pair, pair.server.queue_pair->number());
  EXPECT_EQ(pair.server.received(3, got->bytes), "hello");
}

TEST(VerbsGuestTest, AnInlineSendNeedsItsMemoryNoLonger) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_GE(pair.client.queue_pair->max_inline(), 16u);
  ASSERT_OK(pair.server.receive(0));
  std::string text = "inline";
  rdma::SendRequest request;
  request.signalled = request.inlined = true;
  request.segment_count = 1;
  request.segments[0] = {
      .address = reinterpret_cast<const std::byte*>(text.data()), .length = 6, .local_key = 0};
  std::size_t posted = 0;
  ASSERT_OK(pair.client.queue_pair->post(std::array{request}, posted));
  EXPECT_EQ(posted, 1u);
  text = "something else";
  expect_completion(*pair.client.sent, CompletionStatus::kSuccess);
  ASSERT_TRUE(await_completion(*pair.server.arrived));
  EXPECT_EQ(pair.server.received(0, 6), "inline");
}

TEST(VerbsGuestTest, AnImmediateComesAfterWhatWasWritten) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_OK(pair.server.receive(0));
  const auto& there = *pair.server.region;
  const auto place = reinterpret_cast<std::uintptr_t>(there.address) + 4096;
  const std::string text(100'000, 'w');
  ASSERT_OK(pair.client.write(text, place, there.remote_key, 0x01020304));
  const auto got = await_completion(*pair.server.arrived);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, CompletionKind::kReceivedImmediate);
  EXPECT_EQ(got->immediate, 0x01020304u);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(there.address) + 4096, text.size()),
            text);
}

TEST(VerbsGuestTest, ASleepingReceiverIsWokenOnce) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_OK(pair.server.receive(0));
  ASSERT_OK(pair.server.arrived->arm(false));
  pollfd wait{.fd = pair.server.arrived->fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&wait, 1, 0), 0);
  ASSERT_OK(pair.client.send("wake"));
  EXPECT_EQ(::poll(&wait, 1, Deadline().left_ms()), 1);
  pair.server.arrived->drain();
  EXPECT_EQ(::poll(&wait, 1, 0), 0);
  expect_completion(*pair.server.arrived, CompletionStatus::kSuccess);
  expect_completion(*pair.client.sent, CompletionStatus::kSuccess);
}

TEST(VerbsGuestTest, AFullSendQueueIsToBeTriedAgain) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  Status last;
  for (int i = 0; i < 4096 && last; ++i) last = pair.client.send("fill");
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Errc::again);
}

TEST(VerbsGuestTest, AWrongKeyFailsTheWriterAlone) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  const auto& there = *pair.server.region;
  ASSERT_OK(pair.client.write("bad", reinterpret_cast<std::uintptr_t>(there.address),
                              there.remote_key ^ 0x5500u));
  expect_completion(*pair.client.sent, CompletionStatus::kRemoteAccess);
}

TEST(VerbsGuestTest, WhatIsRegisteredWithAnotherDomainIsNotWrittenTo) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  const auto another = pair.server.id->domain()->make_another();
  ASSERT_OK(another);
  std::vector<std::byte> apart(64);
  const auto region = (*another)->register_memory(apart, rdma::RegionAccess::kRemoteWrite);
  ASSERT_OK(region);
  ASSERT_OK(pair.client.write("bad", reinterpret_cast<std::uintptr_t>(apart.data()),
                              (*region)->remote_key));
  expect_completion(*pair.client.sent, CompletionStatus::kRemoteAccess);
  EXPECT_EQ(apart, std::vector<std::byte>(64));
}

TEST(VerbsGuestTest, AWriteBehindTheEndOfARegionFails) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  const auto& there = *pair.server.region;
  const auto end = reinterpret_cast<std::uintptr_t>(there.address) + there.length;
  ASSERT_OK(pair.client.write("bad", end - 1, there.remote_key));
  expect_completion(*pair.client.sent, CompletionStatus::kRemoteAccess);
}

TEST(VerbsGuestTest, AReceiverThatIsNeverReadyIsAnError) {
  RealPair pair;
  rdma::Patience patience;
  patience.rnr_retry_count = 2;
  ASSERT_OK(pair.connect({}, {}, patience));
  ASSERT_OK(pair.client.send("nobody takes it"));
  expect_completion(*pair.client.sent, CompletionStatus::kReceiverNotReady);
}

TEST(VerbsGuestTest, AReceiveThatComesLateIsFoundSoon) {
  RealPair pair;
  rdma::Patience patience;
  patience.rnr_retry_count = 7;
  ASSERT_OK(pair.connect({}, {}, patience));
  ASSERT_OK(pair.client.send("early"));
  ASSERT_OK(pair.server.receive(0));
  expect_completion(*pair.server.arrived, CompletionStatus::kSuccess);
}

TEST(VerbsGuestTest, DisconnectFlushesWhatIsPostedOnBothSides) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_OK(pair.server.receive(0));
  ASSERT_OK(pair.client.receive(0));
  ASSERT_OK(pair.client.id->disconnect());
  ASSERT_TRUE(await_event(*pair.server_channel, EventKind::kDisconnected));
  ASSERT_OK(pair.server.id->disconnect());
  expect_completion(*pair.client.arrived, CompletionStatus::kFlushed);
  expect_completion(*pair.server.arrived, CompletionStatus::kFlushed);
}

TEST(VerbsGuestTest, AQueuePairOutlivesItsIdAndDoesNoMoreWork) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  ASSERT_OK(pair.client.receive(0));
  const auto kept = pair.client.queue_pair;
  pair.client.id.reset();
  expect_completion(*pair.client.arrived, CompletionStatus::kFlushed);
}

TEST(VerbsGuestTest, FurtherQueuePairsOfAConnectionNeedNoRdmaCm) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  auto here = pair.client.make_queue_pair();
  auto there = pair.server.make_queue_pair();
  ASSERT_TRUE(here);
  ASSERT_TRUE(there);
  const auto out = pair.client.id->path();
  const auto back = pair.server.id->path();
  ASSERT_TRUE(out) << describe(out.error());
  ASSERT_TRUE(back) << describe(back.error());
  ASSERT_OK((*there)->connect(**back, (*here)->self(), {}));
  ASSERT_OK((*here)->connect(**out, (*there)->self(), {}));
  ASSERT_OK(pair.server.receive(1, there->get()));
  ASSERT_OK(pair.client.send("beside", here->get()));
  const auto got = await_completion(*pair.server.arrived);
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->status, CompletionStatus::kSuccess) << name(got->status);
  EXPECT_EQ(got->queue_pair, (*there)->number());
  EXPECT_EQ(pair.server.received(1, got->bytes), "beside");
  ASSERT_OK(pair.client.receive(2, here->get()));
  // Its acknowledgement may have been lost, and then it would be flushed, too.
  expect_completion(*pair.client.sent, CompletionStatus::kSuccess);
  (*here)->flush();
  expect_completion(*pair.client.arrived, CompletionStatus::kFlushed);
}

TEST(VerbsGuestTest, MemoryOfAMemfdIsWrittenByThePeer) {
  const int fd = ::memfd_create("guest", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, 8192), 0);
  void* const map = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(map, MAP_FAILED);
  {
    RealPair pair;
    ASSERT_OK(pair.connect());
    const std::span bytes(static_cast<std::byte*>(map), 8192);
    const auto region =
        pair.server.id->domain()->register_memory(bytes, rdma::RegionAccess::kRemoteWrite);
    ASSERT_TRUE(region) << describe(region.error());
    ASSERT_OK(pair.client.write("into the file", reinterpret_cast<std::uintptr_t>(map),
                                (*region)->remote_key));
    expect_completion(*pair.client.sent, CompletionStatus::kSuccess);
    std::array<char, 13> text{};
    ASSERT_EQ(::pread(fd, text.data(), text.size(), 0), 13);
    EXPECT_EQ(std::string_view(text.data(), text.size()), "into the file");
  }
  ::munmap(map, 8192);
  ::close(fd);
}

TEST(VerbsGuestTest, MemoryThatIsNotThereIsNotRegistered) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  void* const gone = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(gone, 4096);
  const auto region = pair.server.id->domain()->register_memory(
      std::span(static_cast<std::byte*>(gone), 4096), rdma::RegionAccess::kLocalWrite);
  ASSERT_FALSE(region);
  EXPECT_EQ(region.error().code, Errc::invalid_value);
}

TEST(VerbsGuestTest, ALocalRegionIsNotThePeersToWrite) {
  RealPair pair;
  ASSERT_OK(pair.connect());
  std::vector<std::byte> own(4096);
  const auto region =
      pair.server.id->domain()->register_memory(own, rdma::RegionAccess::kLocalWrite);
  ASSERT_TRUE(region);
  ASSERT_OK(pair.client.write("bad", reinterpret_cast<std::uintptr_t>(own.data()),
                              (*region)->remote_key));
  expect_completion(*pair.client.sent, CompletionStatus::kRemoteAccess);
}

TEST(VerbsGuestTest, APeerThatIsKilledIsDisconnected) {
  RealPair pair;
  Gate listening;
  Gate connected;
  // The child knocks; that is its part of RealPair, and the rest is ours.
  const ChildProcess child = ChildProcess::run([&] {
    if (!listening.wait()) return 1;
    RealPair own;
    auto channel = own.verbs->make_event_channel();
    auto id = channel ? (*channel)->make_id() : std::unexpected(channel.error());
    if (!id || !(*id)->resolve_address(client_address(), pair.target, 2000)) return 2;
    if (!await_event(**channel, EventKind::kAddressResolved)) return 3;
    if (!(*id)->resolve_route(2000)) return 4;
    if (!await_event(**channel, EventKind::kRouteResolved)) return 5;
    if (!own.client.set_up(*std::move(id)) || !own.client.id->connect({}, {})) return 6;
    if (!await_event(**channel, EventKind::kEstablished)) return 7;
    connected.open();
    ::pause();
    return 8;
  });
  ASSERT_OK(pair.listen());
  listening.open();
  auto event = await_event(*pair.server_channel, EventKind::kConnectRequest);
  ASSERT_TRUE(event) << describe(event.error());
  ASSERT_OK(pair.server.set_up(std::move(event->incoming)));
  ASSERT_OK(pair.server.id->accept({}, {}));
  ASSERT_TRUE(connected.wait());
  child.kill(SIGKILL);
  EXPECT_TRUE(await_event(*pair.server_channel, EventKind::kDisconnected));
}

}  // namespace
}  // namespace comch::test
