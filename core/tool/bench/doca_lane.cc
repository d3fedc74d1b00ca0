// DocaLane: makes its parts, and hands them to whoever's thread it is.
#include "tool/bench/doca_lane.h"

#include <utility>

namespace comch::tool {

Outcome<std::unique_ptr<Lane>> DocaLane::create(doca_comch_connection* connection, doca_dev* device,
                                                const FastPlan& plan, Depth depth) {
  std::unique_ptr<DocaLane> lane(new DocaLane(plan, depth));
  if (auto made = lane->make(connection, device, depth); !made) {
    return complain("cannot make a producer and a consumer of the C API", made.error());
  }
  return lane;
}

Status DocaLane::make(doca_comch_connection* connection, doca_dev* device, Depth depth) {
  auto engine = DocaEngine::create();
  if (!engine) return std::unexpected(engine.error());
  engine_ = std::move(*engine);
  turn_ = std::make_unique<Turn<DocaEngine>>(*engine_, plan_.waiting);
  // That something is posted rings nobody of the C API: who waits for it looks.
  turn_for_space_ = std::make_unique<Turn<DocaEngine>>(*engine_, Waiting::kPoll);
  for (auto [memory, buffers] : {std::pair{&posted_, depth.posted}, {&sources_, depth.sent}}) {
    auto made = DocaMemory::create(buffers, plan_.size, device);
    if (!made) return std::unexpected(made.error());
    *memory = std::move(*made);
  }
  Status status = sender_.configure(connection, engine_->get());
  if (status) status = receiver_.configure(connection, engine_->get(), *posted_, depth.posted);
  return status;
}

Outcome<> DocaLane::start() {
  if (auto done = begun(doca_ctx_start(sender_.ctx())); !done) {
    return complain("cannot start a producer", done.error());
  }
  if (auto done = begun(doca_ctx_start(receiver_.ctx())); !done) {
    return complain("cannot start a consumer", done.error());
  }
  return {};
}

Outcome<> DocaLane::begin() {
  Status status = sender_.begin(sources_->buffers());
  if (status) status = receiver_.begin(posted_->buffers());
  if (!status) return complain("cannot post buffers", status.error());
  return {};
}

Outcome<> DocaLane::stop() {
  sender_.end();
  for (doca_ctx* ctx : {sender_.ctx(), receiver_.ctx()}) {
    if (state_of(ctx) == DOCA_CTX_STATE_IDLE) continue;
    if (auto done = begun(doca_ctx_stop(ctx)); !done) return complain("cannot stop", done.error());
  }
  return {};
}

bool DocaLane::idle() {
  return state_of(sender_.ctx()) == DOCA_CTX_STATE_IDLE &&
         state_of(receiver_.ctx()) == DOCA_CTX_STATE_IDLE;
}

Outcome<std::size_t> DocaLane::send(ConsumerId to, std::size_t most) {
  auto sent = sender_.send(to, most);
  if (!sent) return complain("cannot send", sent.error());
  return *sent;
}

Outcome<bool> DocaLane::sent_all() {
  auto done = sender_.done();
  if (!done) return complain("cannot send", done.error());
  return *done;
}

Outcome<std::size_t> DocaLane::take(std::span<ProducerId> from) {
  auto taken = receiver_.take(from);
  if (!taken) return complain("cannot receive", taken.error());
  return *taken;
}

void DocaLane::wait_for_space(std::span<const ConsumerId>) { (*turn_for_space_)(); }

}  // namespace comch::tool
