// FakeLink: two machines of a FakeFabric with one connection between them, for tests of what
// travels over it.
//
//   FakeLink link;                         // "10.0.0.1" has connected to "10.0.0.2"
//   link.post_receive(link.server, 7);     // 64 bytes of its memory
//   link.send(link.client, "hello", 1);
//   link.poll(link.server)                 // {{.id = 7, .bytes = 5}}
//
// Threads: one. Errors: Result::value() throws, because a test without its link cannot go on.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fake_verbs.h"

namespace comch::test {

struct FakeEnd {
  std::unique_ptr<rdma::EventChannel> events;
  std::unique_ptr<rdma::Id> id;
  std::shared_ptr<rdma::CompletionQueue> completions;
  std::shared_ptr<rdma::QueuePair> queue_pair;
  std::vector<std::byte> memory = std::vector<std::byte>(4096);
  std::shared_ptr<rdma::MemoryRegion> region;

  // The next event of any kind but kOther.
  rdma::Event next() { return std::move(*events->next().value()); }
  bool quiet() { return !events->next().value(); }

  void equip(std::uint32_t depth) {
    const std::shared_ptr<rdma::Domain> domain = id->domain();
    completions = domain->make_completion_queue(depth).value();
    queue_pair = id->create_queue_pair({completions, completions, depth, depth, 64}).value();
    region = domain->register_memory(memory, rdma::RegionAccess::kRemoteWrite).value();
  }
};

struct FakeLink {
  // What devices can do is asked once, and so has to be set by `prepare`.
  using Prepare = std::function<void(FakeFabric&)>;

  explicit FakeLink(std::uint32_t depth = 8, const Prepare& prepare = [](FakeFabric&) {}) {
    prepare(fabric);
    server.events = fabric.host("10.0.0.2").make_event_channel().value();
    listener = server.events->make_id().value();
    rdma::Address any = *rdma::Address::parse("0.0.0.0");
    any.port = 7;
    listener->listen(any, 1).value();
    client.events = fabric.host("10.0.0.1").make_event_channel().value();
    client.id = client.events->make_id().value();
    rdma::Address there = *rdma::Address::parse("10.0.0.2");
    there.port = 7;
    client.id->resolve_address(std::nullopt, there, 100).value();
    client.next();
    client.id->resolve_route(100).value();
    client.next();
    client.equip(depth);
    client.id->connect({}, {}).value();
    server.id = std::move(server.next().incoming);
    server.equip(depth);
    server.id->accept({}, {}).value();
    server.next();
    client.next();
  }

  static void post_receive(FakeEnd& end, std::uint64_t id, std::uint32_t length = 64) {
    const rdma::ReceiveRequest request{
        .id = id, .segment = {end.memory.data(), length, end.region->local_key}};
    end.queue_pair->post(std::span(&request, 1)).value();
  }

  static Status post(FakeEnd& end, const rdma::SendRequest& request) {
    std::size_t posted = 0;
    return end.queue_pair->post(std::span(&request, 1), posted);
  }

  // Of text that was put into the second half of its memory.
  static rdma::SendRequest text(FakeEnd& end, std::string_view words, std::uint64_t id) {
    std::byte* const at = end.memory.data() + 2048;
    std::memcpy(at, words.data(), words.size());
    rdma::SendRequest request{.id = id, .signalled = true, .segment_count = 1};
    request.segments[0] = {at, static_cast<std::uint32_t>(words.size()), end.region->local_key};
    return request;
  }
  static Status send(FakeEnd& end, std::string_view words, std::uint64_t id) {
    return post(end, text(end, words, id));
  }

  static std::vector<rdma::Completion> poll(FakeEnd& end) {
    std::array<rdma::Completion, 64> out;
    const std::size_t count = end.completions->poll(out).value();
    return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  FakeFabric fabric;
  FakeEnd server;
  FakeEnd client;
  std::unique_ptr<rdma::Id> listener;
};

}  // namespace comch::test
