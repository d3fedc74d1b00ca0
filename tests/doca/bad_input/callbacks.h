// Callbacks for setters: of each kind one that is wanted and one that must never be called, and how
// often each was.
//
//   set_conf(server, on_task<doca_comch_task_send>(n), ...)      n: 1 the wanted one, 2 the other
//   EXPECT_EQ(calls(2).all(), 0);
//
// Threads: one. Lifetime: the counts are the program's; a test forgets them before it begins.
#pragma once

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include <array>
#include <cstdint>

namespace comch::test {

struct CallCounts {
  int tasks = 0;
  int messages = 0;
  int connections = 0;
  int consumers = 0;
  int states = 0;
  int all() const { return tasks + messages + connections + consumers + states; }
};
inline std::array<CallCounts, 3>& all_calls() {
  static std::array<CallCounts, 3> all;
  return all;
}
inline CallCounts& calls(std::uint64_t which) { return all_calls().at(which); }
inline void forget_calls() { all_calls() = {}; }

inline doca_task* task_of(doca_comch_task_send* t) { return doca_comch_task_send_as_task(t); }
inline doca_task* task_of(doca_cc_task_send* t) { return doca_cc_task_send_as_task(t); }
inline doca_task* task_of(doca_cc_send_task* t) { return doca_cc_send_task_as_task(t); }
inline doca_task* task_of(doca_comch_consumer_task_post_recv* t) {
  return doca_comch_consumer_task_post_recv_as_task(t);
}
inline doca_task* task_of(doca_cc_consumer_task_post_recv* t) {
  return doca_cc_consumer_task_post_recv_as_task(t);
}
inline doca_task* task_of(doca_cc_consumer_post_recv_task* t) {
  return doca_cc_consumer_post_recv_task_as_task(t);
}
inline doca_task* task_of(doca_comch_producer_task_send* t) {
  return doca_comch_producer_task_send_as_task(t);
}
inline doca_task* task_of(doca_cc_producer_task_send* t) {
  return doca_cc_producer_task_send_as_task(t);
}
inline doca_task* task_of(doca_cc_producer_send_task* t) {
  return doca_cc_producer_send_task_as_task(t);
}

template <class Task>
using TaskCallback = void (*)(Task*, doca_data, doca_data);
template <class Task>
TaskCallback<Task> on_task(std::uint64_t which) {
  constexpr auto callback = []<int kWhich>() -> TaskCallback<Task> {
    return [](Task* task, doca_data, doca_data) {
      ++calls(kWhich).tasks;
      doca_task_free(task_of(task));
    };
  };
  return which == 1 ? callback.template operator()<1>() : callback.template operator()<2>();
}

template <class Event, class Connection>
using MessageCallback = void (*)(Event*, std::uint8_t*, std::uint32_t, Connection*);
template <class Event, class Connection>
MessageCallback<Event, Connection> on_message(std::uint64_t which) {
  if (which == 1) return [](Event*, auto, auto, Connection*) { ++calls(1).messages; };
  return [](Event*, auto, auto, Connection*) { ++calls(2).messages; };
}

// The connection that came last.
template <class Connection>
Connection*& newest() {
  static Connection* connection = nullptr;
  return connection;
}
template <class Event, class Connection>
using ConnectionCallback = void (*)(Event*, Connection*, std::uint8_t);
template <class Event, class Connection>
ConnectionCallback<Event, Connection> on_connection(std::uint64_t which) {
  if (which == 2) return [](Event*, Connection*, std::uint8_t) { ++calls(2).connections; };
  return [](Event*, Connection* connection, std::uint8_t) {
    ++calls(1).connections;
    newest<Connection>() = connection;
  };
}

template <class Event, class Connection>
using ConsumerCallback = void (*)(Event*, Connection*, std::uint32_t);
template <class Event, class Connection>
ConsumerCallback<Event, Connection> on_consumer(std::uint64_t which) {
  if (which == 1) return [](Event*, Connection*, std::uint32_t) { ++calls(1).consumers; };
  return [](Event*, Connection*, std::uint32_t) { ++calls(2).consumers; };
}

inline doca_ctx_state_changed_callback_t on_state(std::uint64_t which) {
  if (which == 1) return [](doca_data, doca_ctx*, auto, auto) { ++calls(1).states; };
  return [](doca_data, doca_ctx*, auto, auto) { ++calls(2).states; };
}

}  // namespace comch::test
