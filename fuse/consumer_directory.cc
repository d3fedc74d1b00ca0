// Consumers as files; see consumer_directory.h.
#include "consumer_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_object.h"
#include "message_streams.h"

namespace comch::fuse {
namespace {

// Buffers of one consumer: they are the daemon's memory as soon as messages fill them.
constexpr std::uint64_t kMemoryMax = std::uint64_t{4} << 30;

}  // namespace

Result<std::shared_ptr<ConsumerDirectory>> ConsumerDirectory::create(
    Services& services, std::shared_ptr<FastLink> link, const std::string& name,
    std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events) {
  auto made = std::make_shared<ConsumerDirectory>(services, std::move(link), name,
                                                  std::move(record), std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  add_receiving_streams(*made, made->queue_,
                        [one = made.get()] { return one->start_by_opening(); });
  return made;
}

ConsumerDirectory::ConsumerDirectory(Services& services, std::shared_ptr<FastLink> link,
                                     const std::string& name, std::shared_ptr<ObjectRecord> record,
                                     std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      link_(std::move(link)),
      queue_(std::make_shared<ConsumerQueue>(name)) {
  queue_->set_refusal(ENXIO);
}

ConsumerDirectory::~ConsumerDirectory() {
  if (memory_) memory_->end_posting();
}

Status ConsumerDirectory::accept_configuration() {
  const auto& [buf_size, depth, imm_data_len] = configuration_;
  if (depth == 0 || depth > Consumer::kMaxTasks) {
    return fail(Errc::invalid_value, "depth is a number of buffers, 1 to 8192");
  }
  if (imm_data_len > Consumer::kMaxImmediate) {
    return fail(Errc::invalid_value, "immediate data has at most 256 bytes");
  }
  if (buf_size == 0 || buf_size > kMemoryMax / depth) {
    return fail(Errc::invalid_value, "buf_size times depth is 4 GiB at most, and not 0");
  }
  return {};
}

Status ConsumerDirectory::rebuild() {
  if (!link_->is_open()) return fail(Errc::not_connected, "the connection is over");
  // Those of the last run are given back first, but for what is still to be read.
  if (consumer_) {
    if (Status destroyed = Consumer::destroy(consumer_); !destroyed) return destroyed;
  }
  memory_.reset();
  const auto& [buf_size, depth, imm_data_len] = configuration_;
  auto share = services().memory.take(record().owner, buf_size * depth);
  if (!share) {
    return fail(Errc::full,
                "its owner's posted buffers would be larger together than user_memory= of the "
                "mount; write a smaller buf_size or depth",
                EDQUOT);
  }
  auto memory = ReceiveMemory::create(services().engine, buf_size, depth, std::move(share),
                                      [this](std::uint64_t bytes) { return admit(bytes); });
  if (!memory) return std::unexpected(memory.error());
  auto made = make_consumer(*memory);
  if (!made) return std::unexpected(made.error());
  consumer_ = std::move(*made);
  memory_ = std::move(*memory);
  has_refused_ = is_to_stop_ = false;
  return {};
}

// What is still to be read keeps its memory itself.
Status ConsumerDirectory::destroy_context() {
  Status destroyed = Consumer::destroy(consumer_);
  if (destroyed) memory_.reset();
  return destroyed;
}

std::shared_ptr<const void> ConsumerDirectory::admit(std::uint64_t bytes) {
  auto share = is_to_stop_
                   ? nullptr
                   : services().memory.take(record().owner, bytes, UserQuota::Chosen::kByPeer);
  if (share) return share;
  ++queue_->messages_dropped;
  // Once, for a peer can do it again and again.
  if (std::exchange(has_refused_, true)) return nullptr;
  if (is_to_stop_) {
    record().note_failure(
        ECANCELED, fmt::format("a message of {} bytes was handed over and not taken before the "
                               "consumer was stopped; it is dropped, and its program's again",
                               bytes));
    return nullptr;
  }
  record().note_failure(
      EDQUOT, fmt::format("a message of {} bytes was handed over and dropped: what its owner's "
                          "consumers hold would be larger together than user_memory= of the mount; "
                          "read what has come, have it sent in parts, or mount with more",
                          bytes));
  return nullptr;
}

// Its end gives the program its memory back; by then what is unread is copied, a little at a time,
// so that nobody waits for that but who stops it.
bool ConsumerDirectory::is_drained() const {
  constexpr std::uint64_t kAtOnce = std::uint64_t{4} << 20U;
  if (record().removed || memory_ == nullptr || memory_->copy_some(kAtOnce)) return true;
  services().engine.touch();
  return false;
}

Result<std::unique_ptr<Consumer>> ConsumerDirectory::make_consumer(
    const std::shared_ptr<ReceiveMemory>& memory) {
  auto consumer = Consumer::create(*link_->connection(), memory->map());
  if (!consumer) return consumer;
  const auto arrived = [this](ReceiveTask& task) {
    auto arrival = memory_->take(task);
    if (arrival && !record().removed) queue_->on_arrival(std::move(arrival));
  };
  Status set =
      (*consumer)->configure_receive(configuration_.depth, arrived, &ReceiveMemory::take_back);
  if (set) set = (*consumer)->set_immediate_size(configuration_.imm_data_len);
  if (set) set = (*consumer)->set_descriptors_kept(true);  // See receive_memory.h.
  if (set) set = services().engine.engine().connect(**consumer);
  if (!set) return std::unexpected(set.error());
  watch(**consumer);
  return consumer;
}

void ConsumerDirectory::on_changed(ContextState before, ContextState after) {
  was_started_ = true;
  if (after == ContextState::kIdle) memory_->end_posting();
  if (after == ContextState::kRunning) {
    if (Status posted = memory_->post_all(*consumer_); !posted)
      record().note_failure(errno_of(posted.error()), reason_of(posted.error()));
  }
  if (consumer_->failure().error.code == Errc::connection_reset) link_->give_up();
  const bool is_up = after == ContextState::kRunning || after == ContextState::kStarting;
  if (!record().removed && link_->is_open()) queue_->set_refusal(is_up ? 0 : ENXIO);
  ContextDirectory::on_changed(before, after);
}

// When both ends are in this mount, the id shall be in the other's remote/ before the writer
// goes on.
bool ConsumerDirectory::is_ready() const {
  const bool is_here = link_->is_open() && link_->connection()->peer().pid == getpid();
  return !is_here || services().announcer.idle();
}

// Who waits for a message of a connection that is over hears of its end, which comes next.
void ConsumerDirectory::close_entrance(int error) {
  is_to_stop_ = true;
  if (link_->is_open()) queue_->set_refusal(error);
}

void ConsumerDirectory::on_end(int loss) { queue_->end(loss); }

int ConsumerDirectory::start_by_opening() {
  if (!services().options.autostart || was_started_ || !link_->is_open() || !is_idle()) return 0;
  const Outcome started = start();
  note_failure(record(), started);
  return started.error;
}

void ConsumerDirectory::add_own_files() {
  add_number_setting("buf_size", configuration_.buf_size);
  add_number_setting("depth", configuration_.depth);
  add_number_setting("imm_data_len", configuration_.imm_data_len);
  services().add_attribute(*this, "id", {.show = [this] {
    const bool has_id = !is_idle();
    return has_id ? fmt::format("{}", static_cast<std::uint32_t>(consumer_->id())) : std::string();
  }});
}

Counters ConsumerDirectory::engine_counters() const {
  const ConsumerCounters engine = consumer_ ? consumer_->counters() : ConsumerCounters();
  return {{"rx_msgs", engine.received_messages},
          {"rx_bytes", engine.received_bytes},
          {"inline_msgs", engine.inline_messages},
          {"direct_msgs", engine.direct_messages},
          {"staged_msgs", engine.staged_messages},
          {"cooperative_msgs", engine.cooperative_messages},
          {"handed_over_msgs", engine.handed_over_messages},
          {"wakes_received", engine.wakes_received}};
}

Counters ConsumerDirectory::counters() const {
  Counters all = engine_counters();
  subtract(all, at_reset_);
  all.push_back({"posted", consumer_ ? consumer_->posted() : 0});
  all.push_back({"waiting", queue_->size()});
  all.push_back({"messages_dropped", queue_->messages_dropped});
  all.push_back({"empty_skipped", queue_->empty_skipped});
  return all;
}

void ConsumerDirectory::reset_counters() {
  at_reset_ = engine_counters();
  queue_->messages_dropped = queue_->empty_skipped = 0;
}

nlohmann::ordered_json ConsumerDirectory::json() const {
  nlohmann::ordered_json json{{"buf_size", configuration_.buf_size},
                              {"depth", configuration_.depth},
                              {"imm_data_len", configuration_.imm_data_len}};
  add_members(json, ContextDirectory::json());
  return json;
}

}  // namespace comch::fuse
