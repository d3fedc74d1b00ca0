// What is on its way to the other side; see outbox.h.
#include "outbox.h"

#include <algorithm>
#include <utility>

namespace comch::fuse {

Status Outbox::send(std::span<const std::byte> message) {
  // Size first: a message that can never be sent does not wait its turn.
  if (message.size() > max_message_size()) return fail(Errc::too_big, why_too_long());
  if (refusal() == 0 && !sends_.empty()) return fail(Errc::again);
  return send_first(message);
}

void Outbox::wait(std::unique_ptr<WaitingSend> send, Place place) {
  if (!send->admit()) return;
  sends_.insert(place == Place::kFirst ? sends_.begin() : sends_.end(), std::move(send));
  listen();
}

void Outbox::leave(const WaitingSend& send) {
  std::erase_if(sends_, [&](const auto& one) { return one.get() == &send; });
}

void Outbox::listen() {
  if (!is_reachable()) return;
  request_space();
  host_.touch();
}

void Outbox::on_space() {
  if (is_serving_) return;
  is_serving_ = true;
  while (!sends_.empty() && sends_.front()->retry()) sends_.pop_front();
  is_serving_ = false;
  if (!sends_.empty()) return listen();
  pollers.wake();
}

void Outbox::check() {
  if (const int error = refusal(); error != 0) fail_all(error);
}

void Outbox::fail_all(int error) {
  for (auto all = std::exchange(sends_, {}); const auto& send : all) send->fail(error);
  pollers.wake();
}

void Outbox::fail_writers(int error) {
  Sends writers;
  for (auto send = sends_.begin(); send != sends_.end();) {
    const auto next = std::next(send);
    if (!(*send)->is_promised()) writers.splice(writers.end(), sends_, send);
    send = next;
  }
  for (const auto& send : writers) send->fail(error);
  pollers.wake();
}

}  // namespace comch::fuse
