// Allowance: see allowance.h.
#include "transport/rdma/allowance.h"

#include <mutex>
#include <utility>

#include "os/open_files.h"

namespace comch::transport::rdma {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

// What all peers have. Never destroyed: there may be peers while main() has ended.
struct Pool {
  std::mutex mutex;
  Allowance::Amount taken;
};
Pool& pool() {
  static Pool& pool = *new Pool;
  return pool;
}

Status may_take(const Allowance::Amount& taken, const Allowance::Amount& most,
                std::uint64_t bytes) {
  // The limit may have been a higher one when others took theirs.
  if (taken.pairs >= most.pairs) {
    return fail(
        Errc::full,
        "the peer has its share of this process's descriptors; raise the limit on open files");
  }
  if (taken.bytes > most.bytes || bytes > most.bytes - taken.bytes) {
    return fail(Errc::no_memory, "the peer has its share of pinned memory");
  }
  return {};
}

}  // namespace

// One queue pair and its memory, of a peer's sum and of that of all.
class Allowance::Share {
 public:
  Share(std::shared_ptr<Amount> taken, std::uint64_t bytes)
      : taken_(std::move(taken)), bytes_(bytes) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    const std::lock_guard lock(pool().mutex);
    for (Amount* const sum : {taken_.get(), &pool().taken}) {
      --sum->pairs;
      sum->bytes -= bytes_;
    }
  }

 private:
  const std::shared_ptr<Amount> taken_;
  const std::uint64_t bytes_;
};

Allowance::Amount Allowance::of_a_peer() {
  return {.pairs = os::open_files_max() / 4, .bytes = kGiB};
}
Allowance::Amount Allowance::of_all() {
  return {.pairs = os::open_files_max() / 4 * 3, .bytes = 4 * kGiB};
}

Allowance::Allowance(const Amount& most) : most_(most), taken_(std::make_shared<Amount>()) {}

Result<std::shared_ptr<const void>> Allowance::take(std::uint64_t bytes) {
  const Amount most_of_all = of_all();
  const std::lock_guard lock(pool().mutex);
  if (Status may = may_take(*taken_, most_, bytes); !may) return std::unexpected(may.error());
  if (Status may = may_take(pool().taken, most_of_all, bytes); !may) {
    return std::unexpected(may.error());
  }
  std::shared_ptr<const void> share = std::make_shared<Share>(taken_, bytes);
  for (Amount* const sum : {taken_.get(), &pool().taken}) {
    ++sum->pairs;
    sum->bytes += bytes;
  }
  return share;
}

}  // namespace comch::transport::rdma
