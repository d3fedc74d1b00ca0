// HandClient: a client that a test plays packet by packet, honest or not.
//
//   HandClient client(fabric, "10.0.0.1");
//   client.call("10.0.0.2", "echo");
//   client.say(client.hello("echo"));
//   auto welcome = client.hear<wire::RemoteWelcome>();
//
// Threads: one. Between calls the server's reactor is to be run.
#pragma once

#include <cstring>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "support/encoded.h"
#include "support/fake_link.h"
#include "transport/rdma/packet.h"
#include "transport/rdma/server_port.h"
#include "wire/remote_handshake.h"

namespace comch::test {

// Sends a packet of the carrier by way of `at`, a place in the end's memory.
inline void send_packet(FakeEnd& end, std::span<std::byte> at, rdma::PacketKind kind,
                        std::span<const std::byte> body, std::uint64_t id = 0) {
  std::array<std::byte, rdma::kPacketHeader> header;
  rdma::write({.kind = kind, .freed = {}}, header);
  std::memcpy(at.data(), header.data(), header.size());
  std::memcpy(at.data() + header.size(), body.data(), body.size());
  rdma::SendRequest request{.id = id, .signalled = true, .segment_count = 1};
  request.segments[0] = {at.data(), static_cast<std::uint32_t>(header.size() + body.size()),
                         end.region->local_key};
  FakeLink::post(end, request).value();
}

class HandClient {
 public:
  HandClient(FakeFabric& fabric, const std::string& host) {
    end_.events = fabric.host(host).make_event_channel().value();
    end_.id = end_.events->make_id().value();
  }

  // With private data of the test's own.
  void connect(const std::string& host, std::string_view name, std::vector<std::byte> data) {
    rdma::Address there = *rdma::Address::parse(host);
    there.port = rdma::server_port(rdma::name_hash(name), 0);
    end_.id->resolve_address(std::nullopt, there, 100).value();
    end_.next();
    end_.id->resolve_route(100).value();
    end_.next();
    end_.memory.resize(kSlots * kSlot);
    end_.equip(64);
    for (std::size_t slot = 0; slot + 1 < kSlots; ++slot) {
      const rdma::ReceiveRequest request{
          .id = slot,
          .segment = {end_.memory.data() + slot * kSlot, kSlot, end_.region->local_key}};
      end_.queue_pair->post(std::span(&request, 1)).value();
    }
    end_.id->connect(data, {}).value();
  }
  void call(const std::string& host, std::string_view name) {
    call_ = wire::encoded(wire::Call{.name_hash = rdma::name_hash(name)});
    connect(host, name, call_);
  }
  const std::vector<std::byte>& call_bytes() const { return call_; }

  static wire::RemoteHello hello(std::string_view name) {
    wire::RemoteHello hello;
    hello.max_message_size = 4080;
    hello.recv_queue_size = hello.window = 64;
    hello.nonce.fill(std::byte{7});
    hello.name = name;
    return hello;
  }

  template <class Packet>
  std::vector<std::byte> say(const Packet& packet) {
    std::vector<std::byte> bytes = wire::encoded(packet);
    send(rdma::PacketKind::kHandshake, bytes);
    return bytes;
  }
  void send(rdma::PacketKind kind, std::span<const std::byte> body) {
    send_packet(end_, std::span(end_.memory).last(kSlot), kind, body, kSlots);
  }

  // Writes a word into the server's memory, without an answer of its program. How that ends.
  rdma::CompletionStatus write(std::uint64_t address, std::uint32_t key) {
    rdma::SendRequest request{
        .id = kSlots, .opcode = rdma::SendOpcode::kWrite, .signalled = true, .segment_count = 1};
    request.segments[0] = {end_.memory.data(), 8, end_.region->local_key};
    std::memset(end_.memory.data(), '!', 8);
    request.remote_address = address;
    request.remote_key = key;
    FakeLink::post(end_, request).value();
    for (const rdma::Completion& completion : FakeLink::poll(end_)) {
      if (completion.id == kSlots) return completion.status;
    }
    return rdma::CompletionStatus::kOther;
  }

  // Of what the server has said since, a packet of this kind.
  template <class Packet>
  std::optional<Packet> hear() {
    std::optional<Packet> heard;
    for (const rdma::Completion& completion : FakeLink::poll(end_)) {
      if (completion.id == kSlots || completion.status != rdma::CompletionStatus::kSuccess)
        continue;
      const std::span<const std::byte> bytes =
          std::span(end_.memory).subspan(completion.id * kSlot, completion.bytes);
      const auto packet = wire::decode_remote(bytes.subspan(rdma::kPacketHeader));
      if (packet && std::holds_alternative<Packet>(*packet)) heard = std::get<Packet>(*packet);
    }
    return heard;
  }

  // What came with the refusal of the connection itself.
  Result<wire::Refusal> rejection() {
    while (std::optional<rdma::Event> event = end_.events->next().value()) {
      if (event->kind == rdma::EventKind::kRejected) return wire::decode_refusal(event->data);
    }
    return fail(Errc::empty, "it was not rejected");
  }

 private:
  static constexpr std::uint32_t kSlot = 640;
  static constexpr std::size_t kSlots = 9;  // The last one to send from.

  FakeEnd end_;
  std::vector<std::byte> call_;
};

}  // namespace comch::test
