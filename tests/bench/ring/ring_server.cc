// RingServer: every connection has one operation, which receives.
#include "bench/ring/ring_server.h"

#include <bit>
#include <tuple>

namespace comch::bench {

RingServer::RingServer(const std::string& name, std::uint32_t clients,
                       std::atomic<std::uint64_t>& heard)
    : engine_(need(ProgressEngine::create(), "an engine")), heard_(heard) {
  auto device = need(Device::open_first(Side::kDpu), "a device");
  auto representor = need(Representor::open_first(device), "a representor");
  server_ = need(Server::create(device, representor, name), "a server");
  ring_ = need(uring::Ring::create(*engine_, {.entries = std::bit_ceil(clients + 1)}), "a ring");
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  need(server_->set_max_clients(clients), "so many clients");
  need(server_->configure_send(1, free_task, free_task), "send tasks");
  need(server_->on_message([this](Connection& from, std::span<const std::byte> message) {
    return ring_->on_message(from, message);
  }),
       "a receive callback");
  need(server_->on_connection([this](Connection& client, bool) { add(client); },
                              [this](Connection& client, bool) { remove(client); }),
       "connection callbacks");
  need(engine_->connect(*server_), "the engine");
  need(server_->start(), "to start");
}

RingServer::~RingServer() = default;

void RingServer::hear(std::uint64_t id, Heard& client) {
  uring::Submission* const submission = ring_->get();
  if (submission == nullptr) throw std::runtime_error("the ring is full");
  submission->user_data = id;
  submission->prep_ctrl_recv(*client.control, client.message);
}

void RingServer::add(Connection& connection) {
  const auto id = static_cast<std::uint64_t>(connection.id());
  Heard& client = clients_[id];
  client.control = need(ring_->register_control(connection), "a connection");
  hear(id, client);
  need(ring_->submit(), "to submit");
}

void RingServer::remove(const Connection& connection) {
  const auto it = clients_.find(static_cast<std::uint64_t>(connection.id()));
  need(ring_->unregister(*it->second.control), "to leave");
  clients_.erase(it);
}

void RingServer::count(const uring::Completion& completion) {
  if (completion.res < 0) return;
  heard_.fetch_add(1, std::memory_order_release);  // HEARD
  const auto it = clients_.find(completion.user_data);
  if (it != clients_.end()) hear(it->first, it->second);
}

void RingServer::turn(std::chrono::nanoseconds most) {
  const auto ready = ring_->submit_and_wait(1, most);
  if (!ready && ready.error().code != Errc::time_out) need(ready, "to wait");
  ring_->advance(
      ring_->for_each([this](const uring::Completion& completion) { count(completion); }));
}

void RingServer::await(std::size_t connections) {
  while (clients_.size() < connections) turn();
}

void RingServer::serve() {
  while (!clients_.empty()) turn();
}

}  // namespace comch::bench
