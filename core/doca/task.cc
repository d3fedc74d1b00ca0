// doca_task: see task.h and doca_pe.h.
#include "doca/task.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "doca/ctx.h"
#include "doca/refuse.h"

using comch::Errc;
using comch::doca::answer;
using comch::doca::ctx_of;
using comch::doca::engine_of;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;
using comch::doca::user_data_of;

namespace {

// A task of this process was freed while under way once: only then is there anything to forget when
// one is freed, which is done for every message.
std::atomic<bool> any_has_left = false;

constexpr std::uint32_t kSubmitFlags =
    DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;

// Not accepted at once: because of what submit() says, if that is still so.
[[gnu::noinline]] doca_error_t submit_again(comch::Task& task, std::source_location where) {
  return answer(task.submit(), where);
}

doca_error_t submit(doca_task* task, std::source_location where = std::source_location::current()) {
  if (task == nullptr) [[unlikely]]
    return null_argument(where);
  comch::Task& engine = engine_of(*task);
  if (engine.try_submit()) [[likely]]
    return DOCA_SUCCESS;
  return submit_again(engine, where);
}

bool is_under_way(const comch::Task& task) {
  const comch::Status status = task.status();
  return !status && status.error().code == Errc::in_progress;
}

// The program has freed it in its callback, too: what it allocates next may be the same task, and
// does not leave.
[[gnu::noinline]] void forget_leaving(doca_task* task) {
  std::erase(ctx_of(engine_of(*task).context()).leaving, task);
}

void leave(doca_task* task) {
  std::vector<doca_task*>& leaving = ctx_of(engine_of(*task).context()).leaving;
  if (std::ranges::find(leaving, task) == leaving.end()) leaving.push_back(task);
  any_has_left.store(true, std::memory_order_relaxed);
}

}  // namespace

// One that the callback has freed is in the list no more, and one that it has submitted again still
// leaves.
void comch::doca::free_leaving(doca_ctx& ctx, Task& task) {
  const auto found = std::ranges::find(ctx.leaving, handle_of(&task));
  if (found == ctx.leaving.end() || is_under_way(task)) return;
  std::ignore = task.free();
  ctx.leaving.erase(found);
}

doca_error_t doca_task_submit(doca_task* task) { return submit(task); }

// A completion is told at the next progress(); OPTIMIZE_REPORTS allows for less and needs nothing.
doca_error_t doca_task_submit_ex(doca_task* task, uint32_t flags) {
  if ((flags & ~kSubmitFlags) != 0) return refuse(Errc::invalid_value, "no such submit flag");
  const bool may_wait = task != nullptr && (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) == 0;
  if (may_wait && engine_of(*task).try_submit_more()) return DOCA_SUCCESS;
  return submit(task);
}

doca_error_t doca_task_try_submit(doca_task* task) { return submit(task); }

void doca_task_free(doca_task* task) {
  if (task == nullptr) return;
  comch::Task& engine = engine_of(*task);
  const comch::Status freed = engine.free();
  if (freed) [[likely]] {
    // Relaxed: what this task has to forget its own thread has put down.
    if (any_has_left.load(std::memory_order_relaxed)) [[unlikely]]
      forget_leaving(task);
    return;
  }
  if (!is_under_way(engine)) {
    answer(freed);
    return;
  }
  guarded([&] {
    leave(task);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_task_get_status(const doca_task* task) {
  if (task == nullptr) return null_argument();
  // What became of the task is an answer, not a refusal of this call: it is not logged.
  const comch::Status status = engine_of(*task).status();
  return status ? DOCA_SUCCESS : comch::doca::number_of(status.error().code);
}

void doca_task_set_user_data(doca_task* task, doca_data user_data) {
  if (task != nullptr) engine_of(*task).set_user_data(user_data_of(user_data));
}

doca_data doca_task_get_user_data(const doca_task* task) {
  return task == nullptr ? doca_data{} : user_data_of(engine_of(*task).user_data());
}

doca_ctx* doca_task_get_ctx(const doca_task* task) {
  return task == nullptr ? nullptr : &ctx_of(engine_of(*task).context());
}
