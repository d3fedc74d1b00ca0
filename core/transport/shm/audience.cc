// Audience: see audience.h.
#include "transport/shm/audience.h"

#include <utility>

#include "transport/shm/remote_consumer.h"

namespace comch::transport::shm {

std::shared_ptr<Audience> Audience::of(MapLife& life) {
  static constexpr char kKey = 0;  // One of each start of a map, whoever shows it.
  std::shared_ptr<void> kept = life.find(&kKey);
  if (!kept) kept = life.keep(&kKey, std::make_shared<Audience>(life.id()));
  return std::static_pointer_cast<Audience>(std::move(kept));
}

Audience::~Audience() {
  for (const std::weak_ptr<RemoteConsumer>& each : consumers_) {
    if (const std::shared_ptr<RemoteConsumer> consumer = each.lock()) consumer->forget(memory_);
  }
}

void Audience::add(std::weak_ptr<RemoteConsumer> consumer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(consumers_, [](const auto& each) { return each.expired(); });
  consumers_.push_back(std::move(consumer));
}

}  // namespace comch::transport::shm
