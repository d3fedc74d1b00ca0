// Messages on their way to readers; see inbox.h.
#include "inbox.h"

#include <algorithm>
#include <utility>

namespace comch::fuse {

Inbox::Inbox(EngineHost& host, Connection& connection, std::string connection_name,
             std::shared_ptr<ServerInbox> server)
    : MessageQueue(std::move(connection_name)),
      host_(host),
      connection_(&connection),
      server_(std::move(server)) {}

std::optional<Message> Inbox::take() {
  if (is_waited_for()) return std::nullopt;  // They were first, and progress() serves them.
  if (!returned_.empty()) {
    current_ = std::move(returned_.front());
    returned_.pop_front();
    if (has_ended() && returned_.empty() && on_emptied) on_emptied();
    return Message{this, current_};
  }
  if (connection_ == nullptr) return std::nullopt;
  connection_->pause();
  const auto bytes = connection_->take();
  // The end is reported once all was taken, and that is progress()'s to find out.
  if (connection_->state() != ConnectionState::kEstablished) host_.touch();
  if (bytes) return Message{this, *bytes};
  // Whoever polls edge-triggered has read until here and now waits for the next one.
  if (is_listened_to()) listen();
  return std::nullopt;
}

bool Inbox::has_message() {
  if (!returned_.empty()) return true;
  const auto message = take();
  if (message) give_back(*message);
  return message.has_value();
}

bool Inbox::is_waited_for() const {
  return !waiting.empty() || (server_ && !server_->waiting.empty());
}

bool Inbox::is_listened_to() const {
  return is_waited_for() || !pollers.empty() || (server_ && !server_->pollers.empty());
}

void Inbox::listen() {
  if (connection_ == nullptr) return;
  connection_->resume();
  host_.touch();
}

bool Inbox::is_ending() const {
  return connection_ == nullptr || connection_->state() != ConnectionState::kEstablished;
}

void Inbox::give_back(const Message& message) {
  returned_.emplace_front(message.bytes.begin(), message.bytes.end());
}

std::size_t Inbox::given_back_bytes() const {
  std::size_t sum = 0;
  for (const auto& message : returned_) sum += message.size();
  return sum;
}

HeldRead* Inbox::first_waiting(ReadQueue*& queue) {
  queue = &waiting;
  if (server_ && !server_->waiting.empty()) {
    const bool server_first =
        waiting.empty() || server_->waiting.front().ticket() < waiting.front().ticket();
    if (server_first) queue = &server_->waiting;
  }
  return queue->empty() ? nullptr : &queue->front();
}

Receipt Inbox::on_message(std::span<const std::byte> bytes) {
  ReadQueue* queue = nullptr;
  while (HeldRead* read = first_waiting(queue)) {
    const Offer offer = read->offer({this, bytes});
    if (offer != Offer::kSkipped) queue->pop();
    if (offer == Offer::kLost) continue;
    if (!is_listened_to()) connection_->pause();
    return Receipt::kTaken;
  }
  pollers.wake();
  if (server_) server_->pollers.wake();
  return Receipt::kKeep;
}

void Inbox::end(int loss) {
  connection_ = nullptr;
  set_ended(loss);
}

void Inbox::leave_server() {
  if (const auto server = std::exchange(server_, nullptr)) server->remove(*this);
}

std::optional<Message> ServerInbox::take() {
  for (std::size_t tried = 0; tried < inboxes_.size(); ++tried) {
    turn_ = (turn_ + 1) % inboxes_.size();
    if (auto message = inboxes_[turn_]->take()) return message;
  }
  return std::nullopt;
}

bool ServerInbox::has_message() {
  return std::ranges::any_of(inboxes_, [](const auto& inbox) { return inbox->has_message(); });
}

void ServerInbox::listen() {
  for (const auto& inbox : inboxes_) inbox->listen();
}

void ServerInbox::add(const std::shared_ptr<Inbox>& inbox) {
  std::erase_if(inboxes_, [](const auto& one) { return one->has_ended() && !one->given_back(); });
  inboxes_.push_back(inbox);
  if (!waiting.empty() || !pollers.empty()) inbox->listen();
}

void ServerInbox::remove(const Inbox& inbox) {
  std::erase_if(inboxes_, [&](const auto& one) { return one.get() == &inbox; });
}

}  // namespace comch::fuse
