// ProgressEngine: the public face of Engine.
#include "comch/progress_engine.h"

#include <utility>

#include "engine/engine.h"

namespace comch {

using engine::Engine;

Result<std::unique_ptr<ProgressEngine>> ProgressEngine::create() { return Engine::create(); }

Status ProgressEngine::destroy(std::unique_ptr<ProgressEngine>& face) {
  if (face == nullptr) return fail(Errc::invalid_value, "there is no engine to destroy");
  if (Engine::of(*face).has_contexts()) {
    return fail(Errc::in_use, "contexts are connected to the engine; destroy them first");
  }
  face.reset();
  return {};
}

Status ProgressEngine::connect(Context& context) {
  return Engine::of(*this).connect(engine::ContextCore::of(context));
}

bool ProgressEngine::progress() { return Engine::of(*this).progress(); }

bool ProgressEngine::wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) {
  return Engine::of(*this).wait(timeout, spin);
}

Status ProgressEngine::after_progress(std::function<void()> work) {
  return Engine::of(*this).after_progress(std::move(work));
}

int ProgressEngine::event_fd() const { return Engine::of(*this).event_fd(); }

Status ProgressEngine::request_notification() { return Engine::of(*this).request_notification(); }

Result<std::size_t> ProgressEngine::request_notification(std::span<WakeWord> words) {
  return Engine::of(*this).request(words);
}

Status ProgressEngine::clear_notification() { return Engine::of(*this).clear_notification(); }

void ProgressEngine::heed_none() { Engine::of(*this).heed_none(); }

void ProgressEngine::heed(Context& consumer) {
  Engine::of(*this).heed(engine::ContextCore::of(consumer));
}

void ProgressEngine::heed_all() { Engine::of(*this).heed_all(); }

std::size_t ProgressEngine::tasks_in_flight() const { return Engine::of(*this).tasks_in_flight(); }

}  // namespace comch
