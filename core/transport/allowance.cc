// Allowance: see allowance.h.
#include "transport/allowance.h"

#include <map>
#include <mutex>

#include "os/mappings.h"
#include "os/open_files.h"

namespace comch::transport {

// What all peers have of something; and those of each user, as long as anybody asks or holds some.
class Allowance::Pool {
 public:
  std::vector<Bound> bounds(User user, const Most& most) {
    std::vector<Bound> bounds{{std::make_shared<Sum>(0), most.of_a_peer}};
    if (user) bounds.push_back({of(*user), most.of_a_user});
    bounds.push_back({all_, most.of_all});
    return bounds;
  }

 private:
  std::shared_ptr<Sum> of(std::uint32_t user) {
    const std::lock_guard lock(mutex_);
    std::erase_if(users_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Sum>& known = users_[user];
    std::shared_ptr<Sum> sum = known.lock();
    if (!sum) known = sum = std::make_shared<Sum>(0);
    return sum;
  }

  const std::shared_ptr<Sum> all_ = std::make_shared<Sum>(0);
  std::mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<Sum>> users_;
};

// An amount that was added to some sums, and is no more when this ends.
class Allowance::Share {
 public:
  explicit Share(std::uint64_t amount) : amount_(amount) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    for (const std::shared_ptr<Sum>& sum : sums_) {
      sum->fetch_sub(amount_, std::memory_order_relaxed);  // No edge; see Sum.
    }
  }

  // False: it would be more than may be.
  bool add_to(const Bound& bound) {
    sums_.reserve(sums_.size() + 1);  // Before anything is taken, for it may throw.
    std::uint64_t before = bound.sum->load(std::memory_order_relaxed);  // No edges; see Sum.
    do {
      // The limit may have been a higher one when others took theirs.
      if (before > bound.most || amount_ > bound.most - before) return false;
    } while (
        !bound.sum->compare_exchange_weak(before, before + amount_, std::memory_order_relaxed));
    sums_.push_back(bound.sum);
    return true;
  }

 private:
  const std::uint64_t amount_;
  std::vector<std::shared_ptr<Sum>> sums_;
};

static Allowance::Most quarters_of(std::uint64_t limit) {
  return {.of_a_peer = limit / 4, .of_a_user = limit / 2, .of_all = limit / 4 * 3};
}

Allowance::Most Allowance::descriptors() { return quarters_of(os::open_files_max()); }

Allowance::Most Allowance::mappings() {
  static const std::uint64_t limit = os::mappings_max();
  return quarters_of(limit);
}

// The pools are never destroyed: there may be peers while main() has ended.
Allowance Allowance::of_addresses(User user) {
  static Pool& pool = *new Pool;
  return Allowance(pool.bounds(user, kAddresses));
}
Allowance Allowance::of_descriptors(User user) {
  static Pool& pool = *new Pool;
  return Allowance(pool.bounds(user, descriptors()));
}
Allowance Allowance::of_mappings(User user) {
  static Pool& pool = *new Pool;
  return Allowance(pool.bounds(user, mappings()));
}
Allowance Allowance::of_pinned(User user) {
  static Pool& pool = *new Pool;
  return Allowance(pool.bounds(user, kPinned));
}

std::shared_ptr<const void> Allowance::take(std::uint64_t amount) {
  auto share = std::make_shared<Share>(amount);
  for (const Bound& bound : bounds_) {
    if (!share->add_to(bound)) return nullptr;
  }
  return share;
}

}  // namespace comch::transport
