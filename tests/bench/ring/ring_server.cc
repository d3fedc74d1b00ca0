// RingServer: every connection has one operation, which receives or sends.
#include "bench/ring/ring_server.h"

#include <bit>
#include <tuple>

namespace comch::bench {

namespace {

// user_data: a connection, and what the operation does.
constexpr std::uint64_t kSend = std::uint64_t{1} << 63U;

}  // namespace

RingServer::RingServer(const std::string& name, std::uint32_t clients)
    : engine_(need(ProgressEngine::create(), "an engine")) {
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

uring::Submission& RingServer::next(std::uint64_t id) {
  uring::Submission* const submission = ring_->get();
  if (submission == nullptr) throw std::runtime_error("the ring is full");
  submission->user_data = id;
  return *submission;
}

void RingServer::add(Connection& connection) {
  const auto id = static_cast<std::uint64_t>(connection.id());
  Echo& echo = clients_[id];
  echo.control = need(ring_->register_control(connection), "a connection");
  next(id).prep_ctrl_recv(*echo.control, echo.message);
  need(ring_->submit(), "to submit");
}

void RingServer::remove(const Connection& connection) {
  const auto it = clients_.find(static_cast<std::uint64_t>(connection.id()));
  need(ring_->unregister(*it->second.control), "to leave");
  clients_.erase(it);
}

void RingServer::answer(const uring::Completion& completion) {
  const auto it = clients_.find(completion.user_data & ~kSend);
  if (it == clients_.end() || completion.res < 0) return;
  Echo& echo = it->second;
  if ((completion.user_data & kSend) != 0) {
    next(it->first).prep_ctrl_recv(*echo.control, echo.message);
  } else {
    const auto length = static_cast<std::size_t>(completion.res);
    next(it->first | kSend).prep_ctrl_send(*echo.control, std::span(echo.message).first(length));
  }
}

void RingServer::turn(std::chrono::nanoseconds most) {
  const auto ready = ring_->submit_and_wait(1, most);
  if (!ready && ready.error().code != Errc::time_out) need(ready, "to wait");
  ring_->advance(
      ring_->for_each([this](const uring::Completion& completion) { answer(completion); }));
}

void RingServer::await(std::size_t connections) {
  while (clients_.size() < connections) turn();
}

void RingServer::serve() {
  while (!clients_.empty()) turn();
}

}  // namespace comch::bench
