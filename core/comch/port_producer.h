// PortProducer: a producer on top of a carrier's port, which has a lane to each consumer: the life
// of its context, and what of its sends is not over. How a message is put into a lane is the
// matter of what stands on it: ProducerImpl on one machine, RdmaProducerImpl between two.
//
// While anything is under way with a consumer, or is waited for, the consumer has a Traffic
// here, and the engine polls.
//
// It is a template and not an interface because of what a message costs: nothing virtual is
// called for one.
//
// Threads: the engine's. Lifetime: the application's, through the face.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/intrusive_list.h"
#include "comch/connection_impl.h"
#include "comch/handed_buffers.h"
#include "comch/memory_map_impl.h"
#include "comch/producer.h"
#include "comch/producer_core.h"
#include "engine/source.h"
#include "transport/outcome.h"
#include "transport/port_owner.h"

namespace comch {

// What is not over with one consumer.
struct Traffic {
  IntrusiveList<ProducerTaskImpl> under_way;  // Accepted by the lane, in order.
  IntrusiveList<ProducerTaskImpl> waiting;    // Behind a long message.
  std::size_t under_way_count = 0;
  // One message of send(), behind so many of the tasks under way.
  std::optional<std::size_t> array_behind;
  bool space_wanted = false;
  HandedBuffers handed;  // None between machines.

  bool over() const {
    return under_way.empty() && waiting.empty() && !array_behind && !space_wanted && handed.empty();
  }
  bool any_message() const { return !under_way.empty() || !waiting.empty() || array_behind; }
  bool wants_space() const { return space_wanted || !waiting.empty(); }
  void add_under_way(ProducerTaskImpl& task) {
    under_way.push_back(task);
    ++under_way_count;
  }
};

template <class Ports>
class PortProducer : public ProducerCore,
                     public engine::Source,
                     public transport::Alarm,
                     public transport::ProducerPortOwner {
 public:
  using Hub = typename Ports::Hub;
  using Port = typename Ports::Producer;
  using Lane = typename Ports::Lane;
  using Outcome = transport::Outcome;

  // Configuration; see Producer. Between machines some of it is checked alone.
  Status set_cooperative_size(std::size_t bytes);
  Status set_staging_size(std::size_t bytes);
  Status set_lane_size(std::uint32_t messages);
  ProducerId id() const { return ProducerId{port_ ? port_->id() : 0}; }
  ConnectionImpl& connection() const { return connection_; }
  MsgQ* queue() const { return nullptr; }
  ProducerCounters counters() const { return port_ ? count() : counters_; }

  Result<ProducerTask*> allocate(const Buffer* buffer, Bytes immediate, ConsumerId consumer);

  bool busy(ConsumerId consumer) const;
  Status ending(ConsumerId consumer) const;
  bool reaches(ConsumerId consumer) const;
  bool has_space(ConsumerId consumer);

  // In place.
  Result<Loan> reserve(ConsumerId consumer);
  Status abandon(const Loan& loan);

  // For the port.
  void on_wake() override { update_attention(); }
  void on_lost(const Error& error) override;

  // The consumer has made no room for long while we were stopping.
  void on_alarm() override;

 protected:
  // Why a message does not arrive that was for a consumer without a lane any more.
  static constexpr Error kGone{Errc::connection_reset, 0, "the consumer is gone"};

  PortProducer(Producer& face, ConnectionImpl& connection, std::shared_ptr<Hub> hub);
  ~PortProducer() override;

  Status check_configuration() override;
  void on_stop(bool deliver) override;
  void on_idle() override;
  void on_cut_off() override;

  // Ends all that is under way or waited for.
  virtual void give_up(const Error& error) = 0;
  // Of the run that is not over.
  virtual ProducerCounters count() const = 0;

  // The end of on_start().
  Result<bool> open(const typename Lane::Options& options);

  // The lane to a consumer. invalid_value: there is none, or it is gone. shutdown, bad_state: the
  // producer does not run. Others: ProducerPort::lane().
  Status find_lane(ConsumerId consumer, Lane*& lane);
  Status refused(const Lane& lane, Outcome outcome);
  // Of the lane to that consumer.
  Result<Loan> reserve(Lane& lane, ConsumerId consumer);
  // Why there is none.
  Error no_loan(const Lane& lane, Outcome outcome);
  // That the loan is one of the lane's, of so much room.
  static Status check_loan(const Lane& lane, const Loan& loan, std::size_t length);

  // Tasks wait for a long message to end: whatever comes now comes behind them.
  bool queued(std::uint32_t consumer) const {
    if (traffic_.empty()) [[likely]]
      return false;
    const auto it = traffic_.find(consumer);
    return it != traffic_.end() && !it->second.waiting.empty();
  }
  // The message of send() that was put last is under way.
  void begin_array(std::uint32_t consumer, Traffic& traffic);
  // Completes what the lane says is complete; true when something was.
  bool finish_sends(std::uint32_t consumer, Lane& lane, Traffic& traffic);
  // The oldest `count` messages under way are complete.
  void complete_first(std::size_t count, Traffic& traffic);
  // Those that waited, as far as `put(task)` takes them.
  template <class Put>
  bool send_waiting(Lane& lane, Traffic& traffic, const Put& put);
  void fail_all(std::uint32_t consumer, Traffic& traffic, const Error& error);
  void update_attention();

  std::size_t cooperative_ = Producer::kDefaultCooperative;
  std::size_t staging_ = Producer::kDefaultStaging;
  std::uint32_t lane_size_ = 0;
  std::map<std::uint32_t, Traffic> traffic_;
  bool in_poll_ = false;
  std::unique_ptr<Port> port_;
  std::uint64_t nothing_posted_ = 0;

 private:
  static constexpr std::uint64_t kLinger_ns = 2'000'000'000;
  // A peer makes and ends consumers without end.
  static constexpr std::size_t kMaxFailures = 1024;

  void complete_first(Traffic& traffic);
  void fail_array(std::uint32_t consumer, Traffic& traffic, const Error& error);
  void linger();

  ConnectionImpl& connection_;     // For who asks for it alone: it may be gone before this is.
  const bool hears_of_consumers_;  // Its context, which says so while idle alone.
  const std::shared_ptr<Hub> hub_;
  ProducerCounters counters_;                      // Of the last run.
  std::map<std::uint32_t, Error> array_failures_;  // Of the last array of a consumer, if it failed.
};

template <class Ports>
inline Status PortProducer<Ports>::find_lane(ConsumerId consumer, Lane*& lane) {
  if (state() == ContextState::kStopping && !failure().text.empty()) {
    return std::unexpected(failure().error);  // The peer.
  }
  if (Status s = require_running(); !s) return s;
  const Result<Lane*> found = port_->lane(static_cast<std::uint32_t>(consumer));
  if (!found) return std::unexpected(found.error());
  if ((*found)->gone()) return fail(Errc::invalid_value, "the consumer is gone");
  lane = *found;
  return {};
}

template <class Ports>
template <class Put>
bool PortProducer<Ports>::send_waiting(Lane& lane, Traffic& traffic, const Put& put) {
  bool did = false;
  while (ProducerTaskImpl* task = traffic.waiting.front()) {
    const Outcome outcome = put(*task);
    if (outcome == Outcome::kBusy || outcome == Outcome::kNothingPosted) break;
    traffic.waiting.remove(*task);
    did = true;
    if (outcome == Outcome::kUnderWay) {
      traffic.add_under_way(*task);
    } else if (outcome == Outcome::kSent) {
      complete(*task, std::nullopt);
    } else {
      complete(*task, refused(lane, outcome).error());
    }
  }
  return did;
}

}  // namespace comch
