// ControlServer: the smallest server that answers.
#include "bench/control_server.h"

#include <algorithm>
#include <tuple>

namespace comch::bench {

ControlServer::ControlServer(const ControlPlan& plan, const std::string& name)
    : plan_(plan), engine_(need(ProgressEngine::create(), "an engine")) {
  auto device = need(Device::open_first(Side::kDpu), "a device");
  auto representor = need(Representor::open_first(device), "a representor");
  server_ = need(Server::create(device, representor, name), "a server");
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  need(server_->set_max_message_size(plan.max_message_size), "a message size");
  need(server_->set_recv_queue_size(plan.queue), "a queue");
  need(server_->set_max_clients(plan.max_clients), "so many clients");
  need(server_->configure_send(plan.queue, free_task, free_task), "send tasks");
  need(server_->on_message([this](Connection& from, std::span<const std::byte> message) {
    return receive(from, message);
  }),
       "a receive callback");
  need(server_->on_space([](Connection& connection) { connection.resume(); }), "a callback");
  need(server_->on_connection([](Connection&, bool) {}, [this](Connection&, bool) { ++left_; }),
       "connection callbacks");
  need(engine_->connect(*server_), "the engine");
  need(server_->start(), "to start");
}

ControlServer::~ControlServer() = default;

Receipt ControlServer::receive(Connection& from, std::span<const std::byte> message) {
  if (!plan_.echo && !message.empty()) return Receipt::kTaken;
  if (plan_.sending == Sending::kTask) return answer_by_task(from, message);
  const Status sent = from.try_send(message);
  if (sent || sent.error().code != Errc::again) return Receipt::kTaken;
  from.request_space();
  return Receipt::kKeep;
}

// The asking side has one message on its way at a time, so that one reply is enough.
Receipt ControlServer::answer_by_task(Connection& from, std::span<const std::byte> message) {
  std::ranges::copy(message, reply_.begin());
  SendTask* task =
      need(server_->allocate_send(from, std::span(reply_).first(message.size())), "a send task");
  need(task->submit(), "to submit");
  return Receipt::kTaken;
}

void ControlServer::turn() {
  if (plan_.waiting == Waiting::kBusy) {
    engine_->progress();
  } else if (plan_.waiting == Waiting::kSleep) {
    engine_->wait(std::chrono::seconds(1), std::chrono::nanoseconds(0));
  } else {
    engine_->wait(std::chrono::seconds(1));
  }
}

void ControlServer::serve(std::size_t clients) {
  while (left_ < clients) turn();
}

}  // namespace comch::bench
