// What is on its way to the other side; see outbox.h.
#include "outbox.h"

#include <algorithm>
#include <utility>

namespace comch::fuse {

Status Outbox::send(std::span<const std::byte> message) {
  // Size first: a message that can never be sent does not wait its turn.
  if (message.size() > max_message_size()) return fail(Errc::too_big, why_too_long());
  if (is_taken()) return fail(Errc::again);
  return send_first(message);
}

void Outbox::wait(std::unique_ptr<WaitingSend> send) {
  if (!send->admit()) return;
  const Place place = send->place();
  sends_.insert(place == Place::kFirst ? sends_.begin() : sends_.end(), std::move(send));
  listen(place);
}

void Outbox::leave(const WaitingSend& send) {
  std::erase_if(sends_, [&](const auto& one) { return one.get() == &send; });
}

void Outbox::listen(Place place) {
  if (!is_reachable() || !may_go_on(place)) return;
  request_space();
  host_.touch();
}

void Outbox::on_space() {
  if (is_serving_) return;
  is_serving_ = true;
  while (!sends_.empty() && may_go_on(sends_.front()->place())) {
    const auto first = sends_.begin();  // A put that fails may put the word of it before itself.
    if (!(*first)->retry()) break;
    sends_.erase(first);
  }
  is_serving_ = false;
  const bool has_others = !sends_.empty();
  if (has_others) listen(sends_.front()->place());
  if (!has_others || is_within_put()) pollers.wake();  // Within a put its own writer may poll.
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
