// The streams of consumers and of producers, wherever those are.
//
// Threads: the loop's.
#pragma once

#include <functional>
#include <memory>

#include "consumer_queue.h"
#include "directory.h"
#include "outbox.h"
#include "user_quota.h"

namespace comch::fuse {

// recv, get and recv.framed. `before_open` runs first; an errno of its is the open's.
void add_receiving_streams(Directory& directory, const std::shared_ptr<ConsumerQueue>& queue,
                           const std::function<int()>& before_open);

// send, put and send.framed. What they keep is counted in `quota`.
void add_sending_streams(Directory& directory, const std::shared_ptr<Outbox>& outbox,
                         UserQuota& quota, const std::function<int()>& before_open);

}  // namespace comch::fuse
