// What is on its way to the peer; see outbox.h.
#include "outbox.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace comch::fuse {

Status Outbox::send(std::span<const std::byte> message) {
  // Size first: a message that can never be sent does not wait its turn.
  if (message.size() > max_message_size_) return fail(Errc::too_big, "the message is too long");
  if (connection_ != nullptr && !sends_.empty()) return fail(Errc::again);
  return send_first(message);
}

Status Outbox::send_first(std::span<const std::byte> message) {
  if (connection_ == nullptr) return fail(Errc::connection_reset, "the peer is gone");
  return connection_->try_send(message);
}

void Outbox::wait(std::unique_ptr<WaitingSend> send) {
  if (!send->admit()) return;
  sends_.push_back(std::move(send));
  listen();
}

void Outbox::leave(const WaitingSend& send) {
  std::erase_if(sends_, [&](const auto& one) { return one.get() == &send; });
}

bool Outbox::has_room() const {
  return connection_ != nullptr && sends_.empty() && connection_->can_send();
}

bool Outbox::is_over() const {
  return connection_ == nullptr || connection_->state() != ConnectionState::kEstablished;
}

void Outbox::listen() {
  if (connection_ == nullptr) return;
  connection_->request_space();
  host_.touch();
}

void Outbox::on_space() {
  while (!sends_.empty()) {
    if (!sends_.front()->retry()) return listen();
    sends_.pop_front();
  }
  pollers.wake();
}

void Outbox::check() {
  if (is_over()) fail_all(EPIPE);
}

void Outbox::end(int error) {
  connection_ = nullptr;
  fail_all(error);
}

void Outbox::fail_all(int error) {
  for (auto all = std::exchange(sends_, {}); const auto& send : all) send->fail(error);
  pollers.wake();
}

}  // namespace comch::fuse
