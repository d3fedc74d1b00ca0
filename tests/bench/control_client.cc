// ControlClient: sends by task or at once, and counts answers.
#include "bench/control_client.h"

#include <tuple>

namespace comch::bench {
ControlClient::ControlClient(const ControlPlan& plan, const std::string& server)
    : plan_(plan), engine_(need(ProgressEngine::create(), "an engine")) {
  client_ =
      need(Client::create(need(Device::open_first(Side::kHost), "a device"), server), "a client");
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  need(client_->set_max_message_size(plan.max_message_size), "a message size");
  need(client_->set_recv_queue_size(plan.queue), "a queue");
  need(client_->configure_send(plan.queue, free_task, free_task), "send tasks");
  need(client_->on_message([this](Connection&, std::span<const std::byte>) {
    ++answers_;
    return Receipt::kTaken;
  }),
       "a receive callback");
  need(engine_->connect(*client_), "the engine");
  need(client_->start(), "to start");
  while (client_->state() == ContextState::kStarting) engine_->wait(std::chrono::seconds(1));
  connection_ = need(client_->connection(), "a connection");
}

ControlClient::~ControlClient() {
  std::ignore = client_->stop();
  while (client_->state() != ContextState::kIdle) engine_->wait(std::chrono::milliseconds(10));
}

void ControlClient::turn() {
  if (plan_.waiting == Waiting::kBusy) {
    engine_->progress();
  } else if (plan_.waiting == Waiting::kSleep) {
    engine_->wait(std::chrono::seconds(1), std::chrono::nanoseconds(0));
  } else {
    engine_->wait(std::chrono::seconds(1));
  }
  if (client_->state() != ContextState::kRunning) throw std::runtime_error("the server has gone");
}

// Both answer false when the message must be tried again after a turn.
bool ControlClient::send_now(std::span<const std::byte> message) {
  const Status sent = connection_->try_send(message);
  if (sent) return true;
  if (sent.error().code != Errc::again) need(sent, "to send");
  return false;
}

bool ControlClient::submit(std::span<const std::byte> message) {
  const Result<SendTask*> task = client_->allocate_send(*connection_, message);
  if (!task) return false;
  need((*task)->submit(), "to submit");
  return true;
}

void ControlClient::send() {
  const bool by_task = plan_.sending == Sending::kTask;
  while (!(by_task ? submit(message_) : send_now(message_))) turn();
}

void ControlClient::await_answer() {
  ++awaited_;
  while (answers_ < awaited_) turn();
}

void ControlClient::round_trip() {
  send();
  await_answer();
}

void ControlClient::fence() {
  while (!(plan_.sending == Sending::kTask ? submit({}) : send_now({}))) turn();
  await_answer();
}

double ControlClient::rate(Duration duration) {
  const double rate = median_rate(duration, [this] { send(); });
  fence();
  return rate;
}

}  // namespace comch::bench
