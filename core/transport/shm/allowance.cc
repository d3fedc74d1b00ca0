// Allowance: see allowance.h.
#include "transport/shm/allowance.h"

#include <map>
#include <mutex>

#include "os/open_files.h"

namespace comch::transport::shm {

// What each user has of something, as long as anybody asks or holds some.
class Allowance::Users {
 public:
  std::shared_ptr<Sum> of(User user) {
    if (!user) return nullptr;
    const std::lock_guard lock(mutex_);
    std::erase_if(sums_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Sum>& known = sums_[*user];
    std::shared_ptr<Sum> sum = known.lock();
    if (!sum) known = sum = std::make_shared<Sum>(0);
    return sum;
  }
  // Never destroyed, as the sums of all.
  static Users& of_addresses() {
    static auto& users = *new Users;
    return users;
  }
  static Users& of_descriptors() {
    static auto& users = *new Users;
    return users;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<Sum>> sums_;
};

namespace {

// What all peers have of it; never destroyed, for shares may outlive everything.
constinit std::atomic<std::uint64_t> addresses_of_all{0};
constinit std::atomic<std::uint64_t> descriptors_of_all{0};

}  // namespace

Allowance::Most Allowance::descriptors() {
  const std::uint64_t limit = os::open_files_max();
  return {.of_a_peer = limit / 4, .of_a_user = limit / 2, .of_all = limit / 4 * 3};
}

Allowance Allowance::of_addresses(User user) {
  return {addresses_of_all, Users::of_addresses().of(user), kAddresses};
}
Allowance Allowance::of_descriptors(User user) {
  return {descriptors_of_all, Users::of_descriptors().of(user), descriptors()};
}

bool Allowance::add(Sum& sum, std::uint64_t amount, std::uint64_t most) {
  std::uint64_t before = sum.load(std::memory_order_relaxed);  // No edges; see Sum.
  do {
    // The limit may have been a higher one when others took theirs.
    if (before > most || amount > most - before) return false;
  } while (!sum.compare_exchange_weak(before, before + amount, std::memory_order_relaxed));
  return true;
}

std::shared_ptr<const void> Allowance::take(std::uint64_t amount) {
  const auto give_back = [amount](Sum& sum) {
    sum.fetch_sub(amount, std::memory_order_relaxed);  // No edge; see Sum.
  };
  if (!add(*of_peer_, amount, most_.of_a_peer)) return nullptr;
  if (of_user_ && !add(*of_user_, amount, most_.of_a_user)) {
    give_back(*of_peer_);
    return nullptr;
  }
  if (!add(all_, amount, most_.of_all)) {
    give_back(*of_peer_);
    if (of_user_) give_back(*of_user_);
    return nullptr;
  }
  return {of_peer_.get(), [peer = of_peer_, user = of_user_, &all = all_, give_back](const void*) {
            give_back(*peer);
            if (user) give_back(*user);
            give_back(all);
          }};
}

}  // namespace comch::transport::shm
