// Ring: see ring.h: making one, submitting, reaping. ring_ends.cc has what is registered.
#include "comch/uring/ring.h"

#include <bit>
#include <utility>

#include "ring_core.h"

namespace comch::uring {

using Nanoseconds = std::chrono::nanoseconds;

// --- Making one ------------------------------------------------------------------------------

Result<std::unique_ptr<Ring>> Ring::create(ProgressEngine& engine, const Options& options) {
  if (options.entries == 0 || options.entries > kMaxEntries) {
    return fail(Errc::invalid_value, "entries are 1 to 32,768");
  }
  if (options.transfers > kMaxTransfers) {
    return fail(Errc::invalid_value, "transfers are at most 4,096");
  }
  if (options.join == nullptr &&
      (options.kernel_entries == 0 || options.kernel_entries > kMaxEntries)) {
    return fail(Errc::invalid_value, "kernel_entries are 1 to 32,768");
  }
  const std::uint32_t entries = std::bit_ceil(options.entries);
  if (options.completions > kMaxCompletions ||
      (options.completions != 0 && options.completions < options.entries)) {
    return fail(Errc::invalid_value, "completions are as many as entries, or more");
  }
  const std::uint32_t slots =
      options.completions == 0 ? 2 * entries : std::bit_ceil(options.completions);
  return unless_no_memory([&]() -> Result<std::unique_ptr<Ring>> {
    auto kernel = KernelWait::create(engine.event_fd(),
                                     {.join = options.join,
                                      .entries = options.kernel_entries,
                                      .without_ring = options.without_kernel_ring,
                                      .without_timeout_argument = options.without_timeout_argument,
                                      .without_words = options.without_futex});
    if (!kernel) return std::unexpected(kernel.error());
    std::unique_ptr<Ring> ring(new Ring(entries, slots));
    ring->core_ = std::make_unique<Core>(*ring, engine, std::move(*kernel), options);
    return ring;
  });
}

Ring::Ring(std::uint32_t entries, std::uint32_t slots) : queues_(entries, slots) {}
Ring::~Ring() = default;

Features Ring::features() const {
  return {.kernel_ring = core_->kernel->ring() != nullptr,
          .joined = core_->kernel->is_joined(),
          .timeout_argument = core_->kernel->has_timeout_argument(),
          .learns = core_->spin.learns(),
          .transfer_ring = core_->io.has_ring(),
          .registered_files = core_->io.registers_files(),
          .registered_memory = core_->io.registers_memory(),
          .futex = core_->kernel->waits_for_words()};
}

// --- Submitting and reaping ------------------------------------------------------------------

Result<std::uint32_t> Ring::submit() {
  if (core_->is_callers() && core_->machine.submit_one()) [[likely]] {
    if (core_->kernel->has_submissions()) [[unlikely]]
      return core_->submit_kernel(1);
    return 1;
  }
  return core_->submit();
}

Result<std::uint32_t> Ring::submit_and_wait(std::uint32_t count, Nanoseconds timeout) {
  if (auto submitted = core_->submit(); !submitted) return submitted;
  return core_->wait(count, timeout);
}

bool Ring::look() { return core_->look(); }

void Ring::advance_and_refill(std::uint32_t count) { core_->machine.advance(count); }

io_uring* Ring::kernel() { return core_->kernel->ring(); }

bool Ring::claim(io_uring_cqe& completion) { return core_->kernel->claim(completion); }

}  // namespace comch::uring
