// Endpoint: what a server and a client have in common: connections, send tasks, and the
// callbacks that tell the application of both.
//
// Work is done in a fixed order, so that what an application sees is always the same:
// first the completions of tasks, then, when none is left, the ends of connections, and
// only then the context may become idle.
//
// Threads: the engine's. Lifetime: the application's, through Server or Client.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/intrusive_list.h"
#include "base/pool.h"
#include "comch/capability.h"
#include "comch/connection_impl.h"
#include "comch/send_task.h"
#include "comch/server.h"
#include "engine/context_core.h"

namespace comch {

class Endpoint : public engine::ContextCore {
 public:
  struct Limits {
    std::uint32_t max_message_size = kDefaultMessageSize;
    std::uint32_t recv_queue_size = kDefaultRecvQueueSize;
    std::uint32_t send_tasks = 0;  // Zero until configured.
  };

  Endpoint(Context& face, const Capability& capability)
      : ContextCore(face), capability_(capability) {}
  ~Endpoint() override;

  // Configuration; see Server and Client.
  Status set_max_message_size(std::uint32_t bytes);
  Status set_recv_queue_size(std::uint32_t messages);
  Status configure_send(std::uint32_t tasks, Server::SendHandler sent, Server::SendHandler failed);
  Status on_message(Server::MessageHandler handler);
  Status on_space(Server::SpaceHandler handler);
  Status on_consumer(Server::ConsumerHandler appeared, Server::ConsumerHandler expired);
  const Limits& limits() const { return limits_; }

  // Tasks.
  Result<SendTask*> allocate_send(Connection& connection, std::span<const std::byte> message);
  Status submit(SendTaskImpl& task);
  Status cancel(SendTaskImpl& task);
  Status free(SendTaskImpl& task);

  // For connections.
  Receipt hand_out(ConnectionImpl& connection, std::span<const std::byte> message) {
    return on_message_(connection, message);
  }
  // Every task is out, and some have only to be told of, or to be confirmed by the carrier: that
  // comes before more messages, for each of whose callbacks may want a task to answer with.
  bool owes_tasks() const {
    return tasks_.full() && (!completions_.empty() || unconfirmed_tasks != 0);
  }
  std::size_t unconfirmed_tasks = 0;  // Of all connections: sent, and not in the peer's queue yet.
  void offer_space(ConnectionImpl& connection) {
    if (on_space_) on_space_(connection);
  }
  void tell_of_consumer(ConnectionImpl& connection, ConsumerId id, bool appeared);
  // Whether the application wants to know of consumers: what the fast path needs.
  bool hears_of_consumers() const { return static_cast<bool>(consumer_appeared_); }
  // The task's callback is due; with `error` the failed one.
  void complete(SendTaskImpl& task);
  void complete(SendTaskImpl& task, const Error& error);
  void ended(ConnectionImpl& connection);
  // The connection is being destroyed: no task may point to it.
  void forget(ConnectionImpl& connection);

  virtual Server* as_server() { return nullptr; }
  virtual Client* as_client() { return nullptr; }

 protected:
  Status check_within(std::uint32_t value, std::uint32_t limit) const;
  Status check_common() const;
  Status take_tasks();
  ConnectionImpl& adopt(std::unique_ptr<transport::Channel> channel, std::uint64_t id,
                        const PeerIdentity& peer);
  std::size_t connections() const { return connections_.size(); }
  void close_connections(bool deliver);
  // Lets go of everything without a callback.
  void drop_all();

  // A connection has ended; the owner may keep it a little longer.
  virtual void on_ended(std::unique_ptr<ConnectionImpl> connection) = 0;

  Status check_stop() const override;
  bool on_work() override;
  bool drained() const override {
    return tasks_.in_use() == 0 && connections_.empty() && completions_.empty();
  }

  const Capability capability_;

 private:
  // Completions per work(), so that a callback that resubmits cannot keep the engine.
  static constexpr int kCompletionBudget = 256;

  // Whether nothing can be submitted to it any more. A stopping context takes tasks and gives them
  // back, whatever has become of their connection.
  bool is_over(const ConnectionImpl* connection) const {
    return (connection == nullptr || connection->is_reported()) &&
           state() != ContextState::kStopping;
  }
  bool run_completions();
  bool report_ended();

  Limits limits_;
  Server::SendHandler sent_;
  Server::SendHandler failed_;
  Server::MessageHandler on_message_;
  Server::SpaceHandler on_space_;
  Server::ConsumerHandler consumer_appeared_;
  Server::ConsumerHandler consumer_expired_;
  Pool<SendTaskImpl> tasks_;
  IntrusiveList<SendTaskImpl> completions_;
  IntrusiveList<ConnectionImpl> ended_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ConnectionImpl>> connections_;
};

}  // namespace comch
