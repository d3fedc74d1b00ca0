// Unclosed: what a user has sent and what does not close, as much of it as may wait.
//
// Threads: one. Lifetime: it closes with this, and is waited for.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "os/slow_close.h"
#include "support/deadline.h"

namespace comch::test {

class Unclosed {
 public:
  explicit Unclosed(std::uint32_t user) {
    for (std::size_t n = 0; n < os::kWaitingOfAUserMax; ++n) {
      os::do_elsewhere([open = open_] { open->wait(false); }, user);
    }
  }
  ~Unclosed() {
    open_->store(true);
    open_->notify_all();
    EXPECT_TRUE(eventually([] { return os::slow_jobs() == 0; }));
  }
  Unclosed(const Unclosed&) = delete;
  Unclosed& operator=(const Unclosed&) = delete;

 private:
  const std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace comch::test
