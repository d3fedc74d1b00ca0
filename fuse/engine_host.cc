// The progress engine as the loop sees it; see engine_host.h.
#include "engine_host.h"

#include "comch/log.h"

namespace comch::fuse {
namespace {

// Bounded, so that a flood of messages cannot keep requests of the kernel waiting.
constexpr int kRounds = 64;

}  // namespace

Result<std::unique_ptr<EngineHost>> EngineHost::create() {
  auto engine = ProgressEngine::create();
  if (!engine) return std::unexpected(engine.error());
  return std::unique_ptr<EngineHost>(new EngineHost(std::move(*engine)));
}

bool EngineHost::run() {
  if (!touched_) return false;
  if (armed_) {
    if (auto cleared = engine_->clear_notification(); !cleared) {
      log(LogLevel::kError, describe(cleared.error()));
    }
    armed_ = false;
  }
  for (int round = 0; round < kRounds; ++round) {
    // A callback that touches the engine wants another look, whatever this round found.
    touched_ = false;
    if (!engine_->progress() && !touched_) return true;
  }
  touched_ = true;
  return true;
}

void EngineHost::arm() {
  if (armed_) return;
  if (auto asked = engine_->request_notification(); !asked) {
    log(LogLevel::kError, describe(asked.error()));
  }
  armed_ = true;
}

}  // namespace comch::fuse
