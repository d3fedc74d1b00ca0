// FakeContext: a context whose every answer a test chooses, and which writes down what it
// was asked.
//
// Threads, lifetime: as any context.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/context_core.h"

namespace comch::test {

class FakeContext final : public Context {
 public:
  class Core final : public engine::ContextCore {
   public:
    explicit Core(Context& face) : ContextCore(face) {
      on_state_changed = [this](Context&, ContextState before, ContextState after) {
        EXPECT_EQ(state(), after);
        changes.emplace_back(before, after);
      };
    }
    using ContextCore::fatal;
    using ContextCore::ready;
    using ContextCore::task_completed;
    using ContextCore::task_submitted;

    Status configuration;
    Result<bool> at_once = true;
    bool is_drained = true;
    bool has_news = false;
    std::function<void()> working = [] {};
    std::vector<std::string> calls;
    std::vector<std::pair<ContextState, ContextState>> changes;

   protected:
    Status check_configuration() override { return configuration; }
    Result<bool> on_start() override {
      calls.emplace_back("start");
      return at_once;
    }
    void on_stop(bool deliver) override { calls.emplace_back(deliver ? "stop" : "abort"); }
    bool on_work() override {
      calls.emplace_back("work");
      working();
      return has_news;
    }
    bool drained() const override { return is_drained; }
    void on_idle() override { calls.emplace_back("idle"); }
    void on_cut_off() override { calls.emplace_back("cut off"); }
  };

  FakeContext() : core(*this) {}
  Core core;
};

}  // namespace comch::test
