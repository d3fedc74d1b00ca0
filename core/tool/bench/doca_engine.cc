// DocaEngine: the order of request, sleep and clear that loses no event.
#include "tool/bench/doca_engine.h"

#include <poll.h>

#include <ctime>
#include <tuple>

namespace comch::tool {

using Clock = std::chrono::steady_clock;

Result<std::unique_ptr<DocaEngine>> DocaEngine::create() {
  std::unique_ptr<DocaEngine> engine(new DocaEngine);
  Status status = make(engine->pe_, doca_pe_create);
  if (status) {
    status = status_of(doca_pe_get_notification_handle(engine->get(), &engine->handle_));
  }
  if (!status) return std::unexpected(status.error());
  return engine;
}

bool DocaEngine::wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) {
  if (progress()) return true;
  if (spin.count() > 0) {
    const auto end = Clock::now() + spin;
    do {
      if (progress()) return true;
    } while (Clock::now() < end);
  }
  return sleep(timeout);
}

// What happened before the request makes the handle readable at once.
bool DocaEngine::sleep(std::chrono::nanoseconds timeout) {
  if (doca_pe_request_notification(get()) != DOCA_SUCCESS) return false;
  pollfd rung{.fd = handle_, .events = POLLIN, .revents = 0};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec limit{.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
  std::ignore = ::ppoll(&rung, 1, &limit, nullptr);
  std::ignore = doca_pe_clear_notification(get(), handle_);
  return progress();
}

}  // namespace comch::tool
