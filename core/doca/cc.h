// The handles of doca_cc.h, doca_cc_consumer.h and doca_cc_producer.h: those of doca_comch under
// older names. newer() and older() go from one name to the other; the object is the same.
//
// Callbacks are not cast: each is called through its own type, by a function of the engine's that
// holds the face and the callback, as doca_comch itself does it.
//
// Threads, lifetime: the object's.
#pragma once

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>

#include <bit>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "doca/comch_client.h"
#include "doca/comch_consumer.h"
#include "doca/comch_producer.h"
#include "doca/comch_server.h"
#include "doca/refuse.h"
#include "doca/task.h"

namespace comch::doca {

template <class Older>
struct NewName;
template <>
struct NewName<doca_cc_connection> : std::type_identity<doca_comch_connection> {};
template <>
struct NewName<doca_cc_server> : std::type_identity<doca_comch_server> {};
template <>
struct NewName<doca_cc_client> : std::type_identity<doca_comch_client> {};
template <>
struct NewName<doca_cc_task_send> : std::type_identity<doca_comch_task_send> {};
template <>
struct NewName<doca_cc_send_task> : std::type_identity<doca_comch_task_send> {};
template <>
struct NewName<doca_cc_consumer> : std::type_identity<doca_comch_consumer> {};
template <>
struct NewName<doca_cc_consumer_task_post_recv>
    : std::type_identity<doca_comch_consumer_task_post_recv> {};
template <>
struct NewName<doca_cc_consumer_post_recv_task>
    : std::type_identity<doca_comch_consumer_task_post_recv> {};
template <>
struct NewName<doca_cc_producer> : std::type_identity<doca_comch_producer> {};
template <>
struct NewName<doca_cc_producer_task_send> : std::type_identity<doca_comch_producer_task_send> {};
template <>
struct NewName<doca_cc_producer_send_task> : std::type_identity<doca_comch_producer_task_send> {};

template <class Older>
auto* newer(Older* handle) {
  return reinterpret_cast<typename NewName<Older>::type*>(handle);
}
template <class Older>
auto* newer(const Older* handle) {
  return reinterpret_cast<const typename NewName<Older>::type*>(handle);
}
template <class Older>
Older* older(typename NewName<Older>::type* handle) {
  return reinterpret_cast<Older*>(handle);
}

// create() puts a handle where it is told to, and nothing when it fails; so does this.
template <class Older, class Create>
doca_error_t hand_on(Older** out, const Create& create) {
  typename NewName<Older>::type* made = nullptr;
  const doca_error_t result = create(out == nullptr ? nullptr : &made);
  if (out != nullptr && result == DOCA_SUCCESS) *out = older<Older>(made);
  return result;
}

// A callback of tasks, for the engine.

template <class Task, class Face>
doca_error_t cc_configure_send(Face* face, TaskCallback<Task> sent, TaskCallback<Task> failed,
                               std::uint32_t tasks,
                               std::source_location where = std::source_location::current()) {
  if (face == nullptr || sent == nullptr || failed == nullptr) return null_argument(where);
  return guarded([&] {
    return answer(face->engine->configure_send(tasks, through(face, sent), through(face, failed)),
                  where);
  });
}

// `Length` is how the generation of the program spells the length.
template <class Length>
using MessageCallback = void (*)(doca_cc_event_msg_recv*, std::uint8_t*, Length,
                                 doca_cc_connection*);
template <class Length, class Face>
doca_error_t cc_on_message(Face* face, MessageCallback<Length> callback,
                           std::source_location where = std::source_location::current()) {
  if (face == nullptr || callback == nullptr) return null_argument(where);
  return guarded([&] {
    return answer(face->engine->on_message([face, callback](Connection& from,
                                                            std::span<const std::byte> message) {
      // The callback may change the bytes: they are a copy made for it alone.
      auto* const bytes = const_cast<std::byte*>(message.data());
      callback(reinterpret_cast<doca_cc_event_msg_recv*>(&face->message_event),
               reinterpret_cast<std::uint8_t*>(bytes), static_cast<Length>(message.size()),
               older<doca_cc_connection>(handle_of(from)));
      return Receipt::kTaken;
    }),
                  where);
  });
}

template <class Face>
doca_error_t cc_on_consumer(Face* face, doca_cc_event_consumer_cb_t appeared,
                            doca_cc_event_consumer_cb_t expired,
                            std::source_location where = std::source_location::current()) {
  if (face == nullptr || appeared == nullptr || expired == nullptr) return null_argument(where);
  return guarded([&] {
    const auto told = [face](doca_cc_event_consumer_cb_t callback) {
      return [face, callback](Connection& of, ConsumerId id) {
        callback(reinterpret_cast<doca_cc_event_consumer*>(&face->consumer_event),
                 older<doca_cc_connection>(handle_of(of)), static_cast<std::uint32_t>(id));
      };
    };
    return answer(face->engine->on_consumer(told(appeared), told(expired)), where);
  });
}

// The logarithms of 2.5: how many tasks `log` means, 0 when no number can say it; and the largest
// that stays within `limit`.
constexpr std::uint32_t tasks_of(std::uint32_t log) { return log < 32 ? 1U << log : 0; }
constexpr std::uint32_t log_within(std::uint32_t limit) {
  return limit == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(limit)) - 1;
}
static_assert(tasks_of(10) == 1024 && tasks_of(32) == 0);
static_assert(log_within(8192) == 13 && log_within(8191) == 12 && log_within(1) == 0);

}  // namespace comch::doca
