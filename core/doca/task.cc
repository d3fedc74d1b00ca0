// doca_task: see task.h and doca_pe.h.
#include "doca/task.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "doca/ctx.h"
#include "doca/refuse.h"

using comch::Errc;
using comch::doca::answer;
using comch::doca::ctx_of;
using comch::doca::guarded;
using comch::doca::is_task;
using comch::doca::refuse;
using comch::doca::user_data_of;
using comch::doca::visit;

namespace {

constexpr std::uint32_t kSubmitFlags =
    DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;

doca_error_t no_task(std::source_location where = std::source_location::current()) {
  return refuse(Errc::invalid_value, "this is no task; *_as_task() makes one", where);
}

template <class Task>
bool is_under_way(const Task& task) {
  const comch::Status status = task.status();
  return !status && status.error().code == Errc::in_progress;
}

}  // namespace

// The callback may have freed it, too. One that the callback has submitted again still leaves.
void comch::doca::free_leaving(doca_ctx& ctx, doca_task* task) {
  if (std::ranges::find(ctx.leaving, task) == ctx.leaving.end()) return;
  visit(task, [&](auto& engine) {
    if (is_under_way(engine)) return;
    static_cast<void>(engine.free());
    std::erase(ctx.leaving, task);
  });
}

doca_error_t doca_task_submit(doca_task* task) {
  if (!is_task(task)) [[unlikely]]
    return no_task();
  return visit(task, [](auto& engine) { return answer(engine.submit()); });
}

// A submission is handed over at once and its completion told at the next progress(), which is
// what FLUSH asks for; OPTIMIZE_REPORTS allows for less and needs nothing.
doca_error_t doca_task_submit_ex(doca_task* task, uint32_t flags) {
  if ((flags & ~kSubmitFlags) != 0) return refuse(Errc::invalid_value, "no such submit flag");
  return doca_task_submit(task);
}

doca_error_t doca_task_try_submit(doca_task* task) { return doca_task_submit(task); }

void doca_task_free(doca_task* task) {
  if (!is_task(task)) return;
  visit(task, [task](auto& engine) {
    const comch::Status freed = engine.free();
    if (freed) [[likely]]
      return;
    if (!is_under_way(engine)) {
      answer(freed);
      return;
    }
    guarded([&] {
      ctx_of(engine.context()).leaving.push_back(task);
      return DOCA_SUCCESS;
    });
  });
}

doca_error_t doca_task_get_status(const doca_task* task) {
  if (!is_task(task)) return no_task();
  // What became of the task is an answer, not a refusal of this call: it is not logged.
  return visit(task, [](const auto& engine) {
    const comch::Status status = engine.status();
    return status ? DOCA_SUCCESS : comch::doca::number_of(status.error().code);
  });
}

void doca_task_set_user_data(doca_task* task, doca_data user_data) {
  if (!is_task(task)) return;
  visit(task, [&](auto& engine) { engine.set_user_data(user_data_of(user_data)); });
}

doca_data doca_task_get_user_data(const doca_task* task) {
  if (!is_task(task)) return {};
  return visit(task, [](const auto& engine) { return user_data_of(engine.user_data()); });
}

doca_ctx* doca_task_get_ctx(const doca_task* task) {
  if (!is_task(task)) return nullptr;
  return visit(task, [](const auto& engine) { return &ctx_of(engine.context()); });
}
