// The messages of one consumer; see consumer_queue.h.
#include "consumer_queue.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "value.h"

namespace comch::fuse {
namespace {

// A message without a mark within a longer one is another, and the longer one will not be whole:
// its producer, which is a program, did not keep to part_mark.h.
bool is_part(const Arrival& arrival) { return part_mark_of(arrival.immediate()).has_value(); }

}  // namespace

void ConsumerQueue::on_arrival(std::shared_ptr<const Arrival> arrival) {
  const ProducerId producer = arrival->producer();
  if (const auto begun = begun_.find(producer); begun != begun_.end()) {
    const auto message = begun->second;  // A reader that is answered may ask us for more.
    if (is_part(*arrival)) {
      if (!message->on_part(std::move(arrival))) begun_.erase(producer);
      return;
    }
    begun_.erase(begun);
    message->cut_short(ECONNRESET);
  }
  while (!waiting.empty()) {
    const Offer offer = waiting.front().offer({.from = this, .arrival = arrival});
    if (offer != Offer::kSkipped) waiting.pop();
    if (offer != Offer::kLost) return;
  }
  arrivals_.push_back(std::move(arrival));
  pollers.wake();
}

std::optional<Message> ConsumerQueue::take() {
  if (arrivals_.empty()) return std::nullopt;
  auto arrival = std::move(arrivals_.front());
  arrivals_.pop_front();
  if (has_ended() && arrivals_.empty() && on_emptied) on_emptied();
  return Message{.from = this, .arrival = std::move(arrival)};
}

void ConsumerQueue::give_back(const Message& message) { arrivals_.push_front(message.arrival); }

std::shared_ptr<LongMessage> ConsumerQueue::claim_rest(const Message& first) {
  if (part_mark_of(first.arrival->immediate()) != PartMark::kMore) return nullptr;
  const ProducerId producer = first.arrival->producer();
  auto message = std::make_shared<LongMessage>(shared_from_this());
  bool is_open = true;
  for (auto one = arrivals_.begin(); is_open && one != arrivals_.end();) {
    if ((*one)->producer() != producer) {
      ++one;
      continue;
    }
    if (!is_part(**one)) {
      message->cut_short(ECONNRESET);
      return message;
    }
    is_open = message->on_part(*one);
    one = arrivals_.erase(one);
  }
  if (is_open && (has_ended() || refusal_ != 0)) {
    message->cut_short(ECONNRESET);
  } else if (is_open) {
    begun_[producer] = message;
  }
  return message;
}

void ConsumerQueue::cut_short_begun() {
  for (const auto& [producer, message] : std::exchange(begun_, {})) message->cut_short(ECONNRESET);
}

void ConsumerQueue::set_refusal(int error) {
  refusal_ = error;
  if (error == 0) return;
  cut_short_begun();
  waiting.fail_all(error);
  pollers.wake();
}

void ConsumerQueue::end(int loss) {
  cut_short_begun();
  set_ended(loss);
}

void ConsumerQueue::leave(int error) {
  for (const auto& [producer, message] : std::exchange(begun_, {})) {
    message->waiting.fail_all(error);
    message->drop();
    message->pollers.wake();
  }
  waiting.fail_all(error);
  pollers.wake();
  arrivals_.clear();
  if (on_emptied) on_emptied();
}

std::string arrival_header(const Message& message) {
  const auto immediate = message.arrival->immediate();
  return fmt::format("{} {} {}\n", message.size(),
                     static_cast<std::uint32_t>(message.arrival->producer()),
                     immediate.empty() ? "-" : show_hex(immediate));
}

}  // namespace comch::fuse
