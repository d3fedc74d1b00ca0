// DocaEngine: a progress engine of the C API that can be waited for, as comch's own can.
//
//   auto engine = DocaEngine::create().value();
//   doca_pe_connect_ctx(engine->get(), ctx);
//   while (...) engine->wait(milliseconds(20));
//
// Threads: one at a time. Lifetime: outlives its contexts.
#pragma once

#include <doca_pe.h>

#include <chrono>
#include <memory>

#include "comch/result.h"
#include "tool/bench/doca_try.h"

namespace comch::tool {

class DocaEngine {
 public:
  static Result<std::unique_ptr<DocaEngine>> create();

  doca_pe* get() const { return pe_.get(); }
  bool progress() { return doca_pe_progress(pe_.get()) != 0; }
  // Progress, for `spin` at least, and then sleep until something happens. True when it did.
  bool wait(std::chrono::nanoseconds timeout,
            std::chrono::nanoseconds spin = std::chrono::microseconds(50));

 private:
  DocaEngine() = default;
  bool sleep(std::chrono::nanoseconds timeout);

  DocaOwned<doca_pe, doca_pe_destroy> pe_;
  doca_notification_handle_t handle_ = doca_notification_handle_t{};
};

}  // namespace comch::tool
