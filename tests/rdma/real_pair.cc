// RealPair: see real_pair.h.
#include "real_pair.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "transport/rdma/real_verbs.h"

namespace comch::test {
namespace {

using rdma::EventKind;

constexpr int kResolveMs = 2000;

rdma::Address address_from(const char* variable, const char* otherwise) {
  const char* const text = ::getenv(variable);
  const auto address = rdma::Address::parse(text != nullptr ? text : otherwise);
  return address.value_or(rdma::Address{});
}

}  // namespace

rdma::Address server_address() { return address_from("COMCH_RDMA_SERVER", "10.77.0.1"); }
rdma::Address client_address() { return address_from("COMCH_RDMA_CLIENT", "10.77.0.2"); }

std::uint16_t next_port() {
  static std::uint16_t next = 0;
  return static_cast<std::uint16_t>(20000 + static_cast<unsigned>(::getpid()) % 10000 + next++);
}

Result<rdma::Event> await_event(rdma::EventChannel& channel, EventKind kind) {
  const Deadline deadline;
  while (!deadline.passed()) {
    auto event = channel.next();
    if (!event) return std::unexpected(event.error());
    if (*event && (*event)->kind == kind) return *std::move(*event);
    if (*event) continue;
    pollfd wait{.fd = channel.fd(), .events = POLLIN, .revents = 0};
    ::poll(&wait, 1, deadline.left_ms());
  }
  return fail(Errc::time_out, "the event did not come");
}

Result<rdma::Completion> await_completion(rdma::CompletionQueue& queue) {
  const Deadline deadline;
  do {
    std::array<rdma::Completion, 1> one;
    const auto got = queue.poll(one);
    if (!got) return std::unexpected(got.error());
    if (*got == 1) return one.front();
  } while (!deadline.passed());
  return fail(Errc::time_out, "nothing has completed");
}

rdma::QueuePairOptions RealEnd::options() const {
  return {.send_queue = sent,
          .receive_queue = arrived,
          .max_sends = kDepth,
          .max_receives = kDepth,
          .max_inline = 64};
}

Status RealEnd::set_up(std::unique_ptr<rdma::Id> made) {
  id = std::move(made);
  const auto domain = id->domain();
  auto completions = domain->make_completion_queue(2 * kDepth);
  if (!completions) return std::unexpected(completions.error());
  sent = *completions;
  completions = domain->make_completion_queue(2 * kDepth);
  if (!completions) return std::unexpected(completions.error());
  arrived = *completions;
  auto registered = domain->register_memory(memory, rdma::RegionAccess::kRemoteWrite);
  if (!registered) return std::unexpected(registered.error());
  region = *registered;
  auto made_pair = id->create_queue_pair(options());
  if (!made_pair) return std::unexpected(made_pair.error());
  queue_pair = *made_pair;
  return {};
}

Result<std::shared_ptr<rdma::QueuePair>> RealEnd::make_queue_pair() {
  return id->domain()->make_queue_pair(options());
}

// From the upper half of the memory; what arrives goes to the lower half.
rdma::SendRequest RealEnd::request_for(std::string_view text) {
  std::byte* const from = memory.data() + kBytes / 2;
  std::memcpy(from, text.data(), text.size());
  rdma::SendRequest request;
  request.id = text.size();
  request.signalled = true;
  request.segment_count = 1;
  request.segments[0] = {.address = from,
                         .length = static_cast<std::uint32_t>(text.size()),
                         .local_key = region->local_key};
  return request;
}

Status RealEnd::send(std::string_view text, rdma::QueuePair* over) {
  const std::array requests{request_for(text)};
  std::size_t posted = 0;
  return (over != nullptr ? *over : *queue_pair).post(requests, posted);
}

Status RealEnd::write(std::string_view text, std::uint64_t address, std::uint32_t key,
                      std::optional<std::uint32_t> immediate) {
  std::array requests{request_for(text)};
  requests[0].opcode = immediate ? rdma::SendOpcode::kWriteWithImmediate : rdma::SendOpcode::kWrite;
  requests[0].immediate = immediate.value_or(0);
  requests[0].remote_address = address;
  requests[0].remote_key = key;
  std::size_t posted = 0;
  return queue_pair->post(requests, posted);
}

Status RealEnd::receive(std::uint64_t number, rdma::QueuePair* over) {
  const std::array requests{rdma::ReceiveRequest{
      .id = number,
      .segment = {
          .address = memory.data() + number * 256, .length = 256, .local_key = region->local_key}}};
  return (over != nullptr ? *over : *queue_pair).post(requests);
}

std::string_view RealEnd::received(std::uint64_t number, std::size_t bytes) const {
  return {reinterpret_cast<const char*>(memory.data() + number * 256), bytes};
}

RealPair::RealPair() : verbs(rdma::make_real_verbs()), target(server_address()) {
  target.port = next_port();
}

Status RealPair::listen() {
  auto channel = verbs->make_event_channel();
  if (!channel) return std::unexpected(channel.error());
  server_channel = *std::move(channel);
  auto id = server_channel->make_id();
  if (!id) return std::unexpected(id.error());
  listener = *std::move(id);
  return listener->listen(target, 4);
}

Status RealPair::knock(std::span<const std::byte> data, const rdma::Patience& patience) {
  if (Status s = listen(); !s) return s;
  auto channel = verbs->make_event_channel();
  if (!channel) return std::unexpected(channel.error());
  client_channel = *std::move(channel);
  auto id = client_channel->make_id();
  if (!id) return std::unexpected(id.error());
  if (Status s = (*id)->resolve_address(client_address(), target, kResolveMs); !s) return s;
  auto event = await_event(*client_channel, EventKind::kAddressResolved);
  if (!event) return std::unexpected(event.error());
  if (Status s = (*id)->resolve_route(kResolveMs); !s) return s;
  event = await_event(*client_channel, EventKind::kRouteResolved);
  if (!event) return std::unexpected(event.error());
  if (Status s = client.set_up(*std::move(id)); !s) return s;
  if (Status s = client.id->connect(data, patience); !s) return s;
  event = await_event(*server_channel, EventKind::kConnectRequest);
  if (!event) return std::unexpected(event.error());
  request_data = event->data;
  return server.set_up(std::move(event->incoming));
}

Status RealPair::connect(std::span<const std::byte> data, std::span<const std::byte> answer,
                         const rdma::Patience& patience) {
  if (Status s = knock(data, patience); !s) return s;
  if (Status s = server.id->accept(answer, patience); !s) return s;
  auto event = await_event(*client_channel, EventKind::kEstablished);
  if (!event) return std::unexpected(event.error());
  answer_data = event->data;
  event = await_event(*server_channel, EventKind::kEstablished);
  return event ? Status{} : std::unexpected(event.error());
}

}  // namespace comch::test
