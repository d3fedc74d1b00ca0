// The writes that wait for what they ordered; see operations.h.
#include "operations.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace comch::fuse {
namespace {

void reply(Request& request, std::size_t size, const Outcome& outcome) {
  if (outcome.error != 0) {
    request.fail(outcome.error);
  } else {
    request.written(size);
  }
}

}  // namespace

class Operations::Held final : public HeldRequest {
 public:
  Held(Operations& owner, Request request, std::size_t size, Outcome outcome, Ended ended)
      : HeldRequest(std::move(request)),
        owner_(owner),
        size_(size),
        outcome_(std::move(outcome)),
        ended_(std::move(ended)) {}

  std::optional<Outcome> check() const { return outcome_.check(); }
  void give_up() const {
    if (outcome_.give_up) outcome_.give_up();
  }

  void end(const Outcome& outcome) {
    ended_(outcome);
    reply(request(), size_, outcome);
  }

 private:
  void interrupted() override {
    give_up();
    request().fail(EINTR);
    std::erase_if(owner_.held_, [this](const auto& held) { return held.get() == this; });
  }

  Operations& owner_;
  const std::size_t size_;
  const Outcome outcome_;
  const Ended ended_;
};

Operations::Operations() = default;
Operations::~Operations() = default;

void Operations::answer(Request request, std::size_t size, Outcome outcome, bool nonblocking,
                        Ended ended) {
  if (outcome.is_pending()) {
    // It may have ended already: what it waits for was there all the time.
    if (auto now = outcome.check()) outcome = std::move(*now);
  }
  if (!outcome.is_pending()) {
    ended(outcome);
    reply(request, size, outcome);
  } else if (nonblocking) {
    request.fail(EINPROGRESS);
  } else {
    auto held = std::make_unique<Held>(*this, std::move(request), size, std::move(outcome),
                                       std::move(ended));
    if (held->admit_interrupts()) {
      held_.push_back(std::move(held));
    } else {
      held->give_up();
    }
  }
}

void Operations::check() {
  for (auto held = held_.begin(); held != held_.end();) {
    const auto outcome = (*held)->check();
    if (!outcome) {
      ++held;
      continue;
    }
    const auto ended = std::move(*held);
    held = held_.erase(held);
    ended->end(*outcome);
  }
}

void Operations::fail_all(int error) {
  for (List all = std::exchange(held_, {}); const auto& held : all) held->request().fail(error);
}

}  // namespace comch::fuse
